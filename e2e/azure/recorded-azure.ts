import { ArmClient, type ArmId, isArmId, requireArmId } from '@fairlead/azure/arm';
import {
  type HttpRequest,
  type HttpResponse,
  type HttpTransport,
  noMetrics,
  seededRandom,
  VirtualClock,
} from '@fairlead/control';
import type { Interaction } from './recordings.ts';

const KINDS = [
  'subnets',
  'networkSecurityGroups',
  'publicIPAddresses',
  'loadBalancers',
  'backendAddressPools',
  'natGateways',
  'serviceGateways',
] as const;
const LISTED = [
  'networkSecurityGroups',
  'publicIPAddresses',
  'loadBalancers',
  'natGateways',
  'serviceGateways',
] as const;

/** No call of ours takes longer. */
const LONG = 600_000;

/** Answers as Azure did, from one interaction of a recording on. */
class RecordedAzure implements HttpTransport {
  #left: readonly Interaction[];

  constructor(interactions: readonly Interaction[]) {
    this.#left = interactions;
  }

  async send({ method, url }: HttpRequest): Promise<HttpResponse> {
    const index = this.#left.findIndex(({ request }) => request.method === method && isSame(request.url, url));
    const found = this.#left[index];
    if (found === undefined) throw new Error(`the recording has no further ${method} ${url}`);
    this.#left = this.#left.slice(index + 1);
    const { code: status, headers, body } = found.response;
    return { status, headers: Object.fromEntries(headers), body: piecesOf(body) };
  }
}

function isSame(left: string, right: string): boolean {
  return new URL(left).pathname.toLowerCase() === new URL(right).pathname.toLowerCase();
}

async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  if (text !== '') yield new TextEncoder().encode(text);
}

/** What our client makes of the answer to the first of these; undefined where it never asks so. */
export async function decoded(interactions: readonly Interaction[]): Promise<Settled | undefined> {
  const [first] = interactions;
  if (first === undefined) return undefined;
  const { origin } = new URL(first.request.url);
  const clock = new VirtualClock();
  const client = new ArmClient({
    endpoint: origin,
    apiVersion: '2025-05-01',
    userAgent: 'fairlead/test',
    random: seededRandom(1),
    metrics: noMetrics,
    transport: new RecordedAzure(interactions),
    clock,
  });
  const call = callOf(client, first);
  if (call === undefined) return undefined;
  const settled = call.then(
    (value): Settled => ({ value }),
    (error: unknown): Settled => ({ error }),
  );
  await clock.advance(LONG);
  return settled;
}

export type Settled = { readonly value: unknown } | { readonly error: unknown };

function callOf(client: ArmClient, { request }: Interaction): Promise<unknown> | undefined {
  const { pathname } = new URL(request.url);
  const kind = KINDS.find((candidate) => isArmId(candidate, pathname));
  if (kind !== undefined && isArmId(kind, pathname)) return resourceCall(client, pathname, request);
  const [, subscriptionId = '', resourceGroup = '', listed, ...more] =
    /^\/subscriptions\/([^/]+)\/resourceGroups\/([^/]+)\/providers\/Microsoft\.Network\/([^/]+)(\/.*)?$/.exec(
      pathname,
    ) ?? [];
  const [below] = more;
  const root = LISTED.find((candidate) => candidate === listed);
  if (root !== undefined && below === undefined) return client.list(root, { subscriptionId, resourceGroup });
  const [gateway = '', call] = pathname.split(
    /\/(?=services$|addressLocations$|updateServices$|updateAddressLocations$)/,
  );
  if (!isArmId('serviceGateways', gateway)) return undefined;
  if (call === 'services') return client.listServices(gateway);
  if (call === 'addressLocations') return client.listAddressLocations(gateway);
  if (call === 'updateServices')
    return client.updateServices(gateway, { action: 'PartialUpdate', serviceRequests: [] });
  if (call !== 'updateAddressLocations') return undefined;
  return client.updateAddressLocations(gateway, { action: 'PartialUpdate', addressLocations: [] });
}

function resourceCall(
  client: ArmClient,
  id: ArmId<(typeof KINDS)[number]>,
  { method }: Interaction['request'],
): Promise<unknown> | undefined {
  if (method === 'GET') return client.get(id);
  if (method === 'DELETE') return client.delete(id);
  if (method !== 'PUT') return undefined;
  // What is sent does not matter: the answer is recorded.
  if (isArmId('subnets', id) || isArmId('backendAddressPools', id)) return client.put(id, { properties: {} });
  if (isArmId('networkSecurityGroups', id)) return client.put(id, { location: '', properties: {} });
  const sku = { name: 'Standard' } as const;
  if (isArmId('loadBalancers', id) || isArmId('natGateways', id)) {
    return client.put(id, { location: '', sku, properties: {} });
  }
  if (isArmId('publicIPAddresses', id)) {
    return client.put(id, { location: '', sku, properties: { publicIPAllocationMethod: 'Static' } });
  }
  const network = `${id.slice(0, id.lastIndexOf('/serviceGateways/'))}/virtualNetworks/net`;
  const properties = { virtualNetwork: { id: requireArmId('virtualNetworks', network) } };
  return isArmId('serviceGateways', id) ? client.put(id, { location: '', sku, properties }) : undefined;
}
