import type { IpAddress } from '@fairlead/control';
import { type ArmClient, type ArmId, hasFailed } from '../../arm/index.ts';
import type { BackendTracker } from './backend-tracker.ts';
import { type LocalServices, type PoolKey, poolKey } from './local-services.ts';
import type { BackendPoolOperation, OperationGroup } from './operation-queue.ts';
import { mergeEntries } from './pool-entries.ts';
import type { UpdateReporter } from './update-reporter.ts';

export interface PoolWriterOptions {
  readonly client: Pick<ArmClient, 'get' | 'put'>;
  readonly poolId: (loadBalancer: string, backendPool: string) => ArmId<'backendAddressPools'>;
  readonly networkId: ArmId<'virtualNetworks'>;
  readonly services: LocalServices;
  readonly backends: Pick<BackendTracker, 'addresses' | 'isNode'>;
  readonly reporter: UpdateReporter;
}

/** One attempt at a backend pool. */
export class PoolWriter {
  readonly #options: PoolWriterOptions;

  constructor(options: PoolWriterOptions) {
    this.#options = options;
  }

  /** Reads the pool and writes it if it differs. */
  async bringInStep(
    group: OperationGroup,
    isRelevant: (operation: BackendPoolOperation) => boolean,
    signal: AbortSignal,
  ): Promise<void> {
    const { client, poolId, networkId, backends, reporter } = this.#options;
    const id = poolId(group.loadBalancer, group.backendPool);
    const record = reporter.recordFor(group);
    const recorded = record === undefined ? {} : { record };
    const options = { signal, throttle: 'refuse', notFound: 'stale', ...recorded } as const;
    const { id: _id, name: _name, etag, ...pool } = await client.get(id, options);
    // A pool that belongs to no Service any more is not ours to empty.
    if (!group.operations.some(isRelevant)) return;
    const current = pool.properties.loadBalancerBackendAddresses ?? [];
    // Asked only now: what changed since the operation was queued, or since the read began, is in it.
    const changed = mergeEntries(current, this.#wanted(group.pool), backends);
    // Azure shows what was written also where it failed at it.
    if (changed === undefined && !hasFailed(pool)) return;
    const entries = changed ?? current;
    const virtualNetwork = pool.properties.virtualNetwork ?? { id: networkId };
    const properties = { ...pool.properties, virtualNetwork, loadBalancerBackendAddresses: entries };
    const precondition = etag === undefined ? {} : { ifMatch: etag };
    await client.put(id, { ...pool, properties }, { ...options, ...precondition, answer: 'accepted' });
  }

  /** The nodes of all Services behind the pool. */
  #wanted(pool: PoolKey): readonly IpAddress[] {
    const { services, backends } = this.#options;
    const addresses = services.sharing(pool).flatMap((service) => {
      const info = services.get(service);
      const own = info?.pools.filter(({ name }) => poolKey(info.loadBalancer, name) === pool) ?? [];
      return own.flatMap(({ family }) => backends.addresses(service, family));
    });
    return [...new Set(addresses)];
  }
}
