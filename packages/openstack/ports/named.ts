import { FairleadError } from '@fairlead/control';
import type { FloatingIp, Port } from '../client/index.ts';
import type { Observed } from './observed.ts';
import { isUnmarked } from './owner.ts';
import type { PortPool, PortScope } from './pool.ts';

/** The pool that names a port which a user made: without a mark of ours, or of another cluster. */
export function poolNaming({ pools }: PortScope, port: Port): string | undefined {
  return isUnmarked(port) ? pools.find(({ portIds = [] }) => portIds.includes(port.id))?.name : undefined;
}

/** Whether a pool names the floating IP, which a user made. */
export function isNamed({ pools }: PortScope, { floating_ip_address: address }: FloatingIp): boolean {
  return pools.some(({ floatingAddresses = [] }) => floatingAddresses.includes(address));
}

/** For each floating IP that is named and has no port yet, the pool that is to make one. */
export function unassignedNamed(scope: PortScope, { floatingIps }: Observed): readonly PortPool[] {
  return scope.pools.flatMap((pool) => {
    const { floatingAddresses = [], floatingNetworkId } = pool;
    const isFree = (one: FloatingIp) => one.port_id === null && one.floating_network_id === floatingNetworkId;
    const free = new Set(floatingIps.filter(isFree).map((one) => one.floating_ip_address));
    return floatingAddresses.filter((address) => free.has(address)).map(() => pool);
  });
}

/** What is named in a pool and cannot be used; `served` are the ports that Services may be on. */
export function namedProblems(
  pool: PortPool,
  { floatingIps }: Observed,
  served: { readonly has: (portId: string) => boolean },
): readonly FairleadError[] {
  const { name, portIds = [], floatingAddresses = [], floatingNetworkId } = pool;
  const lostPorts = portIds
    .filter((id) => !served.has(id))
    .map((id) =>
      unusable(`there is no port ${id} of a user in the network: change openstack.ports of the pool ${name}`),
    );
  const others = floatingAddresses.flatMap((address) => {
    const found = floatingIps.find((one) => one.floating_ip_address === address);
    if (found?.floating_network_id !== floatingNetworkId) return `there is no floating IP ${address} in the network`;
    if (found?.port_id === null || served.has(found?.port_id ?? '')) return [];
    return `the floating IP ${address} belongs to the port ${found?.port_id}`;
  });
  const where = `change openstack.floatingIps of the pool ${name}`;
  return [...lostPorts, ...others.map((problem) => unusable(`${problem}: ${where}`))];
}

function unusable(message: string): FairleadError {
  return new FairleadError(message, { verdict: 'terminal', code: 'openstack-pool-unusable' });
}
