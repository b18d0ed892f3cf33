import { type IpAddress, type IpFamily, parseIpAddress, parseIpRange, rangeContains } from '@fairlead/control';
import type { FormerPorts } from '@fairlead/gateway';
import type { AddressPair, FloatingIp, FloatingIpRequest, Port, PortRequest } from '../client/index.ts';
import { isNamed } from './named.ts';
import { type Observed, type OwnPort, ownPorts } from './observed.ts';
import { descriptionFor, isFormer, isMarkedOurs, missingTags } from './owner.ts';
import type { PortPool, PortScope } from './pool.ts';

/** One call to Neutron. */
export type PortStep =
  | { readonly kind: 'create-port'; readonly body: PortRequest }
  | { readonly kind: 'tag-port'; readonly id: string; readonly tags: readonly string[] }
  | { readonly kind: 'create-floating-ip'; readonly body: FloatingIpRequest }
  | { readonly kind: 'tag-floating-ip'; readonly id: string; readonly tags: readonly string[] }
  | { readonly kind: 'assign-floating-ip'; readonly id: string; readonly portId: string; readonly revision: Revision }
  | {
      readonly kind: 'set-address-pairs';
      readonly id: string;
      readonly pairs: readonly AddressPair[];
      readonly revision: Revision;
    }
  | { readonly kind: 'delete-port'; readonly id: string; readonly revision: Revision }
  | { readonly kind: 'delete-floating-ip'; readonly id: string; readonly revision: Revision };

/** Only what is still as it was read is changed: a user, or another program, may have taken it meanwhile. */
type Revision = number | undefined;

/** The ids of ports that Services are on. */
export type UsedPorts = Pick<ReadonlySet<string>, 'has'>;

/** CreateAndAssignPort begins with a port that carries its mark from the start. */
export function createStep(scope: PortScope, pool: PortPool, family: IpFamily): PortStep | undefined {
  const subnet_id = pool.subnetIds[family];
  if (subnet_id === undefined) return undefined;
  const { networkId: network_id, securityGroupIds: security_groups } = pool;
  const description = descriptionFor(scope, pool.name);
  const body = { network_id, name: `fairlead-${pool.name}`, description, fixed_ips: [{ subnet_id }] };
  return { kind: 'create-port', body: { ...body, ...(security_groups === undefined ? {} : { security_groups }) } };
}

/**
 * What is missing of a port of ours: its tags, its floating IP, and the tags of that. One call at a time: each is
 * planned from what the one before has left.
 */
export function nextStep(scope: PortScope, own: OwnPort, { floatingIps }: Observed): PortStep | undefined {
  const { port, floatingIp } = own;
  if (own.isOfUser) return undefined;
  const portTags = missingTags(scope, own.pool, port);
  if (portTags !== undefined) return { kind: 'tag-port', id: port.id, tags: portTags };
  if (floatingIp !== undefined) {
    // One that a user gave to the port is used, and stays the user's.
    if (!isMarkedOurs(scope, floatingIp) && !isFormer(floatingIp)) return undefined;
    const tags = missingTags(scope, own.pool, floatingIp);
    return tags === undefined ? undefined : { kind: 'tag-floating-ip', id: floatingIp.id, tags };
  }
  const floating_network_id = floatingNetworkOf(scope, own);
  if (floating_network_id === undefined) return undefined;
  const isForUs = (one: FloatingIp) => isMarkedOurs(scope, one) || isNamed(scope, one);
  const spare = floatingIps.find(
    (one) => one.port_id === null && one.floating_network_id === floating_network_id && isForUs(one),
  );
  if (spare !== undefined)
    return { kind: 'assign-floating-ip', id: spare.id, portId: port.id, revision: spare.revision_number };
  const description = descriptionFor(scope, own.pool);
  return { kind: 'create-floating-ip', body: { floating_network_id, port_id: port.id, description } };
}

/**
 * Ports that ch-k8s-lbaas made, and that are to be ours: those in the subnets of the pools that Services name and show
 * the address of. It marks what it makes for every cluster alike: a name alone may be that of another cluster's port.
 */
export function adoptSteps(
  scope: PortScope,
  { ports, floatingIps }: Observed,
  former: FormerPorts,
): readonly Extract<PortStep, { readonly kind: 'tag-port' }>[] {
  const isShown = ({ id, fixed_ips }: Port) => {
    const floating = floatingIps.filter((one) => one.port_id === id).map((one) => one.floating_ip_address);
    const texts = [...floating, ...fixed_ips.map(({ ip_address }) => ip_address)];
    const addresses = texts.flatMap((text) => parseIpAddress(text)?.address ?? []);
    return addresses.some((address) => former.get(id)?.has(address));
  };
  return ports
    .filter((port) => former.has(port.id) && isFormer(port) && isShown(port))
    .flatMap((port) => {
      const isIts = ({ subnetIds }: PortPool) => Object.values(subnetIds).includes(port.fixed_ips[0]?.subnet_id ?? '');
      const pool = scope.pools.find(isIts);
      const tags = pool === undefined ? undefined : missingTags(scope, pool.name, port);
      return tags === undefined ? [] : [{ kind: 'tag-port', id: port.id, tags }];
    });
}

