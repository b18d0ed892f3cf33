import type { MetricDefinition } from '@fairlead/control';

export const callsTotal: MetricDefinition = {
  name: 'fairlead_openstack_calls_total',
  kind: 'counter',
  help: 'Requests to the services of OpenStack, by verb, kind of resource and result.',
  labels: ['verb', 'kind', 'result'],
};

export const callSeconds: MetricDefinition = {
  name: 'fairlead_openstack_call_seconds',
  kind: 'histogram',
  help: 'How long OpenStack took to answer a request, by verb and kind of resource.',
  labels: ['verb', 'kind'],
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
};

export const openStackMetrics: readonly MetricDefinition[] = [callsTotal, callSeconds];
