import { type Clock, type Metrics, sleep } from '@fairlead/control';
import type { Engine } from '../engine/engine.ts';
import {
  addressesOutOfStep,
  blockedByLocations,
  oldestPendingSeconds,
  parkedServices,
  serviceGatewayMetrics,
  servicesByState,
} from '../metrics.ts';

const INTERVAL_MILLISECONDS = 15_000;

/** Keeps the gauges true until the signal aborts: some of them change by the mere passing of time. */
export async function keepGauges(engine: Engine, metrics: Metrics, clock: Clock, signal: AbortSignal): Promise<void> {
  for (const definition of serviceGatewayMetrics) metrics.declare(definition);
  while (!signal.aborted) {
    setGauges(engine, metrics, clock);
    await sleep(clock, INTERVAL_MILLISECONDS, signal).catch(() => {});
  }
}

export function setGauges(engine: Engine, metrics: Metrics, clock: Clock): void {
  for (const [state, count] of engine.counts) metrics.set(servicesByState, count, { state });
  metrics.set(parkedServices, engine.counts.get('Parked') ?? 0);
  metrics.set(blockedByLocations, engine.blockedByLocations);
  metrics.set(addressesOutOfStep, engine.tracker.dirtyCount);
  const since = engine.oldestUnsettledSince;
  metrics.set(oldestPendingSeconds, since === undefined ? 0 : (clock.monotonic() - since) / 1000);
}
