import { callMetrics } from '@fairlead/cloud';
import type { MetricDefinition } from '@fairlead/control';

export const armCalls = callMetrics(
  'fairlead_azure_arm_calls_total',
  'fairlead_azure_arm_call_seconds',
  'Azure Resource Manager',
);

export const operationSeconds: MetricDefinition = {
  name: 'fairlead_azure_arm_operation_seconds',
  kind: 'histogram',
  help: 'How long Azure was at a write after it had accepted it, by verb and kind of resource.',
  labels: ['verb', 'kind'],
  buckets: [0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
};

export const armMetrics: readonly MetricDefinition[] = [...Object.values(armCalls), operationSeconds];
