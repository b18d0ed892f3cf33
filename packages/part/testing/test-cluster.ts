import { seededRandom, sleep, VirtualClock } from '@fairlead/control';
import {
  type ApiConnection,
  endpointSlices,
  events,
  KubeClient,
  type KubeEvent,
  type MergePatch,
  type Node,
  namespaces,
  nodes,
  type Service,
  type ServiceSpec,
  services,
  statusOf,
} from '@fairlead/kube';
import { connectionOver } from '@fairlead/kube/testing';
import { SimulatedKube } from '@fairlead/sim/kube';

/** Where everything is that a test creates. */
export const NAMESPACE = 'shop';

/** The client of a test is not rate limited: virtual time would stand still while it waits. */
const UNPACED = { perSecond: 1, burst: Number.POSITIVE_INFINITY };

/** A simulated cluster on virtual time, and a user who edits it: `client`, and the methods that say what he does. */
export class TestCluster {
  readonly clock: VirtualClock;
  readonly kube: SimulatedKube;
  readonly client: KubeClient;
  /** Writes of the part that is tested, but for Events and Leases: `PATCH shop/services/web/status`. */
  readonly writes: string[] = [];
  /** Collections that the part listed from the beginning. */
  readonly lists: string[] = [];
  /** Whether a watch that would go on where another ended is told that this is too long ago. */
  forgetsHistory = false;
  /** Refuses requests of the part with this status; the path is that of the URL. */
  refuse: (request: { readonly method: string; readonly path: string; readonly body: string }) => number | undefined =
    () => undefined;
  /** After how many milliseconds a request of the part to this path arrives. */
  delay: (path: string) => number = () => 0;
  /** Changes what the part is answered, piece by piece as it arrives. */
  rewrite: ((text: string) => string) | undefined;
  readonly #serviceSpec: Partial<ServiceSpec>;

  /** `serviceSpec` is what Services have in common. */
  constructor(serviceSpec: Partial<ServiceSpec> = {}, clock = new VirtualClock()) {
    this.clock = clock;
    this.#serviceSpec = serviceSpec;
    this.kube = new SimulatedKube({ clock, random: seededRandom(7) });
    this.client = new KubeClient(connectionOver(this.kube.transport(), clock, 'user', UNPACED), clock);
  }

  /** The way in for the part that is tested. */
  connection(): ApiConnection {
    const transport = this.kube.transport();
    const send: typeof transport.send = async (request) => {
      const url = new URL(request.url);
      const { pathname, searchParams } = url;
      if (request.method !== 'GET' && !/\/events|\/leases/.test(pathname)) {
        this.writes.push(`${request.method} ${pathname.replace(/^.*\/namespaces\//, '')}`);
      }
      if (searchParams.has('sendInitialEvents')) this.lists.push(pathname);
      else if (searchParams.has('watch') && this.forgetsHistory) {
        this.kube.compact();
        searchParams.set('resourceVersion', '1');
      }
      const milliseconds = this.delay(pathname);
      if (milliseconds > 0) await sleep(this.clock, milliseconds);
      const status = this.refuse({ method: request.method, path: pathname, body: request.body ?? '' });
      if (status !== undefined) return { status, headers: {}, body: (async function* () {})() };
      const response = await transport.send({ ...request, url: url.href });
      const { rewrite } = this;
      return rewrite === undefined ? response : { ...response, body: rewritten(response.body, rewrite) };
    };
    return connectionOver({ send }, this.clock);
  }

  /** The namespace, and nodes `node-1`, `node-2` and so on, each with the addresses of its list. */
  async setUp(...nodeAddresses: readonly (readonly string[])[]): Promise<this> {
    await this.client.create(namespaces, { metadata: { name: NAMESPACE } });
    for (const [index, addresses] of nodeAddresses.entries()) await this.putNode(`node-${index + 1}`, ...addresses);
    return this;
  }

