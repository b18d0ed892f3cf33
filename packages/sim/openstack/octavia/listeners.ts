import { familyOf, parseIpRange } from '@fairlead/control';
import { type JsonObject, listOf, objectOf, textOf, without } from '../../json.ts';
import { spelled } from '../neutron/addresses.ts';
import { checkListener } from './providers.ts';
import { conflict, invalid, invalidRequest, missing } from './refusals.ts';
import { vipsOf } from './store.ts';
import type { OctaviaWorld } from './world.ts';

/** Over which transport a listener's protocol runs: two on one port must not share it. */
const TRANSPORTS: Readonly<Record<string, string>> = { UDP: 'UDP', SCTP: 'SCTP' };

/** Which protocols a pool can have, by that of its listener. */
const POOL_PROTOCOLS: Readonly<Record<string, readonly string[]>> = {
  TCP: ['HTTP', 'HTTPS', 'PROXY', 'PROXYV2', 'TCP'],
  HTTP: ['HTTP', 'PROXY', 'PROXYV2'],
  HTTPS: ['HTTPS', 'PROXY', 'PROXYV2', 'TCP'],
  TERMINATED_HTTPS: ['HTTP', 'PROXY', 'PROXYV2'],
  UDP: ['UDP'],
  SCTP: ['SCTP'],
};

/** Adds a listener that may be added; throws when it may not. */
export function addListener(world: OctaviaWorld, loadBalancer: JsonObject, fields: JsonObject): JsonObject {
  const protocol = textOf(fields['protocol']);
  checkProtocol(world, protocol);
  checkOptions(protocol, fields);
  const loadBalancerId = textOf(loadBalancer['id']);
  const twin = world.store
    .listenersOf(loadBalancerId)
    .filter((listener) => listener['protocol_port'] === fields['protocol_port'])
    .find((listener) => transportOf(world, textOf(listener['protocol'])) === transportOf(world, protocol));
  if (twin !== undefined) {
    throw conflict(
      `Another Listener on this Load Balancer is already using protocol ${textOf(twin['protocol'])} ` +
        `and protocol_port ${JSON.stringify(fields['protocol_port'])}`,
    );
  }
  checkRanges(loadBalancer, fields);
  checkDefaultPool(world, loadBalancerId, protocol, fields);
  checkListener(textOf(loadBalancer['provider']), fields);
  return world.store.add('listeners', {
    ...without(fields, 'default_pool', 'tenant_id'),
    allowed_cidrs: rangesOf(fields),
    project_id: loadBalancer['project_id'] ?? '',
    loadbalancer_id: loadBalancerId,
    provisioning_status: 'PENDING_CREATE',
    operating_status: 'OFFLINE',
  });
}

export function changeListener(world: OctaviaWorld, listener: JsonObject, fields: JsonObject): JsonObject {
  const loadBalancerId = textOf(listener['loadbalancer_id']);
  const loadBalancer = objectOf(world.store.find('loadbalancers', loadBalancerId));
  const protocol = textOf(listener['protocol']);
  checkOptions(protocol, { ...listener, ...fields });
  checkRanges(loadBalancer, fields);
  checkDefaultPool(world, loadBalancerId, protocol, fields);
  world.lock(loadBalancerId, [listener]);
  checkListener(textOf(loadBalancer['provider']), { ...listener, ...fields });
  const ranges = fields['allowed_cidrs'] === undefined ? {} : { allowed_cidrs: rangesOf(fields) };
  return world.store.change('listeners', textOf(listener['id']), { ...fields, ...ranges });
}

export function checkPoolProtocol(listenerProtocol: string, poolProtocol: string): void {
  if (POOL_PROTOCOLS[listenerProtocol]?.includes(poolProtocol) === true) return;
  throw invalidRequest(
    `The pool protocol '${poolProtocol}' is invalid while the listener protocol is '${listenerProtocol}'.`,
  );
}

function checkDefaultPool(world: OctaviaWorld, loadBalancerId: string, protocol: string, fields: JsonObject): void {
  const poolId = textOf(fields['default_pool_id']);
  if (poolId === '') return;
  const pool = world.store.find('pools', poolId);
  if (pool?.['loadbalancer_id'] !== loadBalancerId) throw missing('pools', poolId);
  checkPoolProtocol(protocol, textOf(pool['protocol']));
}

function checkProtocol({ minorVersion }: OctaviaWorld, protocol: string): void {
  if (protocol !== 'SCTP' || minorVersion >= 23) return;
  const detail = 'Value should be one of: HTTP, UDP, TERMINATED_HTTPS, HTTPS, TCP';
  throw invalid(`Invalid input for field/attribute protocol. Value: 'SCTP'. ${detail}`);
}

function checkOptions(protocol: string, fields: JsonObject): void {
  const hasHeaders = Object.keys(objectOf(fields['insert_headers'])).length > 0;
  if (hasHeaders && protocol !== 'HTTP' && protocol !== 'TERMINATED_HTTPS') {
    throw invalid(`insert-headers is not a valid option for a ${protocol} protocol listener.`);
  }
  const hasCertificate = textOf(fields['default_tls_container_ref']) !== '';
  if (protocol === 'TERMINATED_HTTPS' && !hasCertificate) {
    throw invalidRequest(
      'An SNI or default certificate container reference must be provided for TERMINATED_HTTPS protocol listeners.',
    );
  }
  if (hasCertificate && protocol !== 'TERMINATED_HTTPS') {
    throw invalidRequest(`Certificate container references are not allowed on ${protocol} protocol listeners.`);
  }
}

function checkRanges(loadBalancer: JsonObject, fields: JsonObject): void {
  const vips = vipsOf(loadBalancer);
  const families = vips.flatMap((vip) => {
    const address = spelled(vip);
    return address === undefined ? [] : [familyOf(address)];
  });
  for (const range of listOf(fields['allowed_cidrs']).map(textOf)) {
    const parsed = parseIpRange(range);
    if (parsed === undefined || families.includes(parsed.family)) continue;
    const listed = vips.map((vip) => `'${vip}'`).join(', ');
    throw invalidRequest(`CIDR ${range} IP version incompatible with all VIPs [${listed}] IP version.`);
  }
}

/** No range at all is shown as null. */
function rangesOf(fields: JsonObject) {
  const ranges = listOf(fields['allowed_cidrs']);
  return ranges.length === 0 ? null : ranges;
}

/** Before version 2.13 a port could be used once only. */
function transportOf({ minorVersion }: OctaviaWorld, protocol: string): string {
  return minorVersion < 13 ? 'any' : (TRANSPORTS[protocol] ?? 'TCP');
}
