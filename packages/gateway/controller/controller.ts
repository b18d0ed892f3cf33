import { codeOf, type Hold, type HttpTransport, messageOf, orAborted, sleep } from '@fairlead/control';
import {
  type Controller,
  endpointSlices,
  keyText,
  nodes,
  ObjectWriter,
  type Service,
  type SharedCache,
  services,
  WorkSlices,
} from '@fairlead/kube';
import { ClusterEvents, DeletionGuard, type LeaderEnvironment, objectController } from '@fairlead/part';
import {
  endpointSliceProjection,
  nodeProjection,
  recordOnService,
  type ServiceKey,
  serviceProjection,
  toServiceKey,
} from '@fairlead/service';
import type { AddressProvider } from './addresses/address-provider.ts';
import type { Allocator } from './addresses/allocation.ts';
import type { L2Port, L2PortId } from './addresses/l2-port.ts';
import type { NamespaceLimits } from './addresses/namespace-use.ts';
import { SupplyWorker, type SupplyWorkerOptions } from './addresses/supply-worker.ts';
import { AgentClient } from './agents/agent-client.ts';
import { AgentSender } from './agents/agent-sender.ts';
import { Programming } from './agents/programming.ts';
import { VirtualServerTable } from './agents/virtual-server-table.ts';
import { ClusterView } from './backends/cluster-view.ts';
import { claimRules, formerPorts } from './desired.ts';
import { addressesHeld, poolAddresses, stepsWritten, withdrawalsHeld } from './metrics.ts';
import type { PoolSource } from './pool-source.ts';
import { type Gateway, type Pool, selectingLabels } from './pools.ts';
import { Reconciler } from './reconciler.ts';
import { takeSnapshot } from './snapshot.ts';
import { WithdrawalBrake } from './withdrawal-brake.ts';

const CONCURRENT_SERVICES = 10;
/** The least time between two looks at what is in the cloud: each is a list of all ports. */
const CLOUD_COMPARISON_MILLISECONDS = 300_000;

/** The way to the agent of a gateway. */
export type AgentConnector = (gateway: Gateway) => HttpTransport;

export interface ControllerOptions {
  readonly source: PoolSource;
  readonly provider: (pools: readonly Pool[], signal: AbortSignal) => Promise<AddressProvider>;
  readonly limits: NamespaceLimits;
  readonly connect: AgentConnector;
  /** How often each agent is asked whether it still has what it confirmed; infinity: never. */
  readonly comparisonMilliseconds: number;
}

/** What outlasts a change of the pools. */
interface Lead {
  readonly options: ControllerOptions;
  readonly environment: LeaderEnvironment;
  readonly writer: ObjectWriter<Service>;
  readonly brake: WithdrawalBrake;
  /** Gateways that left the pools and have not confirmed yet that they serve nothing for us, by URL. */
  readonly dismissed: Map<string, Gateway>;
}

/**
 * Gives Services their addresses for as long as we lead, and has the gateways serve them. When the pools change, all that
 * is under way comes to its end, and everything is restored and decided upon afresh, as a new leader would.
 */
export async function runController(options: ControllerOptions, environment: LeaderEnvironment): Promise<void> {
  const { signal, clock } = environment;
  const writes = { resource: services, fieldManager: 'fairlead-gateway', writesMetric: stepsWritten };
  const writer = new ObjectWriter<Service>({ ...environment, ...writes });
  const lead = {
    options,
    environment,
    writer,
    brake: new WithdrawalBrake(clock, environment.releases),
    dismissed: new Map<string, Gateway>(),
  };
  let pools = await options.source.read();
  while (!signal.aborted) {
    const ended = new AbortController();
    const stop = AbortSignal.any([signal, ended.signal]);
    const current = pools;
    const next = options.source.next(current, stop).finally(() => ended.abort());
    try {
      await leadWith(current, lead, stop, () => ended.abort());
    } catch (error) {
      if (!stop.aborted) throw error;
    } finally {
      ended.abort();
    }
    // What was taken away in the cloud is found out about afresh, with the same pools.
    pools = (await next) ?? current;
    for (const gateway of gatewaysOf(current)) lead.dismissed.set(gateway.url, gateway);
    for (const { url } of gatewaysOf(pools)) lead.dismissed.delete(url);
  }
}

/**
 * Leads with these pools until the signal aborts and what was under way has ended. Nothing is written and no agent is told
 * anything before every Service was read and every recorded assignment restored: an address is never given twice because
 * its holder was not known yet, and no gateway drops a Service that was not read yet.
 */
