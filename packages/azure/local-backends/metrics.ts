import type { MetricDefinition } from '@fairlead/control';

export const operationsTotal: MetricDefinition = {
  name: 'fairlead_azure_local_operations_total',
  kind: 'counter',
  help: 'Operations that ended, by result; attempts that are repeated are not counted.',
  labels: ['prefix', 'request', 'result'],
};

export const operationSeconds: MetricDefinition = {
  name: 'fairlead_azure_local_operation_seconds',
  kind: 'histogram',
  help: 'How long the attempt took with which an operation ended.',
  labels: ['prefix', 'request'],
  buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
};

export const retriesTotal: MetricDefinition = {
  name: 'fairlead_azure_local_update_retries_total',
  kind: 'counter',
  help: 'Attempts to update a backend pool that failed and are repeated, by the stable code of the error.',
  labels: ['code'],
};

export const operationsWaiting: MetricDefinition = {
  name: 'fairlead_azure_local_operations_waiting',
  kind: 'gauge',
  help: 'Operations that wait for the updater of backend pools.',
};

export const endpointProgrammingSeconds: MetricDefinition = {
  name: 'fairlead_azure_local_endpoint_programming_seconds',
  kind: 'histogram',
  help: 'From a change of the nodes that serve a Service until its backend pool has it.',
  buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 900],
};

export const servicesByOutcome: MetricDefinition = {
  name: 'fairlead_azure_local_services',
  kind: 'gauge',
  help: 'Services of the class, by what was decided for them.',
  labels: ['outcome'],
};

export const driftTotal: MetricDefinition = {
  name: 'fairlead_azure_local_drift_total',
  kind: 'counter',
  help: 'Things in Azure that were found changed by another program, by what they are.',
  labels: ['what'],
};

export const heldDeletions: MetricDefinition = {
  name: 'fairlead_azure_local_held_deletions',
  kind: 'gauge',
  isBrake: true,
  help: 'Leftovers whose deletion is held back because there are suspiciously many of them.',
};

export const localBackendsMetrics: readonly MetricDefinition[] = [
  operationsTotal,
  operationSeconds,
  retriesTotal,
  operationsWaiting,
  endpointProgrammingSeconds,
  servicesByOutcome,
  driftTotal,
  heldDeletions,
];
