import type { Clock, Timer } from '@fairlead/control';
import type { UpdaterSettings } from '../configuration.ts';
import type { PoolKey } from './local-services.ts';

/** A change rarely comes alone, as when one pod replaces another: those that come so soon after go out with it. */
const GATHER_MILLISECONDS = 300;
/** Pools that come due in the same slot are sent together: they take the locks once. */
const SLOT_MILLISECONDS = 500;

/**
 * Gives each pool an interval of its own, which begins with an attempt: the first change of a quiet pool is sent at
 * once, and whatever follows is sent when the interval is over. So a change waits no longer than on a common tick, and
 * no pool is tried twice within an interval. Does nothing when it is switched off.
 */
export class LeadingEdge {
  readonly #clock: Clock;
  readonly #settings: UpdaterSettings;
  /** Pool -> when it was last tried, on the monotonic clock; none for one that is quiet. */
  readonly #triedAt = new Map<PoolKey, number>();
  /** Pools that are to be sent -> from when on they may be. */
  readonly #waiting = new Map<PoolKey, number>();
  #send: ((pools: ReadonlySet<PoolKey>) => void) | undefined;
  #timer: { readonly at: number; readonly timer: Timer } | undefined;

  constructor(clock: Clock, settings: UpdaterSettings) {
    this.#clock = clock;
    this.#settings = settings;
  }

  /** Whether the pool was not tried for a whole interval. */
  isDue(pool: PoolKey): boolean {
    return this.#dueAt(pool) <= this.#clock.monotonic();
  }

  /** The pool is tried now. */
  tried(pool: PoolKey): void {
    if (this.#settings.leadingEdge) this.#triedAt.set(pool, this.#clock.monotonic());
  }

  forgetQuietPools(): void {
    for (const pool of this.#triedAt.keys()) if (this.isDue(pool)) this.#triedAt.delete(pool);
  }

  /**
   * Has the pool sent as soon as it is due, but not before `earliest`; before `start`, when that was called. Gives the
   * time, or undefined where the tick decides.
   */
  follow(pool: PoolKey, earliest = 0): number | undefined {
    if (!this.#settings.leadingEdge) return undefined;
    const dueAt = Math.max(this.#dueAt(pool), earliest);
    this.#waiting.set(pool, dueAt);
    this.#wake();
    return this.#sendAt(dueAt);
  }

  start(send: (pools: ReadonlySet<PoolKey>) => void): void {
    this.#send = send;
    this.#wake();
  }

  stop(): void {
    this.#send = undefined;
    this.#timer?.timer.cancel();
    this.#timer = undefined;
  }

  #dueAt(pool: PoolKey): number {
    const triedAt = this.#triedAt.get(pool);
    return triedAt === undefined ? 0 : triedAt + this.#settings.intervalMilliseconds;
  }

  #sendAt(dueAt: number): number {
    const soon = this.#clock.monotonic() + GATHER_MILLISECONDS;
    return Math.max(soon, Math.ceil(dueAt / SLOT_MILLISECONDS) * SLOT_MILLISECONDS);
  }

  /** Sets the timer to when the next pool is to be sent, unless it comes earlier anyway. */
  #wake(): void {
    if (this.#send === undefined || this.#waiting.size === 0) return;
    const at = this.#sendAt(Math.min(...this.#waiting.values()));
    if (this.#timer !== undefined && this.#timer.at <= at) return;
    this.#timer?.timer.cancel();
    const timer = this.#clock.setTimer(at - this.#clock.monotonic(), () => {
      this.#timer = undefined;
      this.#sendDue();
      this.#wake();
    });
    this.#timer = { at, timer };
  }

  #sendDue(): void {
    const now = this.#clock.monotonic();
    const pools = new Set([...this.#waiting].flatMap(([pool, dueAt]) => (dueAt <= now ? [pool] : [])));
    for (const pool of pools) this.#waiting.delete(pool);
    if (pools.size > 0) this.#send?.(pools);
  }
}
