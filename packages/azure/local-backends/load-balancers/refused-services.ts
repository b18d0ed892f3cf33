import { type Clock, FairleadError, jitter, messageOf, type Random, codeOf, verdictOf } from '@fairlead/control';
import type { Service } from '@fairlead/kube';
import { type ServiceKey, serviceKey } from '@fairlead/service';

/** A Service that is refused is tried again after this, and then each time that it has waited for twice as long. */
const SHORTEST_WAIT_MILLISECONDS = 300_000;
const LONGEST_WAIT_MILLISECONDS = 1_800_000;
/** Those that were refused together come back apart: alone, each costs one write. */
const SPREAD = 0.1;

interface Refused {
  readonly version: string | undefined;
  /** On the monotonic clock. */
  readonly since: number;
}

/**
 * Services that Azure refuses for what they ask for themselves. Each attempt is a write, and whoever makes many of them
 * would use up those of all others: while nothing about one changes, it is tried ever more seldom.
 */
export class RefusedServices {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #random: Random;
  readonly #refused = new Map<ServiceKey, Refused>();

  constructor(clock: Pick<Clock, 'monotonic'>, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  has(key: ServiceKey): boolean {
    return this.#refused.has(key);
  }

  /** Notes a refusal; gives it with the time after which to try again. */
  add({ metadata }: Service, error: unknown): FairleadError {
    const key = serviceKey(metadata);
    const { resourceVersion: version } = metadata;
    const now = this.#clock.monotonic();
    const known = this.#refused.get(key);
    const since = known?.version === version ? (known?.since ?? now) : now;
    this.#refused.set(key, { version, since });
    const wait = Math.min(Math.max(now - since, SHORTEST_WAIT_MILLISECONDS), LONGEST_WAIT_MILLISECONDS);
    const retryAfterMilliseconds = jitter(this.#random, wait, SPREAD);
    const details = { verdict: verdictOf(error), code: codeOf(error), cause: error };
    return new FairleadError(messageOf(error), { ...details, retryAfterMilliseconds });
  }

  delete(key: ServiceKey): void {
    this.#refused.delete(key);
  }
}
