import type { Service } from '@fairlead/kube';
import { shownServing } from '../observed.ts';
import { choosePool, type Pool } from '../pools.ts';
import type { Snapshot } from '../snapshot.ts';
import type { ClusterView } from './cluster-view.ts';
import { type PoolServer, virtualServersFor } from './virtual-servers.ts';

/** What the gateways go on with while a Service shows it, whatever was decided for it since. */
export function shownServers(
  service: Service,
  { pools, allocator }: Pick<Snapshot, 'pools' | 'allocator'>,
  cluster: ClusterView,
): readonly PoolServer[] {
  try {
    const serving = shownServing(service, allocator, poolNow(service, pools));
    return virtualServersFor({ claim: { service }, ...serving }, pools, cluster);
  } catch {
    // Whom it admits cannot be told any more.
    return [];
  }
}

/** The pool that the Service would be on now; undefined where it asks for none that it can have. */
function poolNow(service: Service, pools: readonly Pool[]): string | undefined {
  try {
    return choosePool(service, pools).pool.name;
  } catch {
    return undefined;
  }
}