async function leadWith(
  pools: readonly Pool[],
  { options, environment: whole, writer, brake, dismissed }: Lead,
  signal: AbortSignal,
  startOver: () => void,
): Promise<void> {
  const environment = { ...whole, signal };
  const { caches, readiness, clock } = environment;
  await using provider = await options.provider(pools, signal);
  const rules = claimRules(environment.defaultClass);
  const kept = { nodePorts: true, clusterAddresses: true, labelNames: selectingLabels(pools) };
  const cache = caches.projected(services, serviceProjection({ rules, ...kept }));
  readiness.set({ ready: false, reason: 'reading the Services' });
  await cache.synced(signal);
  const l2Ports = await provider.list(signal, formerPorts(cache.list(), rules));
  const familiesOf = (pool: string) => provider.familiesOf?.(pool) ?? [];
  countPool(environment, l2Ports);

  // What we wrote ourselves may not be in the cache yet.
  const latest = cache.list().flatMap((service) => writer.latest(keyText(service.metadata), service) ?? []);
  const snapshot = await takeSnapshot(
    { l2Ports, familiesOf, pools, limits: options.limits, services: latest, rules },
    clock,
  );
  const { allocator, outcomes } = snapshot;
  for (const key of snapshot.ignoredRecords) tellIgnored(key, cache.get(key), environment);
  const hold = await brake.judge(outcomes);
  const controller = objectController(environment, {
    name: 'gateway-services',
    resource: services,
    cache,
    concurrency: CONCURRENT_SERVICES,
    failureReason: () => 'SyncLoadBalancerFailed',
  });
  const requeue = (key: ServiceKey) => controller.add(key);
  const cluster = new ClusterView();
  if (pools.some(({ gateways }) => gateways.length > 0)) watchBackends(controller, environment, cluster, cache);
  await controller.synced(signal);

  const table = new VirtualServerTable();
  const onNews = (refused: readonly string[]) => {
    programming.onNews(refused);
    supply?.clean();
  };
  const senderFor = senderFactory(pools, options, table, environment, onNews);
  const senders = gatewaysOf(pools).map(senderFor);
  const programming = new Programming({ table, senders, pools, requeue });
  const supply = supplyOf(provider, allocator, programming, environment, { requeue, startOver });
  const basis = { rules, pools, allocator, cluster, supply };
  const reconciler = new Reconciler(environment, writer, basis, brake, programming, requeue);
  const slices = new WorkSlices(clock);
  for (const [key, outcome] of outcomes) {
    if (slices.isOver) await slices.pause();
    reconciler.restore(key, outcome);
  }
  programming.restored();
  supply?.clean();
  // Oldest first, as the addresses were given out.
  for (const key of outcomes.keys()) controller.add(key);
  if (hold !== undefined) holdBack(hold, brake.heldUntil, cache, controller, environment);
  readiness.set({ ready: true });
  // Writes and pushes that were begun are not cut off by a change of the pools: what came of them would not be known.
  const reconcile = (key: string) => reconciler.reconcile(toServiceKey(key), cache.get(key), whole.signal);
  const dismiss = async (gateway: Gateway) => {
    if (await senderFor(gateway).runUntilConfirmed(signal, whole.signal)) dismissed.delete(gateway.url);
  };
  await Promise.all([
    controller.run(reconcile, signal),
    ...senders.map((sender) => sender.run(signal, whole.signal)),
    ...[...dismissed.values()].map(dismiss),
    untilTakenAway(provider, options, environment).then(startOver),
  ]);
}

/** Resolves when an address that was given is no longer there as it was, or the signal aborts. */
async function untilTakenAway(
  provider: AddressProvider,
  { comparisonMilliseconds }: ControllerOptions,
  { clock, signal, logger }: LeaderEnvironment,
): Promise<void> {
  const pause = Math.max(comparisonMilliseconds, CLOUD_COMPARISON_MILLISECONDS);
  const isOver = () => signal.aborted || provider.isIntact === undefined || !Number.isFinite(pause);
  if (isOver()) await orAborted(new Promise(() => {}), signal).catch(() => {});
  while (!isOver()) {
    await sleep(clock, pause, signal).catch(() => {});
    try {
      if (!signal.aborted && (await provider.isIntact?.(signal)) === false) return;
    } catch (error) {
      logger.warn({ code: codeOf(error), error: messageOf(error) }, 'the addresses are not compared');
    }
  }
}

