import { type IpAddress, familyOf, type IpRange, parseIpRange, rangeContains } from '@fairlead/control';
import type { FrontendError } from '../../protocol/answer.ts';
import {
  type ConfigurationRequest,
  type Frontend,
  frontendKey,
  type Generation,
  isAfter,
  isSameGeneration,
  type VirtualServer,
} from '../../protocol/configuration.ts';

/** Why a request is not taken. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly errors?: readonly FrontendError[];
}

/** What this gateway may be told to do. */
export interface Admission {
  readonly allowedAddresses: readonly IpRange[];
  /** Everywhere where absent. */
  readonly allowedBackends?: readonly IpRange[];
  /** The own addresses of the gateways of the pool. */
  readonly gatewayAddresses: readonly IpRange[];
  /** Whether backends have a way back through this gateway. */
  readonly canPreserveClientAddress: boolean;
}

/** Sent there, packets would come out at the gateway's own programs, or nowhere: whatever the operator allows. */
const NEVER_BACKENDS = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/3',
  '::/127',
  'fe80::/10',
  'ff00::/8',
  // Where clouds tell a node its secrets.
  '168.63.129.16/32',
  '100.100.100.200/32',
  'fd00:ec2::254/128',
].flatMap((text) => parseIpRange(text) ?? []);

/** What the operator of the gateway does not allow. */
export function refusedBy(admission: Admission, request: ConfigurationRequest): Refusal | undefined {
  const errors = virtualServersOf(request).flatMap((one): FrontendError[] => {
    const problem = problemOf(one, admission);
    return problem === undefined ? [] : [{ frontend: frontendOf(one), ...problem }];
  });
  if (errors.length === 0) return undefined;
  const message = `${errors.length} of the frontends are not allowed here: ${errors[0]?.message}`;
  return { code: 'not-allowed', message, errors };
}

/** Backends at addresses that the gateways serve themselves: packets would go round in circles. */
export function routingLoopIn(request: ConfigurationRequest, served: ReadonlySet<IpAddress>): Refusal | undefined {
  const all = virtualServersOf(request);
  const addresses = new Set([...served, ...all.map(({ address }) => address)]);
  const errors = all.flatMap((one): FrontendError[] => {
    const circle = one.backends.find(({ address }) => addresses.has(address));
    if (circle === undefined) return [];
    const message = `${circle.address} is served by the gateways themselves: it may be no backend`;
    return [{ frontend: frontendOf(one), code: 'backend-not-allowed', message }];
  });
  const [first] = errors;
  return first === undefined ? undefined : { code: 'not-allowed', message: first.message, errors };
}

/** What makes no sense, whoever asks for it. */
export function rejectedRequest(request: ConfigurationRequest): Refusal | undefined {
  const all = virtualServersOf(request);
  const seen = new Set<string>();
  const frontends: readonly Frontend[] = request.kind === 'delta' ? [...all, ...request.remove] : all;
  const errors = frontends.flatMap((one): FrontendError[] => {
    const key = frontendKey(one);
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    return [{ frontend: frontendOf(one), code: 'named-twice', message: `${key} is named twice` }];
  });
  const mixed = all.flatMap((one): FrontendError[] => {
    const other = one.backends.find(({ address }) => familyOf(address) !== familyOf(one.address));
    if (other === undefined) return [];
    const message = `the backend ${other.address} is of another family than ${one.address}`;
    return [{ frontend: frontendOf(one), code: 'mixed-families', message }];
  });
  const [first] = [...errors, ...mixed];
  if (first === undefined) return undefined;
  return { code: 'invalid', message: first.message, errors: [...errors, ...mixed] };
}

function problemOf(one: VirtualServer, admission: Admission): { code: string; message: string } | undefined {
  if (!isIn(one.address, admission.allowedAddresses)) {
    return { code: 'address-not-allowed', message: `${one.address} is not in allowedAddresses of this agent` };
  }
  const { allowedBackends } = admission;
  const forbidden = one.backends.find(
    ({ address }) =>
      isIn(address, NEVER_BACKENDS) ||
      isIn(address, admission.gatewayAddresses) ||
      (allowedBackends !== undefined && !isIn(address, allowedBackends)),
  );
  if (forbidden !== undefined) {
    return { code: 'backend-not-allowed', message: `${forbidden.address} may be no backend of this agent` };
  }
  if (one.preservesClientAddress && !admission.canPreserveClientAddress) {
    const message = 'client addresses cannot be preserved here: vrrp.inside of this agent is not set';
    return { code: 'no-way-back', message };
  }
  return undefined;
}

function isIn(address: IpAddress, ranges: readonly IpRange[]): boolean {
  return ranges.some((range) => rangeContains(range, address));
}

function virtualServersOf(request: ConfigurationRequest): readonly VirtualServer[] {
  return request.kind === 'whole' ? request.virtualServers : request.put;
}

function frontendOf({ address, protocol, port }: Frontend): Frontend {
  return { address, protocol, port };
}

/** What does not come after all that was taken, or after a newer leader; or does not go on from what was taken last. */
export function outOfOrder(
  request: ConfigurationRequest,
  taken: Generation | undefined,
  highestEpoch: number,
): Refusal | undefined {
  const { generation } = request;
  const text = ({ epoch, number }: Generation) => `${epoch}.${number}`;
  if (generation.epoch < highestEpoch) {
    const message = `a leader with epoch ${highestEpoch} came after ${generation.epoch}`;
    return { code: 'older-generation', message };
  }
  if (taken !== undefined && !isAfter(generation, taken)) {
    return { code: 'older-generation', message: `${text(taken)} was taken, and ${text(generation)} is not after it` };
  }
  if (request.kind === 'whole' || (taken !== undefined && isSameGeneration(request.since, taken))) return undefined;
  return { code: 'unknown-generation', message: 'this is not what changed since what was taken last: send all of it' };
}
