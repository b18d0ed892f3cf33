/** Label names are declared once, with the metric; their values must come from a bounded set. */
export interface MetricDefinition {
  readonly name: string;
  readonly kind: 'counter' | 'gauge' | 'histogram';
  /** One sentence; it becomes the HELP line and the row in docs/metrics.md. */
  readonly help: string;
  readonly labels?: readonly string[];
  /** It counts what a brake holds back: above 0, an operator has to look. */
  readonly isBrake?: true;
  /** Upper bounds, for a histogram. */
  readonly buckets?: readonly number[];
}

export type MetricLabels = Readonly<Record<string, string>>;

/**
 * Where measurements go. One method for each kind; a definition is registered on first use, so that a part needs
 * no set-up and a metric without a value is still listed once it was declared.
 */
export interface Metrics {
  /** Makes the metric appear, with no value yet. */
  declare(definition: MetricDefinition): void;
  /** Counters only. */
  increment(definition: MetricDefinition, labels?: MetricLabels, by?: number): void;
  /** Gauges only. */
  set(definition: MetricDefinition, value: number, labels?: MetricLabels): void;
  /** Histograms only. */
  observe(definition: MetricDefinition, value: number, labels?: MetricLabels): void;
}

/** Forgets everything: for code whose measurements are not wanted. */
export const noMetrics: Metrics = { declare() {}, increment() {}, set() {}, observe() {} };