/** Whether the port has no floating IP and is to have one: it is not to be given to a Service before. */
export function lacksFloatingIp(scope: PortScope, own: OwnPort): boolean {
  return !own.isOfUser && own.floatingIp === undefined && floatingNetworkOf(scope, own) !== undefined;
}

function floatingNetworkOf({ pools }: PortScope, { pool, family }: OwnPort): string | undefined {
  return family === 'IPv6' ? undefined : pools.find(({ name }) => name === pool)?.floatingNetworkId;
}

/**
 * The first half of CleanUnusedPorts: the gateways let the addresses go, then the ports are deleted. What carries no
 * mark of ours is never deleted.
 */
export function unusedPortSteps(
  scope: PortScope,
  observed: Observed,
  usedPortIds: UsedPorts,
  gatewayPortIds: ReadonlySet<string>,
): readonly PortStep[] {
  const unused = ownPorts(scope, observed).filter(({ port, stays }) => !stays && !usedPortIds.has(port.id));
  const addresses = new Set(unused.map(({ fixedAddress }) => fixedAddress));
  return [
    ...detachSteps(observed.ports, addresses, gatewayPortIds),
    ...unused.map(({ port: { id, revision_number: revision } }) => ({ kind: 'delete-port', id, revision }) as const),
  ];
}

/** The second half, on a list that was made after the first: floating IPs of ours that no port has. */
export function unassignedFloatingIpSteps(scope: PortScope, floatingIps: Observed['floatingIps']): readonly PortStep[] {
  return floatingIps
    .filter((one) => one.port_id === null && isMarkedOurs(scope, one))
    .map(({ id, revision_number: revision }) => ({ kind: 'delete-floating-ip', id, revision }));
}

/** The gateways may send from these addresses; what else they may send from stays. */
export function attachSteps(
  ports: Observed['ports'],
  addresses: readonly string[],
  gatewayPortIds: ReadonlySet<string>,
): readonly PortStep[] {
  return ports
    .filter(({ id }) => gatewayPortIds.has(id))
    .flatMap((port) => {
      const isAttached = maySendFrom(port);
      const missing = addresses.filter((address) => !isAttached(address));
      return pairSteps(port, [...port.allowed_address_pairs, ...missing.map((ip_address) => ({ ip_address }))]);
    });
}

/** The gateways may not send from these addresses any more. */
export function detachSteps(
  ports: Observed['ports'],
  addresses: ReadonlySet<IpAddress>,
  gatewayPortIds: ReadonlySet<string>,
): readonly PortStep[] {
  return ports
    .filter(({ id }) => gatewayPortIds.has(id))
    .flatMap((port) => pairSteps(port, pairsWithout(port, addresses)));
}

function pairSteps(port: Port, pairs: readonly AddressPair[]): readonly PortStep[] {
  if (pairs.length === port.allowed_address_pairs.length) return [];
  return [{ kind: 'set-address-pairs', id: port.id, pairs, revision: port.revision_number }];
}

/** Tells whether a port may send from an address besides its own, by a pair for the address or for a range. */
function maySendFrom(port: Port): (address: string) => boolean {
  const pairs = port.allowed_address_pairs.filter((pair) => isOwn(port, pair));
  const ranges = pairs.flatMap(({ ip_address }) => parseIpRange(ip_address) ?? []);
  const single = new Set(pairs.flatMap(({ ip_address }) => parseIpAddress(ip_address)?.address ?? []));
  return (text) => {
    const address = parseIpAddress(text)?.address;
    return address !== undefined && (single.has(address) || ranges.some((range) => rangeContains(range, address)));
  };
}

/** The pairs of a port without those that we made for these addresses. */
function pairsWithout(port: Port, addresses: ReadonlySet<IpAddress>): readonly AddressPair[] {
  return port.allowed_address_pairs.filter((pair) => {
    const address = parseIpAddress(pair.ip_address)?.address;
    return address === undefined || !addresses.has(address) || !isOwn(port, pair);
  });
}

/** We name no MAC address, and Neutron puts the port's own: a pair with another is that of another program. */
function isOwn(port: Port, { mac_address }: AddressPair): boolean {
  return mac_address === undefined || mac_address === port.mac_address;
}
