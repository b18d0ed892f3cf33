import type { MetricDefinition, Metrics } from '@fairlead/control';

/** How many objects have which outcome, kept in a gauge with the label `outcome`. A change costs O(1). */
export class OutcomeCounts<Outcome extends string> {
  readonly #metrics: Metrics;
  readonly #gauge: MetricDefinition;
  readonly #outcomes = new Map<string, Outcome>();
  readonly #counts = new Map<Outcome, number>();

  constructor(metrics: Metrics, gauge: MetricDefinition) {
    this.#metrics = metrics;
    this.#gauge = gauge;
  }

  get(key: string): Outcome | undefined {
    return this.#outcomes.get(key);
  }

  /** Undefined: it is no longer ours to count. */
  set(key: string, outcome: Outcome | undefined): void {
    const before = this.#outcomes.get(key);
    if (before === outcome) return;
    if (outcome === undefined) this.#outcomes.delete(key);
    else this.#outcomes.set(key, outcome);
    this.#count(before, -1);
    this.#count(outcome, 1);
  }

  #count(outcome: Outcome | undefined, by: 1 | -1): void {
    if (outcome === undefined) return;
    const count = (this.#counts.get(outcome) ?? 0) + by;
    this.#counts.set(outcome, count);
    this.#metrics.set(this.#gauge, count, { outcome });
  }
}
