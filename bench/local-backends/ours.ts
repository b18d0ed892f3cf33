import { ArmClient } from '@fairlead/azure/arm';
import { localBackendsPart } from '@fairlead/azure/local-backends';
import { Journal, type MetricDefinition, noMetrics, seededRandom, silentLogger, VirtualClock } from '@fairlead/control';
import {
  CacheFactory,
  EventRecorder,
  endpointSlices,
  KubeClient,
  type Node,
  namespaces,
  nodes,
  type Service,
  services,
  statusOf,
} from '@fairlead/kube';
import { connectionOver } from '@fairlead/kube/testing';
import { SimulatedKube } from '@fairlead/sim/kube';
import { emulatedAzure, LOAD_BALANCERS, LOCATION } from './emulated-azure.ts';
import { nodeAddress, type RestartShape, type RollingRestart } from './rolling-restart.ts';
import type { Side } from './side.ts';

const NAMESPACE = 'shop';
const WAITING = 'fairlead_azure_local_operations_waiting';
/** Until every Service has its load balancer, and every pool was quiet for a while. */
const SETTLING_MILLISECONDS = 600_000;

const SECTION = {
  cloud: {
    subscriptionId: 'sub',
    resourceGroup: 'cluster',
    location: LOCATION,
    vnetName: 'net',
    subnetName: 'nodes',
  },
  clusterId: 'bench',
  loadBalancers: LOAD_BALANCERS.map((name) => ({ name })),
};

/** The part itself, in a cluster that is as the restart finds it. */
export async function startOurs({ initial }: RollingRestart, shape: RestartShape): Promise<Side> {
  const clock = new VirtualClock();
  const azure = emulatedAzure(clock);
  const kube = new SimulatedKube({ clock, random: seededRandom(7) });
  const connection = connectionOver(kube.transport(), clock);
  const client = new KubeClient(connection, clock);
  await client.create(namespaces, { metadata: { name: NAMESPACE } });
  for (let node = 0; node < shape.nodes; node += 1) await createNode(client, node);
  for (const [service, pods] of initial.entries()) await createService(client, service, pods);
  let waiting = 0;
  const metrics = {
    ...noMetrics,
    set: ({ name }: MetricDefinition, value: number) => {
      if (name === WAITING) waiting = value;
    },
  };
  const part = localBackendsPart(async (_source, surroundings) => ({
    client: new ArmClient({ ...surroundings, endpoint: 'https://azure', transport: azure }),
    cloud: SECTION.cloud,
    async [Symbol.asyncDispose]() {},
  }));
  const shared = { clock, random: seededRandom(11), logger: silentLogger, metrics };
  const { signal } = new AbortController();
  void part.configure(SECTION).start({
    ...shared,
    client,
    caches: new CacheFactory({ ...shared, connection, signal }),
    journal: new Journal(clock),
    events: new EventRecorder({ ...shared, client, controller: 'fairlead.dev/azure-local', instance: 'bench' }),
    leadership: { epoch: 1, signal, covers: () => true },
    readiness: { set() {} },
    signal,
  });
  await clock.advance(SETTLING_MILLISECONDS);
  return {
    clock,
    azure,
    async change({ service, pods }) {
      await client.patchMerge(endpointSlices, sliceKey(service), { endpoints: endpointsOf(service, pods) });
    },
    serviceOf: (pool) => Number(/^shop-web-(\d+)-/.exec(pool)?.[1]),
    held: () => waiting,
  };
}

async function createNode(client: KubeClient, node: number): Promise<void> {
  const name = `node-${node}`;
  await client.create<Node>(nodes, { metadata: { name } });
  const addresses = [{ type: 'InternalIP', address: nodeAddress(node) }] as const;
  await client.patchMerge<Node>(statusOf(nodes), { name }, { status: { addresses } });
}

async function createService(client: KubeClient, service: number, pods: readonly number[]): Promise<void> {
  const name = `web-${service}`;
  await client.create<Service>(services, {
    metadata: { namespace: NAMESPACE, name },
    spec: {
      type: 'LoadBalancer',
      loadBalancerClass: 'fairlead.dev/azure-local',
      externalTrafficPolicy: 'Local',
      ports: [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 8080 }],
    },
  });
  await client.create(endpointSlices, {
    metadata: { ...sliceKey(service), labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    endpoints: endpointsOf(service, pods),
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
  });
}

const sliceKey = (service: number) => ({ namespace: NAMESPACE, name: `web-${service}-1` });

function endpointsOf(service: number, pods: readonly number[]) {
  return pods.map((node, pod) => ({
    addresses: [`10.${100 + Math.floor(service / 250)}.${service % 250}.${pod + 1}`],
    nodeName: `node-${node}`,
    conditions: { ready: true, serving: true, terminating: false },
  }));
}
