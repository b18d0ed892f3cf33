import { callMetrics } from '@fairlead/cloud';
import type { MetricDefinition } from '@fairlead/control';

export const openStackCalls = callMetrics(
  'fairlead_openstack_calls_total',
  'fairlead_openstack_call_seconds',
  'OpenStack',
);

export const openStackMetrics: readonly MetricDefinition[] = Object.values(openStackCalls);
