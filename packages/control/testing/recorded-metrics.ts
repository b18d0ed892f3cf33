import type { MetricDefinition, MetricLabels, Metrics } from '../report/metrics.ts';

/** Metrics that can be asked what they were told. */
export class RecordedMetrics implements Metrics {
  readonly declared: MetricDefinition[] = [];
  readonly #values = new Map<string, number[]>();

  declare(definition: MetricDefinition): void {
    this.declared.push(definition);
  }

  increment(definition: MetricDefinition, labels: MetricLabels = {}, by = 1): void {
    this.#add(definition, labels, by);
  }

  set(definition: MetricDefinition, value: number, labels: MetricLabels = {}): void {
    this.#add(definition, labels, value);
  }

  observe(definition: MetricDefinition, value: number, labels: MetricLabels = {}): void {
    this.#add(definition, labels, value);
  }

  /** Everything told to a metric, as `label label value`. */
  lines({ name }: MetricDefinition): readonly string[] {
    return [...this.#values].flatMap(([key, values]) =>
      key.startsWith(`${name} `)
        ? [`${key.slice(name.length + 1)} ${values.reduce((sum, value) => sum + value, 0)}`]
        : [],
    );
  }

  #add({ name }: MetricDefinition, labels: MetricLabels, value: number): void {
    const key = `${name} ${Object.values(labels).join(' ')}`;
    this.#values.set(key, [...(this.#values.get(key) ?? []), value]);
  }
}
