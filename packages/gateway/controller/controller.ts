import type { Hold } from '@fairlead/control';
import { type Controller, type Service, type SharedCache, services } from '@fairlead/kube';
import { type LeaderEnvironment, objectController } from '@fairlead/part';
import { recordOnService, type ServiceKey, serviceProjection, toServiceKey } from '@fairlead/service';
import type { AddressProvider } from './addresses/address-provider.ts';
import type { L2Port } from './addresses/l2-port.ts';
import type { NamespaceLimits } from './addresses/namespace-use.ts';
import { claimRules } from './desired.ts';
import { gatewayMetrics, poolAddresses, withdrawalsHeld } from './metrics.ts';
import { Reconciler } from './reconciler.ts';
import { takeSnapshot } from './snapshot.ts';
import { WithdrawalBrake } from './withdrawal-brake.ts';

const CONCURRENT_SERVICES = 10;

/**
 * Gives Services their addresses for as long as we lead. Nothing is written before every Service was read and every
 * recorded assignment restored: an address is never given twice because its holder was not known yet.
 */
export async function runController(
  provider: AddressProvider,
  limits: NamespaceLimits,
  environment: LeaderEnvironment,
): Promise<void> {
  const { signal, metrics, caches, readiness, clock } = environment;
  for (const definition of gatewayMetrics) metrics.declare(definition);
  const pool = await provider.list(signal);
  countPool(environment, pool);
  const rules = claimRules(environment.defaultClass);
  const cache = caches.projected(services, serviceProjection({ rules }));
  readiness.set({ ready: false, reason: 'reading the Services' });
  await cache.synced(signal);

  const snapshot = await takeSnapshot({ pool, limits, services: cache.list(), rules }, clock);
  const { allocator, outcomes } = snapshot;
  for (const key of snapshot.ignoredRecords) tellIgnored(key, cache.get(key), environment);
  const brake = new WithdrawalBrake(clock);
  const hold = brake.judge(outcomes);
  const controller = objectController(environment, {
    name: 'gateway-services',
    resource: services,
    cache,
    concurrency: CONCURRENT_SERVICES,
    failureReason: () => 'SyncLoadBalancerFailed',
  });
  const requeue = (key: ServiceKey) => controller.add(key);
  const reconciler = new Reconciler(environment, rules, allocator, brake, requeue);
  // Oldest first, as the addresses were given out.
  for (const key of outcomes.keys()) controller.add(key);
  if (hold !== undefined) holdBack(hold, brake.heldUntil, cache, controller, environment);
  readiness.set({ ready: true });
  const reconcile = (key: string) => reconciler.reconcile(toServiceKey(key), cache.get(key), signal);
  await controller.run(reconcile, signal);
}

/** Tells that these Services keep their addresses for now, and has them looked at again when that is over. */
function holdBack(
  { held, message }: Hold<ServiceKey>,
  until: number,
  cache: SharedCache<Service>,
  controller: Controller,
  { journal, events, metrics, clock, signal }: LeaderEnvironment,
): void {
  metrics.set(withdrawalsHeld, held.length);
  for (const key of held) {
    journal.record(`service ${key}`, { kind: 'waiting', for: message, retryAt: until });
    const service = cache.get(key);
    if (service !== undefined) recordOnService(events, service, 'DeletionHeldBack', message);
  }
  const timer = clock.setTimer(until - clock.now(), () => {
    metrics.set(withdrawalsHeld, 0);
    for (const key of held) controller.add(key);
  });
  signal.addEventListener('abort', () => timer.cancel(), { once: true });
}

/** Its owner wrote the record, or two leaders were at work; either way, what others have stays theirs. */
function tellIgnored(key: ServiceKey, service: Service | undefined, { events }: LeaderEnvironment): void {
  const note = `The annotations of ${key} claim ports of an address that were given to another Service; they are ignored.`;
  if (service !== undefined) recordOnService(events, service, 'AssignmentIgnored', note);
}

function countPool({ metrics }: LeaderEnvironment, pool: readonly L2Port[]): void {
  metrics.set(withdrawalsHeld, 0);
  for (const family of ['IPv4', 'IPv6'] as const) {
    metrics.set(poolAddresses, pool.filter((l2Port) => l2Port.family === family).length, { family });
  }
}
