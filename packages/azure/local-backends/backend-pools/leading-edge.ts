import type { Clock, Timer } from '@fairlead/control';
import type { UpdaterSettings } from '../configuration.ts';
import type { PoolKey } from './local-services.ts';

/**
 * A change rarely comes alone: when one pod replaces another, the old one goes within half a second after the new one
 * is ready. What comes so soon after goes out with it, instead of waiting for an interval.
 */
const GATHER_MILLISECONDS = 600;
/** Pools that come due in the same slot are sent together: they take the locks once. */
const SLOT_MILLISECONDS = 500;

/** A pool that is to be sent. */
interface FollowedPool {
  /** From when on, on the monotonic clock. */
  readonly sendAt: number;
  /** Whether it was quiet before. */
  readonly isFirstChange: boolean;
  readonly isSent: boolean;
}

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
  readonly #followed = new Map<PoolKey, FollowedPool>();
  #send: (() => void) | undefined;
  #timer: { readonly at: number; readonly timer: Timer } | undefined;

  constructor(clock: Clock, settings: UpdaterSettings) {
    this.#clock = clock;
    this.#settings = settings;
  }

  /** Whether the pool was not tried for a whole interval, and its time has come. */
  isDue(pool: PoolKey): boolean {
    const earliest = this.#followed.get(pool)?.sendAt ?? 0;
    return Math.max(earliest, this.#dueAt(pool)) <= this.#clock.monotonic();
  }

  isFirstChange(pool: PoolKey): boolean {
    return this.#followed.get(pool)?.isFirstChange ?? false;
  }

  /** The pool is tried now. */
  tried(pool: PoolKey): void {
    if (!this.#settings.leadingEdge) return;
    this.#triedAt.set(pool, this.#clock.monotonic());
    this.#followed.delete(pool);
  }

  /** Forgets when quiet pools were tried, and those that nothing waits for any more. */
  forget(isWaitedFor: (pool: PoolKey) => boolean): void {
    const now = this.#clock.monotonic();
    for (const pool of this.#triedAt.keys()) if (this.#dueAt(pool) <= now) this.#triedAt.delete(pool);
    for (const pool of this.#followed.keys()) if (!isWaitedFor(pool)) this.#followed.delete(pool);
  }

  /**
   * Has the pool sent as soon as it is due, but not before `earliest`; before `start`, when that was called. Gives the
   * time, or undefined where the tick decides.
   */
  follow(pool: PoolKey, earliest = 0): number | undefined {
    if (!this.#settings.leadingEdge) return undefined;
    const now = this.#clock.monotonic();
    const dueAt = Math.max(this.#dueAt(pool), earliest);
    const sendAt = Math.max(now + GATHER_MILLISECONDS, Math.ceil(dueAt / SLOT_MILLISECONDS) * SLOT_MILLISECONDS);
    this.#followed.set(pool, { sendAt, isFirstChange: dueAt <= now, isSent: false });
    this.#wakeAt(sendAt);
    return sendAt;
  }

  /** Has `send` called whenever a pool is due. */
  start(send: () => void): void {
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

  /** Sets the timer to when the next pool is to be sent. */
  #wake(): void {
    const times = [...this.#followed.values()].flatMap(({ sendAt, isSent }) => (isSent ? [] : [sendAt]));
    if (times.length > 0) this.#wakeAt(Math.min(...times));
  }

  /** Unless it comes earlier anyway. */
  #wakeAt(at: number): void {
    if (this.#send === undefined || (this.#timer !== undefined && this.#timer.at <= at)) return;
    this.#timer?.timer.cancel();
    const timer = this.#clock.setTimer(Math.max(0, at - this.#clock.monotonic()), () => {
      this.#timer = undefined;
      this.#sendDue();
      this.#wake();
    });
    this.#timer = { at, timer };
  }

  #sendDue(): void {
    const now = this.#clock.monotonic();
    const due = [...this.#followed].filter(([, { sendAt, isSent }]) => !isSent && sendAt <= now);
    for (const [pool, followed] of due) this.#followed.set(pool, { ...followed, isSent: true });
    if (due.length > 0) this.#send?.();
  }
}
