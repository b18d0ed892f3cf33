import { type Clock, every, type MetricDefinition, type Metrics } from '@fairlead/control';
import type { Engine } from './engine/engine.ts';

export const servicesByState: MetricDefinition = {
  name: 'fairlead_azure_service_gateway_services',
  kind: 'gauge',
  help: 'Services and egress gateways by state.',
  labels: ['state'],
};

export const oldestPendingSeconds: MetricDefinition = {
  name: 'fairlead_azure_service_gateway_oldest_pending_seconds',
  kind: 'gauge',
  help: 'For how long the service that waits longest has not been as it should be; 0 when none waits.',
};

export const parkedServices: MetricDefinition = {
  name: 'fairlead_azure_service_gateway_parked',
  kind: 'gauge',
  help: 'Services that ask for what cannot be had, and wait for a change.',
};

export const blockedByLocations: MetricDefinition = {
  name: 'fairlead_azure_service_gateway_blocked_by_locations',
  kind: 'gauge',
  help: 'Services that are to be deleted and wait until no address is under them.',
};

export const operationsTotal: MetricDefinition = {
  name: 'fairlead_azure_service_gateway_operations_total',
  kind: 'counter',
  help: 'Creations, updates and deletions that ended, by result.',
  labels: ['operation', 'result'],
};

export const operationSeconds: MetricDefinition = {
  name: 'fairlead_azure_service_gateway_operation_seconds',
  kind: 'histogram',
  help: 'How long a creation, an update or a deletion took.',
  labels: ['operation'],
  buckets: [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
};

export const retriesTotal: MetricDefinition = {
  name: 'fairlead_azure_service_gateway_retries_total',
  kind: 'counter',
  help: 'Operations that failed and are tried again, by the stable code of the error.',
  labels: ['operation', 'code'],
};

export const registrationBatchSize: MetricDefinition = {
  name: 'fairlead_azure_service_gateway_registration_batch_size',
  kind: 'histogram',
  help: 'How many services one updateServices carried.',
  buckets: [1, 2, 5, 10, 25, 50, 100, 250, 500],
};

export const locationBatchSize: MetricDefinition = {
  name: 'fairlead_azure_service_gateway_location_batch_size',
  kind: 'histogram',
  help: 'How many addresses one updateAddressLocations carried.',
  buckets: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2000],
};

export const addressesOutOfStep: MetricDefinition = {
  name: 'fairlead_azure_service_gateway_addresses_out_of_step',
  kind: 'gauge',
  help: 'Addresses at which what the cluster wants and what the gateway has differ.',
};

export const quarantinedAddressesTotal: MetricDefinition = {
  name: 'fairlead_azure_service_gateway_quarantined_addresses_total',
  kind: 'counter',
  help: 'Addresses that the gateway refused by themselves and that are left out until something changes.',
};

export const endpointLatencySeconds: MetricDefinition = {
  name: 'fairlead_azure_service_gateway_endpoint_programming_seconds',
  kind: 'histogram',
  help: 'From a change of an endpoint, of a service that is there, until the gateway has taken it.',
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
};

export const driftTotal: MetricDefinition = {
  name: 'fairlead_azure_service_gateway_drift_total',
  kind: 'counter',
  help: 'Things outside that were found changed by an operator or another program, by their kind, registration or owner.',
  labels: ['what'],
};

export const heldDeletions: MetricDefinition = {
  name: 'fairlead_azure_service_gateway_held_deletions',
  kind: 'gauge',
  isBrake: true,
  help: 'Leftovers whose deletion is held back because there are suspiciously many of them.',
};

export const serviceGatewayMetrics: readonly MetricDefinition[] = [
  servicesByState,
  oldestPendingSeconds,
  parkedServices,
  blockedByLocations,
  operationsTotal,
  operationSeconds,
  retriesTotal,
  registrationBatchSize,
  locationBatchSize,
  addressesOutOfStep,
  quarantinedAddressesTotal,
  endpointLatencySeconds,
  driftTotal,
  heldDeletions,
];

const GAUGE_INTERVAL_MILLISECONDS = 15_000;

/** Keeps the gauges true until the signal aborts: some of them change by the mere passing of time. */
export function keepGauges(engine: Engine, metrics: Metrics, clock: Clock, signal: AbortSignal): Promise<void> {
  return every(clock, GAUGE_INTERVAL_MILLISECONDS, signal, () => setGauges(engine, metrics, clock));
}

export function setGauges(engine: Engine, metrics: Metrics, clock: Clock): void {
  for (const [state, count] of engine.counts) metrics.set(servicesByState, count, { state });
  metrics.set(parkedServices, engine.counts.get('Parked') ?? 0);
  metrics.set(blockedByLocations, engine.blockedByLocations);
  metrics.set(addressesOutOfStep, engine.tracker.dirtyCount);
  const since = engine.oldestUnsettledSince;
  metrics.set(oldestPendingSeconds, since === undefined ? 0 : (clock.monotonic() - since) / 1000);
}
