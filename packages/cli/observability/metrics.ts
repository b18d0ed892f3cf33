import type { MetricDefinition, MetricLabels, Metrics } from '@fairlead/control';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export const buildInfo: MetricDefinition = {
  name: 'fairlead_build_info',
  kind: 'gauge',
  help: 'Always 1; its labels say which version runs, on which Node.',
  labels: ['version', 'node'],
};

type Instrument = Counter | Gauge | Histogram;

/** The facade over prom-client: the only file that knows it. */
export class PrometheusMetrics implements Metrics {
  readonly #registry = new Registry();
  readonly #instruments = new Map<string, Instrument>();

  /** Those of the process: memory, processor, the event loop. */
  observeProcess(): void {
    collectDefaultMetrics({ register: this.#registry });
  }

  declare(definition: MetricDefinition): void {
    this.#instrument(definition);
  }

  increment(definition: MetricDefinition, labels: MetricLabels = {}, by = 1): void {
    const instrument = this.#instrument(definition);
    if (instrument instanceof Counter) instrument.inc(labels, by);
  }

  set(definition: MetricDefinition, value: number, labels: MetricLabels = {}): void {
    const instrument = this.#instrument(definition);
    if (instrument instanceof Gauge) instrument.set(labels, value);
  }

  observe(definition: MetricDefinition, value: number, labels: MetricLabels = {}): void {
    const instrument = this.#instrument(definition);
    if (instrument instanceof Histogram) instrument.observe(labels, value);
  }

  /** Everything, in the Prometheus text format. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  #instrument(definition: MetricDefinition): Instrument {
    const known = this.#instruments.get(definition.name);
    if (known !== undefined) return known;
    const settings = {
      name: definition.name,
      help: definition.help,
      labelNames: [...(definition.labels ?? [])],
      registers: [this.#registry],
    };
    const made = make(definition, settings);
    this.#instruments.set(definition.name, made);
    return made;
  }
}

interface Settings {
  readonly name: string;
  readonly help: string;
  readonly labelNames: string[];
  readonly registers: Registry[];
}

function make(definition: MetricDefinition, settings: Settings): Instrument {
  switch (definition.kind) {
    case 'counter':
      return new Counter(settings);
    case 'gauge':
      return new Gauge(settings);
    case 'histogram':
      return new Histogram({ ...settings, ...(definition.buckets ? { buckets: [...definition.buckets] } : {}) });
  }
}