/** Each once, whichever pools it serves. */
function gatewaysOf(pools: readonly Pool[]): readonly Gateway[] {
  const gateways = new Map(pools.flatMap((pool) => pool.gateways.map((gateway) => [gateway.name, gateway])));
  return [...gateways.values()];
}

/** A gateway that is in no pool is told to serve nothing. */
function senderFactory(
  pools: readonly Pool[],
  { connect, comparisonMilliseconds }: ControllerOptions,
  table: VirtualServerTable,
  environment: LeaderEnvironment,
  onNews: (refused: readonly string[]) => void,
): (gateway: Gateway) => AgentSender {
  const { leadership, clock } = environment;
  return (gateway) => {
    const served = pools.filter((pool) => pool.gateways.some(({ name }) => name === gateway.name));
    const client = new AgentClient({ gateway, transport: connect(gateway), clock, leadership });
    const its = { gateway, client, pools: new Set(served.map(({ name }) => name)), epoch: leadership.epoch };
    return new AgentSender({ ...environment, ...its, table, comparisonMilliseconds, onNews });
  };
}

/** Undefined where the number of addresses is fixed. */
function supplyOf(
  { supply }: AddressProvider,
  allocator: Allocator,
  programming: Programming,
  environment: LeaderEnvironment,
  later: Pick<SupplyWorkerOptions, 'requeue' | 'startOver'>,
): SupplyWorker | undefined {
  if (supply === undefined) return undefined;
  const cluster = new ClusterEvents(environment);
  const brake = { things: 'addresses' };
  const guard = new DeletionGuard<L2PortId>({ ...environment, cluster, brake, gauge: addressesHeld });
  const isQuiet = () => programming.isQuiet;
  const worker = new SupplyWorker({ ...environment, ...later, supply, allocator, guard, isQuiet });
  environment.releases?.onRelease(() => worker.clean(), environment.signal);
  return worker;
}

/** Has the virtual servers of Services follow their endpoints, and the nodes. */
function watchBackends(
  controller: Controller,
  { caches }: LeaderEnvironment,
  cluster: ClusterView,
  all: SharedCache<Service>,
): void {
  controller.watch(caches.projected(endpointSlices, endpointSliceProjection), (change) =>
    change.type === 'delete' ? cluster.deleteSlice(change.before.metadata) : cluster.setSlice(change.after),
  );
  controller.watch(caches.projected(nodes, nodeProjection), (change) => {
    const isNews =
      change.type === 'delete' ? cluster.deleteNode(change.before.metadata.name) : cluster.setNode(change.after);
    return isNews ? all.keys() : [];
  });
}

/** Tells that these Services keep their addresses for now, and has them looked at again when that is over. */
function holdBack(
  { held, message }: Hold<ServiceKey>,
  until: number,
  cache: SharedCache<Service>,
  controller: Controller,
  { journal, events, metrics, clock, signal, releases, logger }: LeaderEnvironment,
): void {
  metrics.set(withdrawalsHeld, held.length);
  let isHeld = true;
  for (const key of held) {
    journal.record(`service ${key}`, { kind: 'waiting', for: message, retryAt: until });
    const service = cache.get(key);
    if (service !== undefined) recordOnService(events, service, 'DeletionHeldBack', message);
  }
  const letGo = () => {
    isHeld = false;
    metrics.set(withdrawalsHeld, 0);
    for (const key of held) controller.add(key);
  };
  const onRelease = () => {
    if (isHeld) logger.info({ held: held.length }, 'an operator releases what is held back');
    letGo();
  };
  const timer = clock.setTimer(until - clock.now(), letGo);
  releases?.onRelease(onRelease, signal);
  signal.addEventListener('abort', () => timer.cancel(), { once: true });
}

/** Its owner wrote the record, or two leaders were at work; either way, what others have stays theirs. */
function tellIgnored(key: ServiceKey, service: Service | undefined, { events }: LeaderEnvironment): void {
  const note = `The annotations of ${key} claim ports of an address that were given to another Service; they are ignored.`;
  if (service !== undefined) recordOnService(events, service, 'AssignmentIgnored', note);
}

function countPool({ metrics }: LeaderEnvironment, l2Ports: readonly L2Port[]): void {
  metrics.set(withdrawalsHeld, 0);
  for (const family of ['IPv4', 'IPv6'] as const) {
    metrics.set(poolAddresses, l2Ports.filter((l2Port) => l2Port.family === family).length, { family });
  }
}
