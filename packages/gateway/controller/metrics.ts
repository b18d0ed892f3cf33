import type { MetricDefinition } from '@fairlead/control';

export const servicesByOutcome: MetricDefinition = {
  name: 'fairlead_gateway_services',
  kind: 'gauge',
  help: 'Services of the gateway class, by what was decided for them.',
  labels: ['outcome'],
};

export const poolAddresses: MetricDefinition = {
  name: 'fairlead_gateway_pool_addresses',
  kind: 'gauge',
  help: 'Addresses in the pool, by family.',
  labels: ['family'],
};

export const stepsWritten: MetricDefinition = {
  name: 'fairlead_gateway_steps_total',
  kind: 'counter',
  help: 'Writes to Services, by step and result.',
  labels: ['step', 'result'],
};

export const withdrawalsHeld: MetricDefinition = {
  name: 'fairlead_gateway_withdrawals_held',
  kind: 'gauge',
  isBrake: true,
  help: 'Services whose address would go, held back because too many would go at once.',
};

export const addressesHeld: MetricDefinition = {
  name: 'fairlead_gateway_addresses_held',
  kind: 'gauge',
  isBrake: true,
  help: 'Addresses that no Service is on, not given back yet because too many would go at once.',
};

export const agentUp: MetricDefinition = {
  name: 'fairlead_gateway_agent_up',
  kind: 'gauge',
  help: 'Whether the agent of a gateway could be reached last time: 1 or 0.',
  labels: ['gateway'],
};

export const pushesTotal: MetricDefinition = {
  name: 'fairlead_gateway_pushes_total',
  kind: 'counter',
  help: 'Configurations sent to agents that answered, by gateway and result (taken or refused).',
  labels: ['gateway', 'result'],
};

export const gatewayMetrics: readonly MetricDefinition[] = [
  servicesByOutcome,
  poolAddresses,
  stepsWritten,
  withdrawalsHeld,
  addressesHeld,
  agentUp,
  pushesTotal,
];
