import {
  FairleadError,
  type HttpTransport,
  Journal,
  seededRandom,
  silentLogger,
  VirtualClock,
} from '@fairlead/control';
import { RecordedMetrics, result } from '@fairlead/control/testing';
import {
  CacheFactory,
  EventRecorder,
  endpointSlices,
  events,
  KubeClient,
  type Node,
  namespaces,
  nodes,
  type Service,
  type ServiceSpec,
  services,
  statusOf,
} from '@fairlead/kube';
import { connectionOver } from '@fairlead/kube/testing';
import type { LeaderEnvironment, LeaderPart, Part, ReadEnvironment, Readiness } from '@fairlead/part';
import { type ArmBehaviour, ArmEmulator, lineOf } from '@fairlead/sim/azure';
import { SimulatedKube } from '@fairlead/sim/kube';
import { isBodyOf } from '../../arm/client/decode.ts';
import { ArmClient, armId, type LoadBalancer, type PublicIpAddress, type SecurityRule } from '../../arm/index.ts';
import { AZURE_LOCAL_CLASS } from '../load-balancers/desired.ts';
import { localBackendsPart } from '../part.ts';

const NAMESPACE = 'shop';
const GROUP = { subscriptionId: 'sub', resourceGroup: 'cluster' };
const LOCATION = 'westeurope';

/** The part's section of the configuration, with two public load balancers and an internal one. */
export const SECTION = {
  cloud: {
    ...GROUP,
    location: LOCATION,
    vnetName: 'net',
    subnetName: 'nodes',
    securityGroupName: 'nodes',
  },
  clusterId: 'c1',
  loadBalancers: [{ name: 'one' }, { name: 'two' }, { name: 'inside', frontends: 'internal' }],
};

/** As the path of an azure.json: the same cloud, without a security group. */
export const WITHOUT_SECURITY_GROUP = 'without-security-group';
const { securityGroupName: _none, ...openCloud } = SECTION.cloud;

export interface LocalWorldOptions {
  readonly behaviour?: Partial<ArmBehaviour>;
}

/** A simulated cluster, an emulated Azure, and the part between them, on virtual time. */
export class LocalWorld {
  readonly clock = new VirtualClock();
  readonly kube: SimulatedKube;
  readonly azure: ArmEmulator;
  /** Whoever edits the cluster. */
  readonly client: KubeClient;
  readonly metrics = new RecordedMetrics();
  readonly journal = new Journal(this.clock);
  /** Writes of the part to the cluster, those of Events and of the resource lock aside. */
  readonly writes: string[] = [];
  /** Whether the Lease is long enough for a call. */
  mayCall = true;
  readiness: Readiness = { ready: false, reason: 'not begun' };
  /** Writes of the part so far, to the cluster and to Azure; Events and Leases aside. */
  writeCount = 0;
  #stop = new AbortController();
  #ended: Promise<void> = Promise.resolve();

  constructor({ behaviour = {} }: LocalWorldOptions = {}) {
    const { clock } = this;
    this.kube = new SimulatedKube({ clock, random: seededRandom(7) });
    this.client = new KubeClient(connectionOver(this.kube.transport(), clock), clock);
    const groups = [`/subscriptions/${GROUP.subscriptionId}/resourceGroups/${GROUP.resourceGroup}`];
    this.azure = new ArmEmulator({ clock, random: seededRandom(1), groups, behaviour });
    const subnets = [{ name: 'nodes', properties: { addressPrefixes: ['10.0.0.0/16', 'fd00::/64'] } }];
    const properties = { addressSpace: { addressPrefixes: ['10.0.0.0/8', 'fd00::/48'] }, subnets };
    this.byHand('PUT', armId('virtualNetworks', GROUP, 'net'), { location: LOCATION, properties });
    this.byHand('PUT', armId('networkSecurityGroups', GROUP, 'nodes'), { location: LOCATION, properties: {} });
  }

  /** With nodes `a`, `b` and `c` at 10.0.1.1, 10.0.1.2 and 10.0.1.3. */
  async setUp(): Promise<this> {
    await this.client.create(namespaces, { metadata: { name: NAMESPACE } });
    for (const [index, name] of ['a', 'b', 'c'].entries()) {
      await this.putNode(name, `10.0.1.${index + 1}`, `fd00::1:${index + 1}`);
    }
    return this;
  }

