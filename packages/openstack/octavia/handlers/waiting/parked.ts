import { type Clock, verdictOf } from '@fairlead/control';
import type { Again } from '@fairlead/kube';
import { problemIn } from '../../../client/index.ts';
import type { KuryrLoadBalancer } from '../../resource/types.ts';

/** A quota is raised, or something else is deleted, by people. */
const QUOTA_MILLISECONDS = 600_000;
/** What does not exist may be created, and what is taken may become free. */
const REFUSED_MILLISECONDS = 300_000;

interface Parked {
  readonly spec: string;
  readonly until: number;
}

/** What failed for a reason that people have to put right: it waits, unless the resource changes. */
export class ParkedResources {
  readonly #clock: Clock;
  readonly #parked = new Map<string, Parked>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Telling of a failure changes the status, and that is no reason to try again. */
  failed(key: string, { spec }: KuryrLoadBalancer, error: unknown): void {
    const isQuota = problemIn(error) === 'quota';
    if (!isQuota && verdictOf(error) !== 'terminal') return;
    const until = this.#clock.monotonic() + (isQuota ? QUOTA_MILLISECONDS : REFUSED_MILLISECONDS);
    this.#parked.set(key, { spec: JSON.stringify(spec), until });
  }

  /** Undefined when it does not wait, or no longer; else when its turn comes. */
  again(key: string, { spec }: KuryrLoadBalancer): Again | undefined {
    const parked = this.#parked.get(key);
    if (parked === undefined) return undefined;
    if (parked.spec !== JSON.stringify(spec)) {
      // What is tried now may leave something behind that goes only when this is tried again.
      this.#parked.delete(key);
      return undefined;
    }
    const afterMilliseconds = parked.until - this.#clock.monotonic();
    return afterMilliseconds > 0 ? { afterMilliseconds } : undefined;
  }

  over(key: string): void {
    this.#parked.delete(key);
  }
}
