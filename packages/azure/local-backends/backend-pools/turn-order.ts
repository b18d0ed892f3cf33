import type { PoolKey } from './local-services.ts';

/** A pool that could be tried now. */
export interface WaitingPool {
  readonly pool: PoolKey;
  /** On the monotonic clock: since when it is out of step. */
  readonly since: number;
  /** Whether it was quiet until then. */
  readonly isFirstChange: boolean;
}

/**
 * How much more the wait of a first change counts. One that changes all the time waits for half the time between two
 * writes on average, a first change for all of it: with this, both wait for about as long. More would leave too few
 * writes for the others when Azure is slow, as each first change that goes ahead is one write more.
 */
const FIRST_CHANGE_WEIGHT = 2;
/** Another component that waits for the lock gets it after this time, and the writes that are under way. */
const TURN_MILLISECONDS = 30_000;
/** The Lease of the lock is given back so often even when no other component is seen to wait for it. */
const LONGEST_TURN_MILLISECONDS = 300_000;

/** The one that is tried first: the one that has waited longest, the wait of a first change counting more. */
export function nextPool(pools: readonly WaitingPool[], now: number): PoolKey | undefined {
  let first: WaitingPool | undefined;
  for (const pool of pools) if (first === undefined || weight(pool, now) > weight(first, now)) first = pool;
  return first?.pool;
}

function weight({ since, isFirstChange }: WaitingPool, now: number): number {
  return (now - since) * (isFirstChange ? FIRST_CHANGE_WEIGHT : 1);
}

/** Whether a turn that has lasted so long may begin with another pool. */
export function mayGoOn(lastedMilliseconds: number, othersWait: boolean): boolean {
  return lastedMilliseconds < (othersWait ? TURN_MILLISECONDS : LONGEST_TURN_MILLISECONDS);
}
