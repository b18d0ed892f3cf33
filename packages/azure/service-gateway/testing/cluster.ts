import { seededRandom, type VirtualClock } from '@fairlead/control';
import {
  type ApiConnection,
  endpointSlices,
  events,
  KubeClient,
  namespaces,
  type Node,
  nodes,
  type Pod,
  pods,
  type Service,
  type ServiceSpec,
  services,
  statusOf,
} from '@fairlead/kube';
import { connectionOver } from '@fairlead/kube/testing';
import { SimulatedKube } from '@fairlead/sim/kube';
import { SERVICE_GATEWAY_CLASS } from '../desired.ts';
import { EGRESS_LABEL } from '../service-key.ts';

export const NAMESPACE = 'shop';

/** A simulated cluster, and somebody who edits it. */
export class TestCluster {
  readonly kube: SimulatedKube;
  readonly client: KubeClient;
  readonly clock: VirtualClock;
  /** Writes that did not come from the editor. */
  readonly writes: string[] = [];
  /** Collections that were listed from the beginning, by whoever is tested. */
  readonly lists: string[] = [];
  /** Whether a watch that would go on where another ended is told that this is too long ago. */
  forgetsHistory = false;

  constructor(clock: VirtualClock) {
    this.clock = clock;
    this.kube = new SimulatedKube({ clock, random: seededRandom(7) });
    this.client = new KubeClient(connectionOver(this.kube.transport(), clock), clock);
  }

  /** The way in for whoever is tested; its writes are counted, those of Events aside. */
  connection(): ApiConnection {
    const transport = this.kube.transport();
    return connectionOver(
      {
        send: async (request) => {
          const url = new URL(request.url);
          const { pathname, searchParams } = url;
          if (request.method !== 'GET' && !pathname.includes('/events'))
            this.writes.push(`${request.method} ${pathname}`);
          if (searchParams.has('sendInitialEvents')) this.lists.push(pathname);
          else if (searchParams.has('watch') && this.forgetsHistory) {
            this.kube.compact();
            searchParams.set('resourceVersion', '1');
          }
          return transport.send({ ...request, url: url.href });
        },
      },
      this.clock,
    );
  }

  async setUp(...nodeAddresses: readonly string[]): Promise<void> {
    await this.client.create(namespaces, { metadata: { name: NAMESPACE } });
    for (const [index, address] of nodeAddresses.entries()) await this.putNode(`node-${index + 1}`, address);
  }

  async putNode(name: string, ...addresses: readonly string[]): Promise<void> {
    const found = await this.client.find(nodes, { name });
    if (found === undefined) await this.client.create<Node>(nodes, { metadata: { name } });
    const reported = addresses.map((address) => ({ type: 'InternalIP', address }) as const);
    await this.client.patchMerge<Node>(statusOf(nodes), { name }, { status: { addresses: reported } });
  }

  async createService(
    name: string,
    spec: Partial<ServiceSpec> = {},
    annotations: Record<string, string> = {},
  ): Promise<Service> {
    return this.client.create<Service>(services, {
      metadata: { namespace: NAMESPACE, name, annotations },
      spec: {
        type: 'LoadBalancer',
        loadBalancerClass: SERVICE_GATEWAY_CLASS,
        ports: [{ port: 80, targetPort: 8080 }],
        ...spec,
      },
    });
  }

  async service(name: string): Promise<Service | undefined> {
    return this.client.find(services, { namespace: NAMESPACE, name });
  }

  /** Takes a Service away at once, whatever holds it. */
  async forceDeleteService(name: string): Promise<void> {
    const key = { namespace: NAMESPACE, name };
    await this.client.patchMerge<Service>(services, key, { metadata: { finalizers: null } });
    await this.client.delete(services, key);
  }

  /** Makes the endpoints of one slice: `10.1.0.1@node-1`. */
  async putSlice(
    service: string,
    slice: string,
    endpoints: readonly string[],
    port: { name?: string; port: number } = { port: 8080 },
  ): Promise<void> {
    const metadata = { namespace: NAMESPACE, name: slice, labels: { 'kubernetes.io/service-name': service } };
    const listed = endpoints.map((text) => {
      const [address = '', nodeName = ''] = text.split('@');
      return { addresses: [address], nodeName, conditions: { ready: true } };
    });
    const addressType = endpoints[0]?.includes(':') ? 'IPv6' : 'IPv4';
    const body = { metadata, addressType, endpoints: listed, ports: [{ protocol: 'TCP', ...port }] } as const;
    const found = await this.client.find(endpointSlices, metadata);
    if (found === undefined) await this.client.create(endpointSlices, body);
    else await this.client.patchMerge(endpointSlices, metadata, { endpoints: listed, ports: body.ports, metadata });
  }

  /** Makes a running pod with these addresses. */
  async createPod(name: string, egress: string, node: string, ...addresses: readonly string[]): Promise<Pod> {
    const key = { namespace: NAMESPACE, name };
    const container = { name: 'main', image: 'registry.invalid/main' };
    await this.client.create<Pod>(pods, {
      metadata: { ...key, labels: { [EGRESS_LABEL]: egress } },
      spec: { nodeName: node, containers: [container] },
    });
    return this.setPodAddresses(name, ...addresses);
  }

  async setPodAddresses(name: string, ...addresses: readonly string[]): Promise<Pod> {
    const [podIP] = addresses;
    const status = {
      phase: 'Running',
      podIPs: addresses.map((ip) => ({ ip })),
      ...(podIP === undefined ? {} : { podIP }),
    } as const;
    return this.client.patchMerge<Pod>(statusOf(pods), { namespace: NAMESPACE, name }, { status });
  }

  async labelPod(name: string, egress: string | null): Promise<void> {
    const metadata = { labels: { [EGRESS_LABEL]: egress } };
    await this.client.patchMerge<Pod>(pods, { namespace: NAMESPACE, name }, { metadata });
  }

  /** Deletes the pod as a kubelet does when its containers have ended. */
  async deletePod(name: string): Promise<void> {
    await this.client.delete(pods, { namespace: NAMESPACE, name }, { gracePeriodSeconds: 0 });
  }

  /** All Events, as `web EnsuredLoadBalancer: Reachable at ….` */
  async events(): Promise<readonly string[]> {
    const { items } = await this.client.list(events);
    return items
      .toSorted((left, right) => (left.eventTime < right.eventTime ? -1 : 1))
      .map(({ regarding, reason, note }) => `${regarding.name} ${reason}: ${note}`);
  }

  async pod(name: string): Promise<Pod | undefined> {
    return this.client.find(pods, { namespace: NAMESPACE, name });
  }
}
