import { type Random, randomUuid } from '@fairlead/control';
import { type ArmId, armName, groupPath, parseArmId, type ResourceGroup } from '../arm-id.ts';
import type { CallableKind, CallOptions, ListableKind, PutOptions } from './call-options.ts';
import type { ArmRequest } from './dialect.ts';

type GatewayCall = 'services' | 'addressLocations' | 'updateServices' | 'updateAddressLocations';

/** Writes requests down: where they go, how they are called, and what they share. */
export class RequestFactory {
  readonly #endpoint: string;
  readonly #apiVersion: string;
  readonly #random: Random;

  constructor(endpoint: string, apiVersion: string, random: Random) {
    this.#endpoint = endpoint.replace(/\/+$/, '');
    this.#apiVersion = apiVersion;
    this.#random = random;
  }

  at(id: ArmId<CallableKind>, verb: 'GET' | 'PUT' | 'DELETE', options: PutOptions): ArmRequest {
    const { kind, account } = partsOf(id);
    const head = { verb, kind, subject: armName(id), method: verb, account };
    return this.#request(head, id, options, verb === 'GET' ? undefined : conditions(options));
  }

  inGroup(kind: ListableKind, group: ResourceGroup, options: CallOptions): ArmRequest {
    const { subscriptionId: account, resourceGroup } = group;
    const path = `${groupPath(group)}/providers/Microsoft.Network/${kind}`;
    return this.#request({ verb: 'LIST', kind, subject: resourceGroup, method: 'GET', account }, path, options);
  }

  ofGateway(gateway: ArmId<'serviceGateways'>, kind: GatewayCall, options: CallOptions): ArmRequest {
    const { account } = partsOf(gateway);
    const isAction = kind === 'updateServices' || kind === 'updateAddressLocations';
    const verbs = isAction ? ({ verb: 'POST', method: 'POST' } as const) : ({ verb: 'LIST', method: 'GET' } as const);
    const subject = armName(gateway);
    return this.#request({ ...verbs, kind, subject, account }, `${gateway}/${kind}`, options);
  }

  #request(
    head: Pick<ArmRequest, 'verb' | 'kind' | 'subject' | 'method' | 'account'>,
    path: string,
    { throttle, notFound, correlationId, record }: CallOptions,
    headers?: Readonly<Record<string, string>>,
  ): ArmRequest {
    return {
      ...head,
      url: `${this.#endpoint}${path}?api-version=${this.#apiVersion}`,
      throttle: throttle ?? 'wait',
      notFound,
      correlationId: correlationId ?? randomUuid(this.#random),
      record,
      headers,
    };
  }
}

/** Under which a write takes effect. */
function conditions({ ifMatch, ifNoneMatch }: PutOptions): Readonly<Record<string, string>> | undefined {
  if (ifMatch === undefined && ifNoneMatch === undefined) return undefined;
  return {
    ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
    ...(ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch }),
  };
}

function partsOf(id: ArmId<CallableKind>): { readonly kind: CallableKind; readonly account: string } {
  const parsed = parseArmId(id);
  if (parsed !== undefined && isCallable(parsed.kind)) return { kind: parsed.kind, account: parsed.subscriptionId };
  throw new TypeError(`${id} is not the id of a resource`);
}

const CALLABLE: Readonly<Record<CallableKind, true>> = {
  serviceGateways: true,
  publicIPAddresses: true,
  loadBalancers: true,
  backendAddressPools: true,
  natGateways: true,
  networkSecurityGroups: true,
  subnets: true,
};

function isCallable(kind: string): kind is CallableKind {
  return Object.hasOwn(CALLABLE, kind);
}
