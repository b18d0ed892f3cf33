import type { Clock, Timer } from '@fairlead/control';
import type { UpdaterSettings } from './configuration.ts';
import type { PoolKey } from './local-services.ts';

/** A change rarely comes alone: those that come so soon after the first go out with it. */
const GATHER_MILLISECONDS = 100;

/**
 * Knows which pools are quiet, and has the first change of such a pool sent without waiting for the tick. Whatever
 * follows within an interval is left to the ticks, so that a pool costs no more calls than without it.
 */
export class LeadingEdge {
  readonly #clock: Clock;
  readonly #settings: UpdaterSettings;
  /** Pool -> when it was last tried, on the monotonic clock; none for one that is quiet. */
  readonly #triedAt = new Map<PoolKey, number>();
  /** Pools that were quiet, and are no longer. */
  readonly #leading = new Set<PoolKey>();
  #send: ((pools: ReadonlySet<PoolKey>) => void) | undefined;
  #timer: Timer | undefined;

  constructor(clock: Clock, settings: UpdaterSettings) {
    this.#clock = clock;
    this.#settings = settings;
  }

  /** Whether the pool was not tried for a whole interval. */
  isQuiet(pool: PoolKey): boolean {
    const { leadingEdge, intervalMilliseconds } = this.#settings;
    const triedAt = this.#triedAt.get(pool) ?? Number.NEGATIVE_INFINITY;
    return leadingEdge && this.#clock.monotonic() - triedAt >= intervalMilliseconds;
  }

  /** The pool is tried now. */
  tried(pool: PoolKey): void {
    if (this.#settings.leadingEdge) this.#triedAt.set(pool, this.#clock.monotonic());
  }

  forgetQuietPools(): void {
    for (const pool of this.#triedAt.keys()) if (this.isQuiet(pool)) this.#triedAt.delete(pool);
  }

  /** Has the pool sent soon; before `start`, as soon as that was called. */
  lead(pool: PoolKey): void {
    this.#leading.add(pool);
    this.#schedule();
  }

  start(send: (pools: ReadonlySet<PoolKey>) => void): void {
    this.#send = send;
    this.#schedule();
  }

  stop(): void {
    this.#send = undefined;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #schedule(): void {
    if (this.#send === undefined || this.#timer !== undefined || this.#leading.size === 0) return;
    this.#timer = this.#clock.setTimer(GATHER_MILLISECONDS, () => {
      this.#timer = undefined;
      const pools = new Set(this.#leading);
      this.#leading.clear();
      this.#send?.(pools);
    });
  }
}
