import {
  type IpAddress,
  type IpFamily,
  Journal,
  Lanes,
  requireIpAddress,
  seededRandom,
  silentLogger,
  type VirtualClock,
} from '@fairlead/control';
import { RecordedMetrics, result } from '@fairlead/control/testing';
import { KubeClient, type KubeObject } from '@fairlead/kube';
import { FakeApi } from '@fairlead/kube/testing';
import type { ServiceKey } from '@fairlead/service';
import { type LoggedCall, lineOf } from '@fairlead/sim/azure';
import { type BackendPool, childArmId } from '../../arm/index.ts';
import { emulated, ids } from '../../arm/testing/emulated.ts';
import { AzureResourceLocker } from '../azure-resource-locker.ts';
import { BackendPoolUpdater } from '../backend-pools/backend-pool-updater.ts';
import { LocalServices, poolKey } from '../backend-pools/local-services.ts';
import { UpdateReporter } from '../backend-pools/update-reporter.ts';
import type { UpdaterSettings } from '../configuration.ts';
import { operationsTotal } from '../metrics.ts';
import { entryName } from '../names.ts';

export const INTERVAL = 30_000;
const LEASE_PATH = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/aks-managed-resource-locker';

/** The nodes that serve each Service, as a test says. */
class ChosenBackends {
  readonly #addresses = new Map<string, readonly IpAddress[]>();
  readonly #nodes = new Set<IpAddress>();

  choose(service: ServiceKey, addresses: readonly string[], family: IpFamily = 'IPv4'): void {
    const chosen = addresses.map(requireIpAddress);
    this.#addresses.set(`${service} ${family}`, chosen);
    for (const address of chosen) this.#nodes.add(address);
  }

  addresses(service: ServiceKey, family: IpFamily): readonly IpAddress[] {
    return this.#addresses.get(`${service} ${family}`) ?? [];
  }

  isNode(address: IpAddress): boolean {
    return this.#nodes.has(address);
  }
}

/**
 * An updater, the emulated Azure it writes to, and what it tells: with a load balancer `lb` that has the pools `web`,
 * `api` and `shared`, and another, `lb-2`, that has `web`.
 */
export class UpdaterWorld {
  readonly clock: VirtualClock;
  readonly api = new FakeApi();
  readonly backends = new ChosenBackends();
  readonly services = new LocalServices();
  readonly metrics = new RecordedMetrics();
  readonly serviceReconcileLock = new Lanes(1);
  readonly stop = new AbortController();
  readonly updater: BackendPoolUpdater;
  /** Services that the cluster no longer has. */
  readonly gone = new Set<ServiceKey>();
  readonly missingPools: ServiceKey[] = [];
  readonly journal: Journal;
  readonly #emulated: ReturnType<typeof emulated>;
  readonly #events: { readonly at: number; readonly line: string }[] = [];

  constructor(settings: Partial<UpdaterSettings> = {}) {
    this.#emulated = emulated({ repeats: { attempts: 1, backoff: NO_BACKOFF } });
    const { client, clock, emulator } = this.#emulated;
    this.clock = clock;
    for (const [name, pools] of Object.entries({ lb: ['web', 'api', 'shared'], 'lb-2': ['web'] })) {
      const backendAddressPools = pools.map((pool) => ({ name: pool, properties: {} }));
      const body = { location: 'westeurope', sku: { name: 'Standard' }, properties: { backendAddressPools } };
      emulator.byHand({ method: 'PUT', path: ids.loadBalancer(name), body });
    }
    this.journal = new Journal(clock);
    const reporter = new UpdateReporter({
      clock,
      metrics: this.metrics,
      journal: this.journal,
      events: {
        record: (_resource, { metadata }, { type, reason, note }) => {
          const line = `${metadata.namespace}/${metadata.name} ${type} ${reason}: ${note}`;
          this.#events.push({ at: clock.monotonic(), line });
        },
      },
      serviceOf: (service) => (this.gone.has(service) ? undefined : { ...objectOf(service), spec: {} }),
    });
    this.updater = new BackendPoolUpdater({
      client,
      poolId: (loadBalancer, pool) => childArmId('backendAddressPools', ids.loadBalancer(loadBalancer), pool),
      networkId: ids.network,
      services: this.services,
      backends: this.backends,
      reporter,
      serviceReconcileLock: this.serviceReconcileLock,
      azureResourceLocker: new AzureResourceLocker({
        client: new KubeClient(this.api.connect(clock), clock),
        clock,
        random: seededRandom(3),
        logger: silentLogger,
        leadership: { epoch: 1, signal: new AbortController().signal, covers: () => true },
      }),
      settings: { intervalMilliseconds: INTERVAL, maxRetries: 3, leadingEdge: false, ...settings },
      clock,
      logger: silentLogger,
      poolMissing: (service) => this.missingPools.push(service),
    });
  }

  get emulator() {
    return this.#emulated.emulator;
  }

