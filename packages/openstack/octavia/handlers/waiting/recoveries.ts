import type { Clock } from '@fairlead/control';
import type { Again } from '@fairlead/kube';

/** Between two attempts to make a load balancer anew that ends in ERROR: twice as long each time. */
const FIRST_MILLISECONDS = 30_000;
const LONGEST_MILLISECONDS = 1_800_000;

/** How often a load balancer was made anew, and when it may be again. */
interface Recovery {
  readonly count: number;
  readonly notBefore: number;
}

/** Load balancers that ended in ERROR, and are made anew ever less often. */
export class Recoveries {
  readonly #clock: Clock;
  readonly #recoveries = new Map<string, Recovery>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Undefined when it may be made anew now; else when. */
  again(key: string): Again | undefined {
    const now = this.#clock.monotonic();
    const { count, notBefore } = this.#recoveries.get(key) ?? { count: 0, notBefore: now };
    if (now < notBefore) return { afterMilliseconds: notBefore - now };
    const pause = Math.min(FIRST_MILLISECONDS * 2 ** count, LONGEST_MILLISECONDS);
    this.#recoveries.set(key, { count: count + 1, notBefore: now + pause });
    return undefined;
  }

  /** It is as it should be, or gone. */
  over(key: string): void {
    this.#recoveries.delete(key);
  }
}
