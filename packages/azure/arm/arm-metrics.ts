import type { MetricDefinition } from '@fairlead/control';
import type { ArmError } from './arm-error.ts';

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

/** The ways in which a request may end, as metrics count them. */
export type CallResult =
  | 'ok'
  | 'not-found'
  | 'conflict'
  | 'throttled'
  | 'busy'
  | 'unauthorized'
  | 'refused'
  | 'server-error'
  | 'no-answer';

export function resultOf({ status, isThrottling }: Pick<ArmError, 'status' | 'isThrottling'>): CallResult {
  if (status === 404) return 'not-found';
  if (status === 409 || status === 412) return 'conflict';
  if (status === 429) return isThrottling ? 'throttled' : 'busy';
  if (status === 401 || status === 403) return 'unauthorized';
  return status >= 500 || status === 408 ? 'server-error' : 'refused';
}