  /** Says which nodes serve the Service, and that its pool has to follow. */
  change(service: ServiceKey, addresses: readonly string[], pool = nameOf(service), loadBalancer = 'lb'): void {
    if (!this.services.has(service, poolKey(loadBalancer, pool))) this.place(service, pool, loadBalancer);
    this.backends.choose(service, addresses);
    this.updater.addOperation({ service, loadBalancer, backendPool: pool, family: 'IPv4' });
  }

  place(service: ServiceKey, pool = nameOf(service), loadBalancer = 'lb'): void {
    const pools = [{ family: 'IPv4', name: pool }] as const;
    this.services.set({ service, loadBalancer, pools, rules: 1, createdAt: '' });
  }

  /** One tick, without the time before it. */
  async process(): Promise<void> {
    await result(this.clock, this.updater.process(this.stop.signal));
  }

  /** Lets an interval pass, and ticks. */
  async tick(): Promise<void> {
    await this.clock.advance(INTERVAL);
    await this.process();
  }

  /** What Azure was asked since the last time. */
  takeCalls(): readonly string[] {
    const calls = this.emulator.log.calls.map((call: LoggedCall) => lineOf(call));
    this.emulator.log.clear();
    return calls;
  }

  /** What was told since the last time: Service, type, reason and note. */
  takeEvents(): readonly string[] {
    return this.#events.splice(0).map(({ line }) => line);
  }

  /** The same, without types and notes. */
  takeReasons(): readonly string[] {
    return this.takeEvents().map(withoutNote);
  }

  /** Calls and Events in order, each with the second in which it happened. */
  takeTimeline(): readonly string[] {
    const calls = this.emulator.log.calls.map((call) => ({ at: call.at, line: lineOf(call) }));
    const events = this.#events.splice(0).map(({ at, line }) => ({ at, line: withoutNote(line) }));
    this.emulator.log.clear();
    return [...calls, ...events]
      .toSorted((left, right) => left.at - right.at)
      .map(({ at, line }) => `${at / 1000}s ${line.replace('backendAddressPools/', '')}`);
  }

  /** Each result that was observed, and how often. */
  get results(): readonly string[] {
    return this.metrics.lines(operationsTotal);
  }

  /** What waits: pool, Service, retries, and for how many more seconds it is parked. */
  get queue(): readonly string[] {
    return this.updater.operations.map(({ backendPool, service, retryCount, nextEligibleAt }) => {
      const parked = nextEligibleAt === undefined ? '' : ` +${(nextEligibleAt - this.clock.monotonic()) / 1000}s`;
      return `${backendPool} ${service} #${retryCount}${parked}`;
    });
  }

  /** Another component takes the lock of the Azure resources. */
  holdElsewhere(seconds = 900): void {
    const renewTime = new Date(this.clock.now()).toISOString();
    this.api.put(LEASE_PATH, {
      metadata: { namespace: 'kube-system', name: 'aks-managed-resource-locker' },
      spec: { holderIdentity: 'aks-resource-provider', leaseDurationSeconds: seconds, renewTime },
    });
  }

  /** The lock of the Azure resources. */
  lease() {
    return this.api.at(LEASE_PATH);
  }

  /** The addresses in a pool, with the names of entries that are not ours. */
  pool(pool: string, loadBalancer = 'lb'): readonly string[] {
    const body: unknown = this.emulator.byHand({
      method: 'GET',
      path: childArmId('backendAddressPools', ids.loadBalancer(loadBalancer), pool),
    });
    return entriesOf(body);
  }
}

export const RETRYING = 'LoadBalancerBackendPoolUpdateRetrying';
export const FAILED = 'LoadBalancerBackendPoolUpdateFailed';
export const UPDATED = 'LoadBalancerBackendPoolUpdated';
export const SUCCEEDED_ONCE = ['services_local update_backend_pool succeeded 1'];
export const FAILED_ONCE = ['services_local update_backend_pool failed 1'];

/** The client's own repetitions, which are not what is tested here. */
const NO_BACKOFF = { initialMilliseconds: 1, maximumMilliseconds: 1, factor: 1, jitter: 0 };

const withoutNote = (event: string) => event.replace(/ (Normal|Warning) (\w+): .*/, ' $2');
const nameOf = (service: ServiceKey) => service.slice(service.indexOf('/') + 1);

function objectOf(service: ServiceKey): KubeObject {
  const [namespace = '', name = ''] = service.split('/');
  return { metadata: { namespace, name } };
}

function entriesOf(body: unknown): readonly string[] {
  if (!isPool(body)) return [];
  return (body.properties.loadBalancerBackendAddresses ?? []).map(({ name, properties: { ipAddress = '' } }) =>
    name === entryName(ipAddress) ? ipAddress : `${name}=${ipAddress}`,
  );
}

function isPool(body: unknown): body is Pick<BackendPool, 'properties'> {
  return typeof body === 'object' && body !== null && 'properties' in body;
}
