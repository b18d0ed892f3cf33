import { intoBatches } from '@fairlead/control';
import { type LoadBalancer, type OctaviaClient, problemIn } from '../../client/index.ts';
import type { BalancerTree } from '../balancer/observed.ts';
import type { LbaasDriver, LbaasStep, TaggedChild } from './lbaas-driver.ts';

/** One load balancer of a thousand ports does not keep Octavia from answering for the others. */
const CONCURRENT_READS = 10;

/** Load balancers of Octavia. */
export class OctaviaDriver implements LbaasDriver {
  readonly #octavia: OctaviaClient;

  constructor(octavia: OctaviaClient) {
    this.#octavia = octavia;
  }

  async listTagged(tags: readonly string[], signal: AbortSignal): Promise<readonly LoadBalancer[]> {
    return carrying(tags, await this.#octavia.listLoadBalancers({ tags: tags.join(',') }, { signal }));
  }

  listNamed(name: string, signal: AbortSignal): Promise<readonly LoadBalancer[]> {
    return this.#octavia.listLoadBalancers({ name }, { signal });
  }

  listOnPort(portId: string, signal: AbortSignal): Promise<readonly LoadBalancer[]> {
    return this.#octavia.listLoadBalancers({ vip_port_id: portId }, { signal });
  }

  find(id: string, signal: AbortSignal): Promise<LoadBalancer | undefined> {
    return this.#octavia.findLoadBalancer(id, { signal });
  }

  async tree(balancer: LoadBalancer, signal: AbortSignal): Promise<BalancerTree> {
    const filter = { loadbalancer_id: balancer.id };
    const [listeners, pools] = await Promise.all([
      this.#octavia.listListeners(filter, { signal }),
      this.#octavia.listPools(filter, { signal }),
    ]);
    const members = await inPortions(pools, async ({ id }) => {
      return [id, await this.#octavia.listMembers(id, {}, { signal })] as const;
    });
    const monitored = pools.flatMap(({ healthmonitor_id }) => healthmonitor_id ?? []);
    const monitors = await inPortions(monitored, (id) => this.#octavia.findHealthMonitor(id, { signal }));
    return {
      balancer,
      listeners,
      pools,
      members: new Map(members),
      monitors: monitors.filter((monitor) => monitor !== undefined),
    };
  }

  async listTaggedChildren(tags: readonly string[], signal: AbortSignal): Promise<readonly TaggedChild[]> {
    const filter = { tags: tags.join(',') };
    const [listeners, pools] = await Promise.all([
      this.#octavia.listListeners(filter, { signal }),
      this.#octavia.listPools(filter, { signal }),
    ]);
    return carrying(tags, [...listeners, ...pools]);
  }

  async hasFlavor(id: string, signal: AbortSignal): Promise<boolean> {
    return (await this.#octavia.findFlavor(id, { signal })) !== undefined;
  }

  async hasProvider(name: string, signal: AbortSignal): Promise<boolean> {
    return unlessKept(async () => (await this.#octavia.listProviders({ signal })).some((one) => one.name === name));
  }

  async hasAvailabilityZone(name: string, signal: AbortSignal): Promise<boolean> {
    return unlessKept(async () => {
      const zones = await this.#octavia.listAvailabilityZones({ signal });
      return zones.some((zone) => zone.enabled && zone.name === name);
    });
  }

  async perform(step: LbaasStep, signal: AbortSignal): Promise<void> {
    const octavia = this.#octavia;
    const stale = { signal, notFound: 'stale' } as const;
    switch (step.kind) {
      case 'create-load-balancer':
        return void (await octavia.createLoadBalancer(step.body, { signal }));
      case 'update-load-balancer':
        return void (await octavia.updateLoadBalancer(step.id, step.changes, stale));
      case 'delete-load-balancer':
        return octavia.deleteLoadBalancer(step.id, { signal });
      case 'create-listener':
        return void (await octavia.createListener(step.body, { signal }));
      case 'update-listener':
        return void (await octavia.updateListener(step.id, step.changes, stale));
      case 'delete-listener':
        return octavia.deleteListener(step.id, { signal });
      case 'create-pool':
        return void (await octavia.createPool(step.body, { signal }));
      case 'update-pool':
        return void (await octavia.updatePool(step.id, step.changes, stale));
      case 'delete-pool':
        return octavia.deletePool(step.id, { signal });
      case 'set-members':
        return octavia.setMembers(step.poolId, step.members, stale);
      case 'create-monitor':
        return void (await octavia.createHealthMonitor(step.body, { signal }));
      case 'update-monitor':
        return void (await octavia.updateHealthMonitor(step.id, step.changes, stale));
      case 'delete-monitor':
        return octavia.deleteHealthMonitor(step.id, { signal });
    }
  }
}

/** A database may take capitals for small letters: what another owns would be found by its UID in these. */
function carrying<Tagged extends Pick<LoadBalancer, 'tags'>>(tags: readonly string[], found: readonly Tagged[]) {
  return found.filter((one) => tags.every((tag) => one.tags.includes(tag)));
}

/** Where a policy keeps the list from us, Octavia itself refuses what it has not. */
async function unlessKept(isListed: () => Promise<boolean>): Promise<boolean> {
  try {
    return await isListed();
  } catch (error) {
    if (problemIn(error) === 'forbidden') return true;
    throw error;
  }
}

async function inPortions<Item, Read>(
  items: readonly Item[],
  read: (item: Item) => Promise<Read>,
): Promise<readonly Read[]> {
  const all: Read[] = [];
  for (const portion of intoBatches(items, { maximumCount: CONCURRENT_READS })) {
    all.push(...(await Promise.all(portion.map(read))));
  }
  return all;
}
