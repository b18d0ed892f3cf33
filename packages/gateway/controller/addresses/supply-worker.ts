import {
  Backoff,
  type Clock,
  codeOf,
  type IpFamily,
  type Journal,
  type Logger,
  messageOf,
  type Random,
  sleep,
} from '@fairlead/control';
import { WorkSlices } from '@fairlead/kube';
import type { DeletionGuard } from '@fairlead/part';
import type { ServiceKey } from '@fairlead/service';
import type { AddressSupply } from './address-provider.ts';
import type { Allocator } from './allocation.ts';
import type { L2Port, L2PortId } from './l2-port.ts';

/** So many addresses of a pool and family are made at the same time: a cloud is busy with others, too. */
const CREATED_AT_ONCE = 4;
/** So often is asked whether what the guard holds back may go. */
const HELD_MILLISECONDS = 60_000;

export interface SupplyWorkerOptions {
  readonly supply: AddressSupply;
  readonly allocator: Allocator;
  readonly guard: DeletionGuard<L2PortId>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly journal: Journal;
  readonly signal: AbortSignal;
  /** Whether no gateway that can be reached serves an address any more that no Service is on. */
  readonly isQuiet: () => boolean;
  /** Has a Service reconciled again. */
  readonly requeue: (key: ServiceKey) => void;
  /** Has all decided upon afresh, from what the provider has now. */
  readonly startOver: () => void;
}

interface Failure {
  readonly code: string;
  readonly message: string;
}

interface Shortage {
  readonly pool: string;
  readonly family: IpFamily;
  readonly services: Set<ServiceKey>;
  underWay: number;
  /** Why the last attempt failed, while it lasts. */
  failure?: Failure | undefined;
}

/**
 * Has more addresses made for Services that have none, and those given back that no Service is on. Decisions are not made
 * here, and no Service waits for the provider but those concerned.
 */
export class SupplyWorker {
  readonly #options: SupplyWorkerOptions;
  readonly #slices: WorkSlices;
  readonly #shortages = new Map<string, Shortage>();
  /** L2 ports that are being given back. */
  readonly #releasing = new Map<L2PortId, L2Port>();
  /** Services that are let go when these L2 ports are given back, unless others are on them. */
  readonly #leaving = new Map<ServiceKey, readonly L2Port[]>();

  /** Whether what a leader before us began was looked after. */
  #hasAbandoned = false;
  #abandoning = 0;
  /** Of the allocator, when all that wait were looked at last. */
  #reconsideredAt = -1;
  #reconsidering: Promise<void> | undefined;
  /** Whether what the guard holds back will be asked for again. */
  #isAskedAgain = false;

  constructor(options: SupplyWorkerOptions) {
    this.#options = options;
    this.#slices = new WorkSlices(options.clock);
  }

