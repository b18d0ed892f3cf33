import {
  type HttpRequest,
  type HttpResponse,
  type HttpTransport,
  Journal,
  seededRandom,
  silentLogger,
} from '@fairlead/control';
import { RecordedMetrics } from '@fairlead/control/testing';
import type { LeaderPart, Part, ReadEnvironment } from '@fairlead/part';
import { TestCluster, TestLeader } from '@fairlead/part/testing';
import { type ArmBehaviour, ArmEmulator, FAST, lineOf } from '@fairlead/sim/azure';
import { isBodyOf } from '../../arm/client/decode.ts';
import { ArmClient, armId, type LoadBalancer, type PublicIpAddress, type SecurityRule } from '../../arm/index.ts';
import { AZURE_LOCAL_CLASS } from '../load-balancers/desired.ts';
import { localBackendsPart } from '../part.ts';

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
export class LocalWorld extends TestCluster {
  readonly azure: ArmEmulator;
  readonly metrics = new RecordedMetrics();
  readonly journal = new Journal(this.clock);
  /** Resource groups in lower case that the part may not see into -> what Azure answers. */
  readonly closedGroups = new Map<string, { readonly status: number; readonly code: string }>();
  /** What the part asked Azure for, without the query. */
  readonly paths: string[] = [];
  /** What the part sent to Azure in order to change something. */
  readonly sent: HttpRequest[] = [];
  /** Whether the Lease is long enough for a call. */
  #mayCall = true;
  #leader: TestLeader | undefined;

  constructor({ behaviour = {} }: LocalWorldOptions = {}) {
    super({ loadBalancerClass: AZURE_LOCAL_CLASS, externalTrafficPolicy: 'Local' });
    const groups = [`/subscriptions/${GROUP.subscriptionId}/resourceGroups/${GROUP.resourceGroup}`];
    this.azure = new ArmEmulator({
      clock: this.clock,
      random: seededRandom(1),
      groups,
      behaviour: { ...FAST, ...behaviour },
    });
    const subnets = [{ name: 'nodes', properties: { addressPrefixes: ['10.0.0.0/16', 'fd00::/64'] } }];
    const properties = { addressSpace: { addressPrefixes: ['10.0.0.0/8', 'fd00::/48'] }, subnets };
    this.byHand('PUT', armId('virtualNetworks', GROUP, 'net'), { location: LOCATION, properties });
    this.byHand('PUT', armId('networkSecurityGroups', GROUP, 'nodes'), { location: LOCATION, properties: {} });
  }

  /** With nodes `a`, `b` and `c` at 10.0.1.1, 10.0.1.2 and 10.0.1.3. */
  override async setUp(): Promise<this> {
    await super.setUp();
    for (const [index, name] of ['a', 'b', 'c'].entries()) {
      await this.putNode(name, `10.0.1.${index + 1}`, `fd00::1:${index + 1}`);
    }
    return this;
  }

  byHand(method: 'PUT' | 'DELETE' | 'GET', path: string, body?: Parameters<ArmEmulator['byHand']>[0]['body']): unknown {
    return this.azure.byHand({ method, path, ...(body === undefined ? {} : { body }) });
  }

  /** The part, behind which this Azure is. */
  get part(): Part<LeaderPart> {
    return localBackendsPart(async ({ cloudFile }, dependencies) => ({
      client: new ArmClient({
        ...dependencies,
        random: seededRandom(9),
        endpoint: 'https://arm.test',
        transport: this.#counted(),
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
    this.#leader = new TestLeader(this, (environment) => this.configured(section).start(environment), this);
    this.#leader.mayWrite = this.#mayCall;
    await this.pass(seconds);
  }

  /** Ends the leader, as a lost Lease does. */
  async stop(): Promise<void> {
    await this.#leader?.stop();
  }

  set mayCall(may: boolean) {
    this.#mayCall = may;
    if (this.#leader !== undefined) this.#leader.mayWrite = may;
  }

  get readiness() {
    return this.#leader?.readiness;
  }

  /** Writes of the part so far, to the cluster and to Azure; Events and Leases aside. */
  get writeCount(): number {
    return this.writes.length + this.sent.length;
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

  loadBalancer(name: string): LoadBalancer | undefined {
    const body: unknown = this.azure.resource(armId('loadBalancers', GROUP, name));
    return isBodyOf('loadBalancers', body) ? body : undefined;
  }

  /** What is in a load balancer: names of frontends, pools, probes and rules, without their marks. */
  children(name: string) {
    const properties: LoadBalancer['properties'] = this.loadBalancer(name)?.properties ?? {};
    const names = (list: readonly { readonly name: string }[] = []) =>
      list.map((child) => plain(child.name)).toSorted();
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

  #counted(): HttpTransport {
    return {
      send: async (request) => {
        if (request.method !== 'GET') this.sent.push(request);
        const { pathname } = new URL(request.url);
        this.paths.push(pathname);
        const group = /^\/subscriptions\/[^/]+\/resourceGroups\/([^/]+)\//i.exec(pathname)?.[1] ?? '';
        const closed = this.closedGroups.get(group.toLowerCase());
        return closed === undefined ? this.azure.send(request) : refused(closed);
      },
    };
  }
}

function refused({ status, code }: { readonly status: number; readonly code: string }): HttpResponse {
  const text = JSON.stringify({ error: { code, message: 'This is none of yours.' } });
  const body = async function* () {
    yield new TextEncoder().encode(text);
  };
  return { status, headers: {}, body: body() };
}

/** Names without the marks of cluster and Service. */
export function plain(text: string): string {
  return text.replaceAll(/-[0-9a-f]{18}/g, '');
}
