import type { MetricDefinition } from '@fairlead/control';

export const callsTotal: MetricDefinition = {
  name: 'fairlead_azure_arm_calls_total',
  kind: 'counter',
  help: 'Requests to Azure Resource Manager, by verb, kind of resource and result.',
  labels: ['verb', 'kind', 'result'],
};

export const callSeconds: MetricDefinition = {
  name: 'fairlead_azure_arm_call_seconds',
  kind: 'histogram',
  help: 'How long Azure Resource Manager took to answer a request, by verb and kind of resource.',
  labels: ['verb', 'kind'],
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
};

export const operationSeconds: MetricDefinition = {
  name: 'fairlead_azure_arm_operation_seconds',
  kind: 'histogram',
  help: 'How long Azure was at a write after it had accepted it, by verb and kind of resource.',
  labels: ['verb', 'kind'],
  buckets: [0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
};

export const armMetrics: readonly MetricDefinition[] = [callsTotal, callSeconds, operationSeconds];