  /** One more address of each family would help the Service; with none, it needs no more. */
  want(service: ServiceKey, pool: string, families: readonly IpFamily[]): void {
    for (const shortage of this.#shortages.values()) shortage.services.delete(service);
    for (const family of families) {
      const id = `${family} ${pool}`;
      const shortage = this.#shortages.get(id) ?? { pool, family, services: new Set(), underWay: 0 };
      this.#shortages.set(id, shortage);
      shortage.services.add(service);
      this.#createMore(shortage);
    }
  }

  /** Why the pool gets no more addresses of these families for now. */
  failureOf(pool: string, families: readonly IpFamily[]): string | undefined {
    const failures = families.map((family) => this.#shortages.get(`${family} ${pool}`)?.failure?.message);
    return failures.find((message) => message !== undefined);
  }

  /** Gives back what no Service is on and no gateway serves: at the beginning, and whenever that may have changed. */
  clean(): void {
    const { allocator, guard, clock, isQuiet, requeue } = this.#options;
    void this.#reconsider();
    if (!isQuiet()) return;
    if (!this.#hasAbandoned) void this.#abandon();
    // A Service that waits for the other family gets both at once.
    const waitedFor = new Set(
      [...this.#shortages.values()].flatMap(({ pool, services }) => (services.size > 0 ? pool : [])),
    );
    const unused = allocator.unused().filter(({ pool }) => !waitedFor.has(pool));
    const known = allocator.size;
    const allowed = new Set(
      guard.allow(
        unused.map(({ id }) => id),
        known,
        clock.monotonic(),
      ),
    );
    for (const l2Port of unused) {
      if (!allowed.has(l2Port.id) || !allocator.retire(l2Port)) continue;
      this.#releasing.set(l2Port.id, l2Port);
      for (const service of allocator.concernedBy(l2Port)) requeue(service);
      void this.#release(l2Port);
    }
    if (guard.heldCount > 0) void this.#cleanLater();
  }

  /** What is held back goes when it was asked for long enough, though nothing else happens meanwhile. */
  async #cleanLater(): Promise<void> {
    const { clock, signal } = this.#options;
    if (this.#isAskedAgain) return;
    this.#isAskedAgain = true;
    await sleep(clock, HELD_MILLISECONDS, signal).catch(() => {});
    this.#isAskedAgain = false;
    if (!signal.aborted) this.clean();
  }

  /** The Service is to be let go, and is on these L2 ports until it is settled. */
  leave(service: ServiceKey, l2Ports: readonly L2Port[]): void {
    this.#leaving.set(service, [...new Set([...(this.#leaving.get(service) ?? []), ...l2Ports])]);
  }

  /** Whether a Service that leaves may be let go: what it was on alone is given back. */
  isClean(service: ServiceKey): boolean {
    const { allocator } = this.#options;
    const its = this.#leaving.get(service) ?? [];
    const isThere = (l2Port: L2Port) => allocator.has(l2Port) && !l2Port.stays && !allocator.isUsed(l2Port);
    // What a leader before us took off it, we do not know: then all that is being given back may have been its own.
    const mayBeIts = its.length === 0 ? [...this.#releasing.values()] : its.filter(({ id }) => this.#releasing.has(id));
    const mayBeBegun = its.length === 0 && this.#abandoning > 0;
    const isClean = mayBeIts.length === 0 && !mayBeBegun && !its.some(isThere);
    if (isClean) this.#leaving.delete(service);
    return isClean;
  }

  /**
   * What would help those that wait changes as addresses come, go and are taken: one that lacked both families may lack
   * one now, or the other. Resolves when all were looked at, which holds up no other work, however many they are.
   */
  #reconsider(): Promise<void> {
    if (this.#options.allocator.revision !== this.#reconsideredAt) this.#reconsidering ??= this.#reconsiderAll();
    return this.#reconsidering ?? Promise.resolve();
  }

  async #reconsiderAll(): Promise<void> {
    const { allocator, signal } = this.#options;
    await this.#slices.pause();
    // What changes meanwhile may concern those that were looked at first.
    while (allocator.revision !== this.#reconsideredAt && !signal.aborted) {
      this.#reconsideredAt = allocator.revision;
      for (const service of new Set([...this.#shortages.values()].flatMap(({ services }) => [...services]))) {
        if (this.#slices.isOver) await this.#slices.pause();
        if (allocator.mayNeedAnother(service)) this.#wantAnew(service);
      }
    }
    this.#reconsidering = undefined;
    if (!signal.aborted) this.clean();
  }

  #wantAnew(service: ServiceKey): void {
    const { allocator, requeue } = this.#options;
    const { pool = '', families = [] } = allocator.wouldHelp(service) ?? {};
    const isNews = (family: IpFamily) => this.#shortages.get(`${family} ${pool}`)?.services.has(service) !== true;
    const joined = families.filter(isNews);
    this.want(service, pool, families);
    // It is to be told why it still waits.
    if (this.failureOf(pool, joined) !== undefined) requeue(service);
  }

  #createMore(shortage: Shortage): void {
    while (shortage.underWay < Math.min(CREATED_AT_ONCE, shortage.services.size)) {
      shortage.underWay += 1;
      void this.#create(shortage);
    }
  }

  async #create(shortage: Shortage): Promise<void> {
    const { supply, allocator, requeue, startOver } = this.#options;
    const { pool, family, services } = shortage;
    const isWanted = () => services.size > 0;
    const made = await this.#repeat(
      `make an ${family} address in the pool ${pool}`,
      isWanted,
      (signal) => supply.create(pool, family, signal),
      (failure) => this.#tell(shortage, failure),
    );
    shortage.underWay -= 1;
    shortage.failure = undefined;
    if (made === undefined) return this.#abandon();
    // Another program deleted who had its address. It goes to the Services that show it, and to no other before.
    if (allocator.replaces(made)) return startOver();
    for (const service of allocator.add(made)) {
      services.delete(service);
      requeue(service);
    }
    for (const service of allocator.concernedBy(made)) requeue(service);
    // Whom it was made for may have gone: then it is of no use.
    if (!allocator.isUsed(made)) this.clean();
    await this.#reconsider();
    this.#createMore(shortage);
    if (shortage.underWay === 0) await this.#abandon();
  }

  /** Those that wait are told once: the text of the same refusal may name each request. */
  #tell(shortage: Shortage, failure: unknown): void {
    const code = codeOf(failure);
    if (shortage.failure?.code === code) return;
    shortage.failure = { code, message: messageOf(failure) };
    for (const service of shortage.services) this.#options.requeue(service);
  }

  /** What was begun for Services that are gone, or content, is of no use. */
  async #abandon(): Promise<void> {
    this.#hasAbandoned = true;
    this.#abandoning += 1;
    const isWanted = (pool: string, family: IpFamily) => {
      const { services, underWay } = this.#shortages.get(`${family} ${pool}`) ?? { services: new Set(), underWay: 0 };
      return services.size > 0 || underWay > 0;
    };
    await this.#repeat(
      'give back addresses that were begun',
      () => true,
      (signal) => this.#options.supply.abandon(isWanted, signal),
    );
    this.#abandoning -= 1;
    if (this.#options.signal.aborted) return;
    for (const service of this.#leaving.keys()) this.#options.requeue(service);
  }

  async #release(l2Port: L2Port): Promise<void> {
    const { supply, requeue } = this.#options;
    const what = `give back ${l2Port.ingress} of the pool ${l2Port.pool}`;
    await this.#repeat(
      what,
      () => true,
      (signal) => supply.release(l2Port, signal),
    );
    if (this.#options.signal.aborted) return;
    this.#releasing.delete(l2Port.id);
    for (const service of this.#leaving.keys()) requeue(service);
  }

  /** Tries until it is done, is no longer wanted, or we no longer lead. */
  async #repeat<Result>(
    what: string,
    isWanted: () => boolean,
    work: (signal: AbortSignal) => Promise<Result>,
    onFailure: (failure: unknown) => void = () => {},
  ): Promise<Result | undefined> {
    const { clock, random, logger, journal, signal } = this.#options;
    const backoff = new Backoff(random);
    while (!signal.aborted && isWanted()) {
      try {
        return await work(signal);
      } catch (failure) {
        if (signal.aborted) return undefined;
        logger.warn({ code: codeOf(failure), error: messageOf(failure) }, `could not ${what}: trying again`);
        journal.recordError('addresses', failure);
        onFailure(failure);
        await sleep(clock, backoff.next(), signal).catch(() => {});
      }
    }
    return undefined;
  }
}
