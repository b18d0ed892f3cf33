import type { Clock } from '@fairlead/control';
import { compareResourceVersions, type KubeObject, keyText } from '@fairlead/kube';
import type { Place, Write } from '../decision/write.ts';

/** A cache that is further behind than this is not waited for: what is written then may be refused, and is tried again. */
const PATIENCE_MILLISECONDS = 10_000;

interface Expected {
  readonly write: Write;
  /** As the server answered; undefined after a deletion. */
  readonly answer: KubeObject | undefined;
  readonly until: number;
}

/** Finds the object in a cache: `member` or `broker`, the plural of its kind, and its key. */
export type Lookup = (at: Place, plural: string, key: string) => KubeObject | undefined;

/** What was written and the caches have not shown yet: until then, a decision would write the same once more. */
export class Expectations {
  readonly #clock: Clock;
  readonly #lookup: Lookup;
  readonly #expected = new Map<string, readonly Expected[]>();

  constructor(clock: Clock, lookup: Lookup) {
    this.#clock = clock;
    this.#lookup = lookup;
  }

  note(key: string, write: Write, answer: KubeObject | undefined): void {
    const until = this.#clock.monotonic() + PATIENCE_MILLISECONDS;
    this.#expected.set(key, [...(this.#expected.get(key) ?? []), { write, answer, until }]);
  }

  /** Milliseconds until it is no longer waited for; 0 when the caches show all that was written for the key. */
  waitsFor(key: string): number {
    const now = this.#clock.monotonic();
    const left = (this.#expected.get(key) ?? []).filter((one) => one.until > now && !this.#isSeen(one));
    if (left.length === 0) this.#expected.delete(key);
    else this.#expected.set(key, left);
    return Math.max(0, ...left.map(({ until }) => until - now));
  }

  #isSeen({ write, answer }: Expected): boolean {
    const { at, resource, object } = write;
    const cached = this.#lookup(at, resource.plural, keyText(object.metadata));
    if (answer === undefined) {
      return (
        cached === undefined ||
        cached.metadata.uid !== object.metadata.uid ||
        cached.metadata.deletionTimestamp !== undefined
      );
    }
    if (cached === undefined) return false;
    const { resourceVersion: seen = '' } = cached.metadata;
    return (compareResourceVersions(seen, answer.metadata.resourceVersion ?? '') ?? 0) >= 0;
  }
}
