import { type ArmClient, type ArmId, type BackendAddress, findArmError } from '@fairlead/azure/arm';
import { type Clock, sleep } from '@fairlead/control';

/** Addresses that go into a pool, or out of it. */
interface PoolOperation {
  readonly pool: ArmId<'backendAddressPools'>;
  readonly kind: 'add' | 'remove';
  readonly addresses: readonly string[];
  readonly retryCount: number;
  readonly nextEligibleAt: number;
}

export interface PeerQueueOptions {
  /** One for each pool: no pool hears of another's throttling. */
  readonly client: (pool: ArmId<'backendAddressPools'>) => ArmClient;
  readonly clock: Clock;
  readonly intervalMilliseconds: number;
  readonly maxRetries: number;
}

/**
 * The updater of the cloud provider's local Services with its bounded retry, as far as it decides what Azure is asked
 * and when: every change appends what goes in and what goes out; each tick takes the whole list, and reads and writes
 * one pool after the other. What failed in a way worth repeating is appended again.
 */
export class PeerQueue {
  readonly #options: PeerQueueOptions;
  #operations: PoolOperation[] = [];

  constructor(options: PeerQueueOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#operations.length;
  }

  changed(pool: ArmId<'backendAddressPools'>, before: readonly string[], after: readonly string[]): void {
    const fresh = { pool, retryCount: 0, nextEligibleAt: 0 };
    const removed = before.filter((address) => !after.includes(address));
    const added = after.filter((address) => !before.includes(address));
    if (removed.length > 0) this.#operations.push({ ...fresh, kind: 'remove', addresses: removed });
    if (added.length > 0) this.#operations.push({ ...fresh, kind: 'add', addresses: added });
  }

  async run(): Promise<never> {
    const { clock, intervalMilliseconds } = this.#options;
    for (let tickAt = clock.monotonic() + intervalMilliseconds; ; tickAt += intervalMilliseconds) {
      // One that is late is followed by the next at once.
      await sleep(clock, Math.max(0, tickAt - clock.monotonic()));
      await this.#tick();
    }
  }

  async #tick(): Promise<void> {
    const drained = this.#operations;
    this.#operations = [];
    for (const [pool, operations] of Map.groupBy(drained, ({ pool }) => pool)) await this.#update(pool, operations);
  }

  async #update(pool: ArmId<'backendAddressPools'>, operations: readonly PoolOperation[]): Promise<void> {
    const { client, clock, maxRetries } = this.#options;
    if (operations.some(({ nextEligibleAt }) => nextEligibleAt > clock.monotonic())) {
      this.#operations.push(...operations);
      return;
    }
    try {
      await apply(client(pool), pool, operations);
    } catch (error) {
      const refusal = findArmError(error);
      if (refusal === undefined || ![409, 412, 429].includes(refusal.status)) return;
      const nextEligibleAt = clock.monotonic() + (refusal.retryAfterMilliseconds ?? 0);
      const again = operations.filter(({ retryCount }) => retryCount < maxRetries);
      for (const operation of again) {
        this.#operations.push({ ...operation, retryCount: operation.retryCount + 1, nextEligibleAt });
      }
    }
  }
}

async function apply(
  client: ArmClient,
  id: ArmId<'backendAddressPools'>,
  operations: readonly PoolOperation[],
): Promise<void> {
  const { id: _id, name: _name, etag: _etag, ...pool } = await client.get(id, { throttle: 'refuse' });
  let entries: readonly BackendAddress[] = pool.properties.loadBalancerBackendAddresses ?? [];
  for (const { kind, addresses } of operations) {
    const others = entries.filter(({ properties }) => !addresses.includes(properties.ipAddress ?? ''));
    const added = addresses.map((address) => ({ name: address, properties: { ipAddress: address } }));
    entries = kind === 'add' ? [...others, ...added] : others;
  }
  const properties = { ...pool.properties, loadBalancerBackendAddresses: entries };
  await client.put(id, { ...pool, properties }, { throttle: 'refuse', answer: 'accepted' });
}
