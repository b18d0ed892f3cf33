import { BRAKE_CODE, codeOf, messageOf, verdictOf } from '@fairlead/control';
import { KeyedQueue, type Service, type SharedCache, services } from '@fairlead/kube';
import type { RunEnvironment } from '@fairlead/part';
import { recordOnService } from '@fairlead/service';
import type { AddressProvider } from './address-provider.ts';
import type { L2Port, ServiceKey } from './l2-port.ts';
import { byAge, claimRules, serviceKey } from './desired.ts';
import { gatewayMetrics, poolAddresses, servicesByOutcome, withdrawalsHeld } from './metrics.ts';
import { Reconciler } from './reconciler.ts';
import { survey } from './survey.ts';
import { WithdrawalBrake } from './withdrawal-brake.ts';

const CONCURRENT_SERVICES = 10;

/**
 * Gives Services their addresses for as long as we lead. Nothing is written before every Service was read and every
 * recorded assignment restored: an address is never given twice because its holder was not known yet.
 */
export async function runController(provider: AddressProvider, environment: RunEnvironment): Promise<void> {
  const { signal, metrics, caches, readiness, clock, random, logger } = environment;
  for (const definition of gatewayMetrics) metrics.declare(definition);
  const pool = await provider.list(signal);
  countPool(environment, pool);
  const cache = caches.cache(services);
  readiness.set({ ready: false, reason: 'reading the Services' });
  await cache.synced(signal);

  const rules = claimRules(environment.defaultClass);
  const { allocator, outcomes } = survey(pool, cache.list(), rules, clock);
  const brake = new WithdrawalBrake(clock);
  const hold = brake.judge(outcomes);
  metrics.set(withdrawalsHeld, brake.heldCount);
  const reconciler = new Reconciler(environment, rules, allocator, brake);
  const queue = new KeyedQueue({
    name: 'gateway-services',
    clock,
    random,
    logger,
    metrics,
    concurrency: CONCURRENT_SERVICES,
    onRetry: (key, error, retryAt) => tellFailure(environment, cache.get(key), key, error, retryAt),
  });
  for (const key of outcomes.keys()) queue.add(key);
  const subscription = cache.subscribe((change) => queue.add(change.key));
  if (hold !== undefined) {
    for (const key of hold.held) tellHold(environment, cache.get(key), key, hold.message, brake.heldUntil);
    const release = () => {
      metrics.set(withdrawalsHeld, 0);
      for (const key of hold.held) queue.add(key);
    };
    const timer = clock.setTimer(brake.heldUntil - clock.now(), release);
    signal.addEventListener('abort', () => timer.cancel(), { once: true });
  }
  readiness.set({ ready: true });
  const work = (key: string) => workOn(toServiceKey(key), cache, reconciler, queue, environment);
  try {
    await queue.run(work, signal);
  } finally {
    subscription.cancel();
  }
}

async function workOn(
  key: ServiceKey,
  cache: SharedCache<Service>,
  reconciler: Reconciler,
  queue: KeyedQueue,
  environment: RunEnvironment,
): Promise<void> {
  const { metrics, signal } = environment;
  try {
    const freed = await reconciler.reconcile(key, cache.get(key), signal);
    if (freed) for (const waiting of oldestFirst(reconciler.waiting, cache)) queue.add(waiting);
  } finally {
    for (const [outcome, count] of reconciler.counts) metrics.set(servicesByOutcome, count, { outcome });
  }
}

function tellHold(
  { journal, events, logger }: RunEnvironment,
  service: Service | undefined,
  key: string,
  message: string,
  retryAt: number,
): void {
  logger.warn({ service: key, code: BRAKE_CODE }, message);
  journal.record(`service ${key}`, { kind: 'waiting', for: message, retryAt });
  if (service !== undefined) recordOnService(events, service, 'DeletionHeldBack', message);
}

/** What changed under our hands is no news; everything else the owner of the Service wants to know. */
function tellFailure(
  { journal, events }: RunEnvironment,
  service: Service | undefined,
  key: string,
  error: unknown,
  retryAt: number,
): void {
  journal.record(`service ${key}`, { kind: 'waiting', for: `what failed: ${codeOf(error)}`, retryAt });
  if (service === undefined || verdictOf(error) === 'stale') return;
  recordOnService(events, service, 'SyncLoadBalancerFailed', `${messageOf(error)}; it is tried again.`);
}

function toServiceKey(text: string): ServiceKey {
  const [namespace = '', name = ''] = text.split('/');
  return `${namespace}/${name}`;
}

function oldestFirst(keys: ReadonlySet<ServiceKey>, cache: SharedCache<Service>): readonly ServiceKey[] {
  return [...keys]
    .flatMap((key) => cache.get(key) ?? [])
    .toSorted(byAge)
    .map((service) => serviceKey(service.metadata));
}

function countPool({ metrics }: RunEnvironment, pool: readonly L2Port[]): void {
  for (const family of ['IPv4', 'IPv6'] as const) {
    metrics.set(poolAddresses, pool.filter((l2Port) => l2Port.family === family).length, { family });
  }
}
