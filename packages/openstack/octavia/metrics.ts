import type { MetricDefinition } from '@fairlead/control';

export const writesTotal: MetricDefinition = {
  name: 'fairlead_octavia_writes_total',
  kind: 'counter',
  help: 'Writes to Services and their resources, by step and result.',
  labels: ['step', 'result'],
};

export const leftoversHeld: MetricDefinition = {
  name: 'fairlead_octavia_leftovers_held',
  kind: 'gauge',
  isBrake: true,
  help: 'Load balancers that no Service stands behind, not deleted yet because they are too many at once.',
};

export const octaviaMetrics: readonly MetricDefinition[] = [writesTotal, leftoversHeld];
