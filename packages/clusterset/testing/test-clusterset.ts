import { type HttpRequest, type HttpResponse, Journal, noMetrics, sleep, VirtualClock } from '@fairlead/control';
import {
  customResourceDefinitions,
  type EndpointSlice,
  endpointSlices,
  namespaces,
  type Service,
  services,
} from '@fairlead/kube';
import { connectionOver } from '@fairlead/kube/testing';
import type { LeaderPart } from '@fairlead/part';
import { NAMESPACE, TestCluster, TestLeader } from '@fairlead/part/testing';
import type { Connect } from '../controller/broker-link.ts';
import { mcsDefinitions } from '../mcs/definitions.ts';
import { type ServiceExport, type ServiceImport, serviceExports, serviceImports } from '../mcs/types.ts';
import { memberObjects, sharedObjects } from '../membership/broker-objects.ts';
import { clusterSetPart } from '../part.ts';

export const exports = serviceExports('v1beta1');
export const imports = serviceImports('v1beta1');

/** A cluster of the test clusterset. */
export interface TestMember {
  readonly name: string;
  readonly cluster: TestCluster;
  part: LeaderPart;
  leader: TestLeader;
}

/** Clusters that share a broker, on one virtual clock. */
export class TestClusterSet {
  readonly clock = new VirtualClock({ startsAt: Date.UTC(2026, 10, 15, 12) });
  readonly broker = new TestCluster({}, this.clock);
  readonly members = new Map<string, TestMember>();
  /** Whether the broker can be reached. */
  isCut = false;
  /** Paths that cannot be read there, while all else can. */
  unreadable: RegExp | undefined;
  /** Whether the broker shows empty lists of what it has. */
  isLying = false;
  /** Whether addresses cannot even be asked. */
  isProbeBroken = false;
  /** Addresses at which nothing answers. */
  readonly silentAddresses = new Set<string>();
  /** Addresses of which it takes minutes to know. */
  readonly slowAddresses = new Set<string>();

  /** What members asked the broker to write, as `PUT https://…`. */
  readonly brokerWrites: string[] = [];

  /** The way to the broker. */
  readonly connect: Connect = async () => ({
    connection: connectionOver({ send: (request) => this.#send(request) }, this.clock),
    entry: {},
    close: async () => {},
  });

  async settle(milliseconds = 30_000): Promise<void> {
    await this.clock.advance(milliseconds);
  }

  async add(name: string, configuration: object = {}): Promise<TestMember> {
    const cluster = await new TestCluster({}, this.clock).setUp();
    for (const definition of mcsDefinitions) await cluster.client.create(customResourceDefinitions, definition);
    await cluster.client.create(namespaces, { metadata: { name: 'fairlead-system' } });
    await this.join(name);
    const part = this.#configure(name, configuration);
    await this.clock.advance(1_000);
    const member = { name, cluster, part, leader: this.#lead(cluster, part) };
    this.members.set(name, member);
    await this.clock.advance(1_000);
    return member;
  }

  async join(name: string): Promise<void> {
    const member = { clusterset: 'blue', cluster: name, brokerNamespace: 'fairlead-broker' };
    for (const { resource, object } of [...sharedObjects(member), ...memberObjects(member)]) {
      const found = await this.broker.client.find(resource, object.metadata);
      if (found === undefined) await this.broker.client.create(resource, object);
    }
  }

  /** With another configuration, where one is given. */
  async restart(member: TestMember, configuration?: object): Promise<void> {
    await member.leader.stop();
    if (configuration !== undefined) member.part = this.#configure(member.name, configuration);
    member.leader = this.#lead(member.cluster, member.part);
  }

  async stop(): Promise<void> {
    for (const { leader } of this.members.values()) await leader.stop();
  }

  /** Exports a Service with one pod behind it. */
  async export({ cluster }: TestMember, name: string, spec: Partial<Service['spec']> = {}): Promise<void> {
    await cluster.createService(name, { type: 'ClusterIP', ports: [{ name: 'http', port: 80 }], ...spec });
    await cluster.putSlice(name, `${name}-1`, ['10.9.0.1@node-1'], { name: 'http', port: 8080 });
    await cluster.client.create<ServiceExport>(exports, { metadata: { namespace: NAMESPACE, name } });
  }

  unexport({ cluster }: TestMember, name: string): Promise<void> {
    return cluster.client.delete(exports, { namespace: NAMESPACE, name });
  }

  imported({ cluster }: TestMember, name: string): Promise<ServiceImport | undefined> {
    return cluster.client.find(imports, { namespace: NAMESPACE, name });
  }

  async clustersOf(member: TestMember, name: string): Promise<string> {
    const found = await this.imported(member, name);
    return found === undefined ? 'none' : (found.status?.clusters ?? []).map(({ cluster }) => cluster).join(',');
  }

  /** The addresses behind an import, as `a 10.0.0.1`. */
  async endpointsOf({ cluster }: TestMember, name: string): Promise<readonly string[]> {
    const labelSelector = `multicluster.kubernetes.io/service-name=${name}`;
    const { items } = await cluster.client.list<EndpointSlice>(endpointSlices, { namespace: NAMESPACE, labelSelector });
    return items
      .flatMap(({ metadata, endpoints }) =>
        (endpoints ?? []).map(
          ({ addresses }) => `${metadata.labels?.['multicluster.kubernetes.io/source-cluster']} ${addresses.join()}`,
        ),
      )
      .toSorted();
  }

  async vipOf({ cluster }: TestMember, name: string): Promise<string> {
    return (await cluster.client.get(services, { namespace: NAMESPACE, name })).spec.clusterIP ?? '';
  }

  /** `Valid=True(Valid) Conflict=...` */
  async conditionsOf({ cluster }: TestMember, name: string): Promise<Readonly<Record<string, string>>> {
    const { status } = await cluster.client.get(exports, { namespace: NAMESPACE, name });
    return Object.fromEntries((status?.conditions ?? []).map((one) => [one.type, `${one.status} ${one.reason}`]));
  }

  #configure(name: string, configuration: object): LeaderPart {
    return clusterSetPart({
      connect: this.connect,
      probe: async (address, _, signal) => {
        if (this.isProbeBroken) throw new Error('there are no sockets left');
        if (this.slowAddresses.has(address)) await sleep(this.clock, 600_000, signal);
        return !this.silentAddresses.has(address);
      },
    }).configure({ clusterset: 'blue', cluster: name, broker: { kubeconfig: 'unused' }, ...configuration });
  }

  #lead(cluster: TestCluster, part: LeaderPart): TestLeader {
    return new TestLeader(cluster, (environment) => part.start(environment), {
      metrics: noMetrics,
      journal: new Journal(this.clock),
    });
  }

  async #send(request: HttpRequest): Promise<HttpResponse> {
    if (request.method !== 'GET') this.brokerWrites.push(`${request.method} ${request.url}`);
    if (this.isCut || this.unreadable?.test(request.url)) throw new Error('the broker cannot be reached');
    if (this.isLying && /(serviceimports|endpointslices)\?.*sendInitialEvents/.test(request.url))
      return this.#nothing();
    return this.broker.kube.transport().send(request);
  }

  /** A list that is complete, and has nothing in it. */
  #nothing(): HttpResponse {
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    const metadata = { resourceVersion: String(this.broker.kube.resourceVersion), annotations };
    const event = JSON.stringify({ type: 'BOOKMARK', object: { metadata } });
    return {
      status: 200,
      headers: {},
      body: (async function* () {
        yield Buffer.from(`${event}\n`);
      })(),
    };
  }
}
