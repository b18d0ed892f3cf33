import { CONFIRM_AFTER_MILLISECONDS, type Clock } from '@fairlead/control';
import { DeletionGuard, type DeletionGuardOptions } from '@fairlead/part';
import { withdrawalsHeld } from './metrics.ts';
import type { View } from './view.ts';
import { ALL, brakeOf } from './withdrawal-brake.ts';

/** What would go within this time is judged together. */
const GATHER_MILLISECONDS = 1_000;

export interface WithdrawalsOptions extends Omit<DeletionGuardOptions, 'brake' | 'gauge' | 'labels' | 'signal'> {
  readonly view: Pick<View, 'importCount' | 'imports'>;
  /** Has an import looked at again that was held back, when an operator lets it go. */
  readonly requeue: (key: string) => void;
}

/**
 * The brake on imports that would lose clusters, seen one at a time: of each cluster, so that one that exports little
 * beside others is not lost unnoticed, and one that withdraws much holds up no other; then of all of them together.
 */
export class Withdrawals {
  readonly #options: WithdrawalsOptions;
  readonly #brakes = new Map<string, GatheringBrake>();

  constructor(options: WithdrawalsOptions) {
    this.#options = options;
    options.releases?.onRelease(() => {
      for (const brake of this.#brakes.values()) for (const key of brake.held) options.requeue(key);
    });
  }

  /** How long the import has to keep the clusters that it would lose; 0: it may lose them now. */
  waitsFor(key: string, clusters: ReadonlySet<string>): number {
    for (const [of, brake] of this.#brakes) {
      if (clusters.has(of) || (of === ALL && clusters.size > 0)) continue;
      brake.settle(key);
      if (!brake.isIdle) continue;
      brake.discard();
      this.#brakes.delete(of);
    }
    if (clusters.size === 0) return 0;
    const { view } = this.#options;
    const waits = [...clusters].map((cluster) => this.#brake(cluster).waitsFor(key, view.importCount(cluster)));
    const longest = Math.max(...waits);
    if (longest > 0) return longest;
    // What was confirmed once need not be once more.
    const isConfirmed = [...clusters].some((cluster) => this.#brake(cluster).hasHeld(key));
    return isConfirmed ? 0 : this.#brake(ALL).waitsFor(key, view.imports);
  }

  #brake(of: string): GatheringBrake {
    const known = this.#brakes.get(of);
    if (known !== undefined) return known;
    const created = new GatheringBrake({
      ...this.#options,
      brake: brakeOf(of),
      gauge: withdrawalsHeld,
      labels: { of },
    });
    this.#brakes.set(of, created);
    return created;
  }
}

/** Judges together what is asked for within a second, one key at a time. */
class GatheringBrake {
  readonly #clock: Clock;
  readonly #guard: DeletionGuard<string>;
  /** Key -> since when it is asked for. */
  readonly #asked = new Map<string, number>();
  readonly #held = new Set<string>();
  readonly #discarded = new AbortController();

  constructor(options: DeletionGuardOptions) {
    this.#clock = options.clock;
    this.#guard = new DeletionGuard({ ...options, signal: this.#discarded.signal });
  }

  waitsFor(key: string, knownCount: number): number {
    const now = this.#clock.monotonic();
    const since = this.#asked.get(key) ?? now;
    this.#asked.set(key, since);
    if (now - since < GATHER_MILLISECONDS) return since + GATHER_MILLISECONDS - now;
    if (this.#guard.allow([...this.#asked.keys()], knownCount, now).includes(key)) return 0;
    this.#held.add(key);
    return CONFIRM_AFTER_MILLISECONDS;
  }

  /** It is not asked for any more. */
  settle(key: string): void {
    this.#held.delete(key);
    if (this.#asked.delete(key) && this.#asked.size === 0) this.#guard.allow([], 0, this.#clock.monotonic());
  }

  /** Whether it had to wait before it was let through. */
  hasHeld(key: string): boolean {
    return this.#held.has(key);
  }

  get held(): Iterable<string> {
    return this.#held;
  }

  get isIdle(): boolean {
    return this.#asked.size === 0;
  }

  /** It is not used again. */
  discard(): void {
    this.#discarded.abort();
  }
}
