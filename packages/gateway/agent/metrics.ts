import type { MetricDefinition } from '@fairlead/control';

export const configurations: MetricDefinition = {
  name: 'fairlead_gateway_agent_configurations_total',
  kind: 'counter',
  help: 'Configurations that a controller sent, by what became of them.',
  labels: ['result'],
};

export const repairs: MetricDefinition = {
  name: 'fairlead_gateway_agent_repairs_total',
  kind: 'counter',
  help: 'How often the table was loaded again because another program had changed it.',
};

export const heldAddresses: MetricDefinition = {
  name: 'fairlead_gateway_agent_held_addresses',
  kind: 'gauge',
  help: 'Addresses that are on this gateway at the moment.',
};

export const applySeconds: MetricDefinition = {
  name: 'fairlead_gateway_agent_apply_seconds',
  kind: 'histogram',
  help: 'How long a configuration took to be applied.',
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 20, 60],
};

export const gatewayAgentMetrics: readonly MetricDefinition[] = [configurations, repairs, heldAddresses, applySeconds];
