// One cluster of a simulated clusterset: what it keeps of the others, and how often it asks the broker, as one JSON line.
// `node --expose-gc member.ts CLUSTERS SERVICES_PER_CLUSTER USED_OF_THEM`.
import { clusterSetPart, joinSteps, mcsDefinitions, type ServiceImport, serviceImports } from '@fairlead/clusterset';
import { noMetrics, seededRandom, silentLogger, VirtualClock } from '@fairlead/control';
import {
  CacheFactory,
  customResourceDefinitions,
  type KubeObject,
  type Resource,
  type EndpointSlice,
  endpointSlices,
  KubeClient,
  namespaces,
} from '@fairlead/kube';
import { connectionOver } from '@fairlead/kube/testing';
import { NAMESPACE, TestCluster, TestLeader } from '@fairlead/part/testing';

const [clusters = 0, services = 0, used = 0] = process.argv.slice(2).map(Number);
const BROKER = 'fairlead-broker';
/** A connection has a pace, and no time passes here. */
const WRITES_PER_CONNECTION = 10;

const clock = new VirtualClock({ startsAt: Date.UTC(2026, 10, 15, 12) });
const broker = new TestCluster({}, clock);
const member = await new TestCluster({}, clock).setUp();
for (const definition of mcsDefinitions) await member.client.create(customResourceDefinitions, definition);
await member.client.create(namespaces, { metadata: { name: 'fairlead-system' } });

const operator = () => new KubeClient(connectionOver(broker.kube.transport(), clock), clock);
const { signal } = new AbortController();
const join = async (cluster: string) => {
  const joining = { clusterset: 'blue', cluster, brokerNamespace: BROKER };
  for (const step of await joinSteps(operator(), joining, signal)) await step.run(signal);
};
await join('own');
await clock.advance(1_000);

for (let cluster = 0; cluster < clusters; cluster += 1) {
  await join(`c${cluster}`);
  let client = operator();
  for (let service = 0; service < services; service += 1) {
    if (service % WRITES_PER_CONNECTION === 0) client = operator();
    const [record, slice] = exportOf(`c${cluster}`, service, cluster);
    await client.create(serviceImports('v1beta1'), record);
    await client.create(endpointSlices, slice);
  }
}

let calls = 0;
const outside = {
  connect: async () => {
    const transport = broker.kube.transport();
    const send: typeof transport.send = (request) => {
      calls += 1;
      return transport.send(request);
    };
    return { connection: connectionOver({ send }, clock), entry: {}, close: async () => {} };
  },
  probe: async () => true,
};
const part = clusterSetPart(outside).configure({
  clusterset: 'blue',
  cluster: 'own',
  broker: { kubeconfig: 'unused' },
});
// The simulated broker keeps what it served once: that is its own, and not the member's.
for (const one of [serviceImports('v1beta1'), endpointSlices]) await readOnce(one);
const before = liveMegabytes();
const leader = new TestLeader(member, (environment) => part.start(environment));
const wanted = clusters * used;
let imported = 0;
for (let minute = 0; minute < 60 && imported < wanted; minute += 1) {
  await clock.advance(60_000);
  imported = (await member.client.list(serviceImports('v1beta1'), { namespace: NAMESPACE })).items.length;
}
const minutesBefore = calls;
await clock.advance(600_000);
const callsPerMinute = (calls - minutesBefore) / 10;
const megabytes = liveMegabytes() - before;
console.log(JSON.stringify({ imported, megabytes, calls: minutesBefore, callsPerMinute }));
await leader.stop();
process.exit();

/** Of the Services of a cluster, the first are of a namespace that is here; the others are not. */
function exportOf(cluster: string, service: number, index: number): readonly [ServiceImport, EndpointSlice] {
  const namespace = service < used ? NAMESPACE : `elsewhere-${service % 50}`;
  const name = `web-${index}-${service}`;
  const labels = {
    'clusterset.fairlead.dev/clusterset': 'blue',
    'clusterset.fairlead.dev/managed-by': 'fairlead',
    'clusterset.fairlead.dev/source-namespace': namespace,
    'multicluster.kubernetes.io/service-name': name,
    'multicluster.kubernetes.io/source-cluster': cluster,
  };
  const place = `${BROKER}-m-${cluster}`;
  const port = { name: 'http', protocol: 'TCP', port: 80 } as const;
  return [
    {
      metadata: { namespace: place, name: `${name}.${namespace}`, labels },
      spec: { type: 'ClusterSetIP', ports: [port], ipFamilies: ['IPv4'] },
    },
    {
      metadata: { namespace: place, name: `${name}.${namespace}.ipv4`, labels },
      addressType: 'IPv4',
      endpoints: [{ addresses: [`10.${index}.${service >> 8}.${service & 255}`], conditions: { ready: true } }],
      ports: [port],
    },
  ];
}

/** As a member does that wants none of it. */
async function readOnce(resource: Resource<KubeObject>): Promise<void> {
  const stop = new AbortController();
  const connection = connectionOver(broker.kube.transport(), clock);
  const caches = new CacheFactory({
    connection,
    clock,
    logger: silentLogger,
    metrics: noMetrics,
    random: seededRandom(1),
    signal: stop.signal,
  });
  const cache = caches.selected(resource, () => false, { labelSelector: 'clusterset.fairlead.dev/clusterset=blue' });
  const synced = cache.synced(stop.signal);
  await clock.advance(60_000);
  await synced;
  stop.abort();
  await clock.advance(1_000);
}

function liveMegabytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1e6;
}