  byHand(method: 'PUT' | 'DELETE' | 'GET', path: string, body?: Parameters<ArmEmulator['byHand']>[0]['body']): unknown {
    return this.azure.byHand({ method, path, ...(body === undefined ? {} : { body }) });
  }

  async putNode(name: string, ...addresses: readonly string[]): Promise<void> {
    if ((await this.client.find(nodes, { name })) === undefined) {
      await this.client.create<Node>(nodes, { metadata: { name } });
    }
    const reported = addresses.map((address) => ({ type: 'InternalIP', address }) as const);
    await this.client.patchMerge<Node>(statusOf(nodes), { name }, { status: { addresses: reported } });
  }

  async createService(
    name: string,
    spec: Partial<ServiceSpec> = {},
    annotations: Readonly<Record<string, string>> = {},
  ): Promise<Service> {
    return this.client.create<Service>(services, {
      metadata: { namespace: NAMESPACE, name, annotations },
      spec: {
        type: 'LoadBalancer',
        loadBalancerClass: AZURE_LOCAL_CLASS,
        externalTrafficPolicy: 'Local',
        ports: [{ port: 80, targetPort: 8080 }],
        ...spec,
      },
    });
  }

  async editService(name: string, patch: Parameters<typeof this.client.patchMerge<Service>>[2]): Promise<Service> {
    return this.client.patchMerge<Service>(services, { namespace: NAMESPACE, name }, patch);
  }

  async deleteService(name: string): Promise<void> {
    await this.client.delete(services, { namespace: NAMESPACE, name });
  }

  async service(name: string): Promise<Service | undefined> {
    return this.client.find(services, { namespace: NAMESPACE, name });
  }

  /** Puts the endpoints of one slice there: `10.244.0.1@a`, with `!` in front of one that is not ready. */
  async putSlice(service: string, slice: string, endpoints: readonly string[]): Promise<void> {
    const metadata = { namespace: NAMESPACE, name: slice, labels: { 'kubernetes.io/service-name': service } };
    const listed = endpoints.map((text) => {
      const [address = '', nodeName = ''] = text.replace('!', '').split('@');
      return { addresses: [address], nodeName, conditions: { ready: !text.startsWith('!') } };
    });
    const addressType = endpoints[0]?.includes(':') === true ? 'IPv6' : 'IPv4';
    const ports = [{ protocol: 'TCP', port: 8080 }] as const;
    if ((await this.client.find(endpointSlices, metadata)) !== undefined) {
      await this.client.patchMerge(endpointSlices, metadata, { endpoints: listed });
      return;
    }
    await this.client.create(endpointSlices, { metadata, addressType, endpoints: listed, ports });
  }

  async deleteSlice(name: string): Promise<void> {
    await this.client.delete(endpointSlices, { namespace: NAMESPACE, name });
  }

  /** The part, behind which this Azure is. */
  get part(): Part<LeaderPart> {
    return localBackendsPart(async ({ cloudFile }, surroundings) => ({
      client: new ArmClient({
        ...surroundings,
        random: seededRandom(9),
        endpoint: 'https://arm.test',
        transport: this.#counted(this.azure, () => true),
      }),
      cloud: cloudFile === WITHOUT_SECURITY_GROUP ? openCloud : SECTION.cloud,
      async [Symbol.asyncDispose]() {},
    }));
  }

  configured(section: object = {}): LeaderPart {
    return this.part.configure({ ...SECTION, ...section });
  }

  /** What a command has that only looks. */
  get readEnvironment(): ReadEnvironment {
    return { client: this.client, clock: this.clock, logger: silentLogger, signal: new AbortController().signal };
  }