  async putNode(name: string, ...addresses: readonly string[]): Promise<void> {
    const found = await this.client.find(nodes, { name });
    if (found === undefined) await this.client.create<Node>(nodes, { metadata: { name } });
    const reported = addresses.map((address) => ({ type: 'InternalIP', address }) as const);
    await this.client.patchMerge<Node>(statusOf(nodes), { name }, { status: { addresses: reported } });
  }

  createService(
    name: string,
    spec: Partial<ServiceSpec> = {},
    annotations: Readonly<Record<string, string>> = {},
  ): Promise<Service> {
    return this.client.create<Service>(services, {
      metadata: { namespace: NAMESPACE, name, annotations },
      spec: { type: 'LoadBalancer', ports: [{ port: 80, targetPort: 8080 }], ...this.#serviceSpec, ...spec },
    });
  }

  editService(name: string, patch: MergePatch<Service>): Promise<Service> {
    return this.client.patchMerge<Service>(services, { namespace: NAMESPACE, name }, patch);
  }

  deleteService(name: string): Promise<void> {
    return this.client.delete(services, { namespace: NAMESPACE, name });
  }

  /** Takes a Service away at once, whatever holds it. */
  async forceDeleteService(name: string): Promise<void> {
    await this.editService(name, { metadata: { finalizers: null } });
    await this.deleteService(name);
  }

  service(name: string): Promise<Service | undefined> {
    return this.client.find(services, { namespace: NAMESPACE, name });
  }

  /** Where the status says that the Service can be reached. */
  async addresses(name: string): Promise<readonly string[]> {
    return ((await this.service(name))?.status?.loadBalancer?.ingress ?? []).map(({ ip = '' }) => ip);
  }

  /** Makes the endpoints of one slice: `10.1.0.1@node-1`, with `!` in front of one that is not ready. */
  async putSlice(
    service: string,
    slice: string,
    endpoints: readonly string[],
    port: { readonly name?: string; readonly port: number } = { port: 8080 },
  ): Promise<void> {
    const metadata = { namespace: NAMESPACE, name: slice, labels: { 'kubernetes.io/service-name': service } };
    const listed = endpoints.map((text) => {
      const [address = '', nodeName = ''] = text.replace('!', '').split('@');
      return { addresses: [address], nodeName, conditions: { ready: !text.startsWith('!') } };
    });
    const addressType = endpoints[0]?.includes(':') === true ? 'IPv6' : 'IPv4';
    const ports = [{ protocol: 'TCP', ...port }] as const;
    const found = await this.client.find(endpointSlices, metadata);
    if (found === undefined) {
      await this.client.create(endpointSlices, { metadata, addressType, endpoints: listed, ports });
      return;
    }
    await this.client.patchMerge(endpointSlices, metadata, { endpoints: listed, ports, metadata });
  }

  deleteSlice(name: string): Promise<void> {
    return this.client.delete(endpointSlices, { namespace: NAMESPACE, name });
  }

  /** All Events in order, or those about objects of this name. */
  async events(name?: string): Promise<readonly KubeEvent[]> {
    const { items } = await this.client.list(events);
    return items
      .filter(({ regarding }) => name === undefined || regarding.name === name)
      .toSorted((left, right) => left.eventTime.localeCompare(right.eventTime) || versionOf(left) - versionOf(right));
  }

  /** The same as `web EnsuredLoadBalancer: Reachable at 192.0.2.10.` */
  async eventLines(name?: string): Promise<readonly string[]> {
    return (await this.events(name)).map(({ regarding, reason, note }) => `${regarding.name} ${reason}: ${note}`);
  }
}

/** Of two Events of the same moment, the one that was written first comes first. */
const versionOf = ({ metadata }: KubeEvent) => Number(metadata.resourceVersion);

async function* rewritten(body: AsyncIterable<Uint8Array>, rewrite: (text: string) => string) {
  for await (const piece of body) yield Buffer.from(rewrite(Buffer.from(piece).toString()));
}
