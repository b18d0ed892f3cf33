import { type ArmClient, type ArmId, type BackendAddress, findArmError } from '@fairlead/azure/arm';
import { type Clock, codeOf, sleep } from '@fairlead/control';

/** Addresses that go into a pool, or out of it. */
interface PoolOperation {
  readonly pool: ArmId<'backendAddressPools'>;
  readonly kind: 'add' | 'remove';
  readonly addresses: readonly string[];
  readonly retryCount: number;
  readonly nextEligibleAt: number;
}

export interface PeerQueueOptions {
  /** One for all pools, as the peer has it: its gate keeps all of them back when Azure throttles one. */
  readonly client: ArmClient;
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
    const startedAt = clock.monotonic();
    for (let ticks = 1; ; ) {
      await sleep(clock, Math.max(0, startedAt + ticks * intervalMilliseconds - clock.monotonic()));
      await this.#tick();
      // A ticker of Go keeps one tick that came while nobody listened, and drops all others.
      const passed = Math.floor((clock.monotonic() - startedAt) / intervalMilliseconds);
      ticks = Math.max(ticks + 1, passed);
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
      await apply(client, pool, operations);
    } catch (error) {
      const refusal = findArmError(error);
      // The gate tells no time: its calls are tried again on the next tick.
      const isGate = codeOf(error) === 'throttle-gate-closed';
      if (!isGate && (refusal === undefined || ![409, 412, 429].includes(refusal.status))) return;
      const nextEligibleAt = clock.monotonic() + (refusal?.retryAfterMilliseconds ?? 0);
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
  const before = pool.properties.loadBalancerBackendAddresses ?? [];
  let entries: readonly BackendAddress[] = before;
  for (const { kind, addresses } of operations) {
    const others = entries.filter(({ properties }) => !addresses.includes(properties.ipAddress ?? ''));
    const added = addresses.map((address) => ({ name: address, properties: { ipAddress: address } }));
    entries = kind === 'add' ? [...others, ...added] : others;
  }
  if (addressesOf(entries) === addressesOf(before)) return;
  const properties = { ...pool.properties, loadBalancerBackendAddresses: entries };
  await client.put(id, { ...pool, properties }, { throttle: 'refuse', answer: 'accepted' });
}

function addressesOf(entries: readonly BackendAddress[]): string {
  return entries
    .map(({ properties }) => properties.ipAddress ?? '')
    .toSorted()
    .join(' ');
}