  /** Starts a leader, and lets it work for a while. */
  async start(section: object = {}, seconds = 20): Promise<void> {
    const { clock, metrics, journal } = this;
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    const connection = connectionOver(this.#watched(), clock);
    const client = new KubeClient(connection, clock);
    const shared = { clock, random: seededRandom(11), logger: silentLogger, metrics };
    const environment: LeaderEnvironment = {
      ...shared,
      client,
      caches: new CacheFactory({ ...shared, connection, signal }),
      journal,
      events: new EventRecorder({ ...shared, client, controller: 'fairlead.dev/azure-local', instance: 'replica' }),
      leadership: { epoch: 1, signal, covers: () => this.mayCall },
      readiness: { set: (readiness) => (this.readiness = readiness) },
      signal,
    };
    this.#ended = this.configured(section)
      .start(environment)
      .catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    await this.pass(seconds);
  }

  /** Ends the leader, as a lost Lease does. */
  async stop(): Promise<void> {
    this.#stop.abort(new FairleadError('stopped', { verdict: 'stale', code: 'shutting-down' }));
    await result(this.clock, this.#ended);
  }

  async pass(seconds: number): Promise<void> {
    await this.clock.advance(seconds * 1000);
  }

  /** What Azure was asked to change since the last time, without the marks in names. */
  takeWrites(): readonly string[] {
    const lines = this.azure.log.writes.map((call) => plain(lineOf(call)));
    this.azure.log.clear();
    return lines;
  }

  /** What was told about a Service: reasons, in order. */
  async reasons(name: string): Promise<readonly string[]> {
    return (await this.events(name)).map(({ reason }) => reason);
  }

  async events(name: string) {
    const { items } = await this.client.list(events, { namespace: NAMESPACE });
    return items
      .filter(({ regarding }) => regarding.name === name)
      .toSorted((left, right) => (left.eventTime < right.eventTime ? -1 : 1));
  }

  /** Where the Service can be reached. */
  async addresses(name: string): Promise<readonly string[]> {
    return ((await this.service(name))?.status?.loadBalancer?.ingress ?? []).map(({ ip = '' }) => ip);
  }

  loadBalancer(name: string): LoadBalancer | undefined {
    const body: unknown = this.azure.resource(armId('loadBalancers', GROUP, name));
    return isBodyOf('loadBalancers', body) ? body : undefined;
  }

  /** The parts of a load balancer: names of frontends, pools, probes and rules, without their marks. */
  parts(name: string) {
    const properties: LoadBalancer['properties'] = this.loadBalancer(name)?.properties ?? {};
    const names = (list: readonly { readonly name: string }[] = []) => list.map((part) => plain(part.name)).toSorted();
    return {
      frontends: names(properties.frontendIPConfigurations),
      pools: names(properties.backendAddressPools),
      probes: names(properties.probes),
      rules: names(properties.loadBalancingRules),
    };
  }

  /** The addresses in the pools of a load balancer, by the pool's name without its mark. */
  pools(name: string): Readonly<Record<string, readonly string[]>> {
    const { backendAddressPools = [] } = this.loadBalancer(name)?.properties ?? {};
    return Object.fromEntries(
      backendAddressPools.map((pool) => [
        plain(pool.name),
        (pool.properties.loadBalancerBackendAddresses ?? [])
          .map(({ properties }) => properties.ipAddress ?? '')
          .toSorted(),
      ]),
    );
  }

  get publicIps(): readonly PublicIpAddress[] {
    const bodies: readonly unknown[] = this.azure.resources('publicIPAddresses');
    return bodies.filter((body) => isBodyOf('publicIPAddresses', body));
  }

  get securityRules(): readonly SecurityRule[] {
    const group: unknown = this.azure.resource(armId('networkSecurityGroups', GROUP, 'nodes'));
    return isBodyOf('networkSecurityGroups', group) ? (group.properties.securityRules ?? []) : [];
  }

  loadBalancerPath(name: string): string {
    return armId('loadBalancers', GROUP, name);
  }

  /** The way of the part to the cluster. */
  #watched(): HttpTransport {
    const transport = this.#counted(this.kube.transport(), isPartsBusiness);
    return {
      send: async (request) => {
        const { pathname } = new URL(request.url);
        if (request.method !== 'GET' && isPartsBusiness(pathname)) {
          this.writes.push(`${request.method} ${pathname.replace(/^.*\/namespaces\//, '')}`);
        }
        return transport.send(request);
      },
    };
  }

  #counted(transport: HttpTransport, isCounted: (path: string) => boolean): HttpTransport {
    return {
      send: async (request) => {
        if (request.method !== 'GET' && isCounted(new URL(request.url).pathname)) this.writeCount += 1;
        return transport.send(request);
      },
    };
  }
}

/** Whoever leads writes Events and Leases, too. */
function isPartsBusiness(path: string): boolean {
  return !/\/events|\/leases/.test(path);
}

/** Names without the marks of cluster and Service. */
export function plain(text: string): string {
  return text.replaceAll(/-[0-9a-f]{18}/g, '');
}
