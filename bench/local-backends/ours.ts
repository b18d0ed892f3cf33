import { ArmClient } from '@fairlead/azure/arm';
import { localBackendsPart } from '@fairlead/azure/local-backends';
import { type MetricDefinition, noMetrics } from '@fairlead/control';
import { endpointSlices } from '@fairlead/kube';
import { NAMESPACE, TestCluster, TestLeader } from '@fairlead/part/testing';
import { type AzureHabits, emulatedAzure, LOAD_BALANCERS, LOCATION } from './emulated-azure.ts';
import { nodeAddress, type RestartShape, type RollingRestart } from './rolling-restart.ts';
import type { Side } from './side.ts';

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
export async function startOurs(
  { initial }: RollingRestart,
  shape: RestartShape,
  { leadingEdge = true, ...habits }: AzureHabits & { readonly leadingEdge?: boolean } = {},
): Promise<Side> {
  const cluster = new TestCluster({ loadBalancerClass: 'fairlead.dev/azure-local', externalTrafficPolicy: 'Local' });
  const { clock, client } = cluster;
  const azure = emulatedAzure(clock, habits);
  await cluster.setUp();
  for (let node = 0; node < shape.nodes; node += 1) await cluster.putNode(`node-${node}`, nodeAddress(node));
  for (const [service, pods] of initial.entries()) await createService(cluster, service, pods);
  let waiting = 0;
  const metrics = {
    ...noMetrics,
    set: ({ name }: MetricDefinition, value: number) => {
      if (name === WAITING) waiting = value;
    },
  };
  const part = localBackendsPart(async (_source, dependencies) => ({
    client: new ArmClient({ ...dependencies, endpoint: 'https://azure', transport: azure }),
    cloud: SECTION.cloud,
    async [Symbol.asyncDispose]() {},
  }));
  const leader = new TestLeader(
    cluster,
    (environment) => part.configure({ ...SECTION, leadingEdge }).start(environment),
    { metrics },
  );
  await clock.advance(SETTLING_MILLISECONDS);
  if (!leader.readiness.ready) throw new Error(`the part is not ready: ${leader.readiness.reason}`);
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

async function createService(cluster: TestCluster, service: number, pods: readonly number[]): Promise<void> {
  const name = `web-${service}`;
  await cluster.createService(name, { ports: [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 8080 }] });
  await cluster.client.create(endpointSlices, {
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
