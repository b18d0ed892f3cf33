import { type ServiceExport, type ServiceImport, serviceExports, serviceImports } from '@fairlead/clusterset';
import { type EndpointSlice, endpointSlices, type KubeClient, type Service, services } from '@fairlead/kube';
import { ClusterSetStage } from '../../e2e/harness/clusterset-stage.ts';
import type { Figures, Progress } from '../bench.ts';
import { median, rounded } from '../statistics.ts';

const NAMESPACE = 'shop';
const CHANGES = 40;
const WARM_UP = 5;
const MASS = 500;
const AT_ONCE = 20;
const PATIENCE_MILLISECONDS = 120_000;
const imports = serviceImports('v1beta1');
const exports = serviceExports('v1beta1');

/** Two members and a broker on real API servers: one endpoint that changes, and 500 Services at once. */
export async function measureRealClusters(progress: Progress): Promise<Figures> {
  const stage = await ClusterSetStage.start();
  try {
    await stage.add('a');
    await stage.add('b');
    const [from, to] = [stage.member('a').cluster.client, stage.member('b').cluster.client];
    const latencies = await endpointLatencies(from, to);
    progress(`an endpoint from A to B: ${latencies.map(Math.round).join(' ')} ms`);
    const seconds = await massExport(from, to);
    return {
      endpointMedianMilliseconds: rounded(median(latencies)),
      endpointSlowestMilliseconds: rounded(Math.max(...latencies)),
      massExportSeconds: rounded(seconds),
    };
  } finally {
    await stage.stop();
  }
}

async function endpointLatencies(from: KubeClient, to: KubeClient): Promise<readonly number[]> {
  await create(from, 'db', { clusterIP: 'None', ports: [{ name: 'http', port: 80 }] });
  const latencies: number[] = [];
  for (let change = 0; change < WARM_UP + CHANGES; change += 1) {
    const address = `10.244.1.${change + 1}`;
    const startedAt = performance.now();
    await from.patchMerge<EndpointSlice>(
      endpointSlices,
      { namespace: NAMESPACE, name: 'db-1' },
      { endpoints: [{ addresses: [address], conditions: { ready: true } }] },
    );
    await until(async () => (await addressesOf(to, 'db')).includes(address));
    if (change >= WARM_UP) latencies.push(performance.now() - startedAt);
  }
  return latencies;
}

async function massExport(from: KubeClient, to: KubeClient): Promise<number> {
  const names = Array.from({ length: MASS }, (_, index) => `web-${index}`);
  const inTurns = async (work: (name: string) => Promise<void>) => {
    const queue = names.values();
    const worker = async () => {
      for (const name of queue) await work(name);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  };
  await inTurns((name) => create(from, name, { ports: [{ name: 'http', port: 80 }] }, false));
  const startedAt = performance.now();
  await inTurns((name) => exportOne(from, name));
  await until(async () => {
    const { items } = await to.list<ServiceImport>(imports, { namespace: NAMESPACE });
    return items.filter(({ status }) => (status?.clusters ?? []).length > 0).length > MASS;
  }, 200);
  return (performance.now() - startedAt) / 1_000;
}

async function create(client: KubeClient, name: string, spec: Service['spec'], isExported = true): Promise<void> {
  await client.create<Service>(services, { metadata: { namespace: NAMESPACE, name }, spec });
  await client.create<EndpointSlice>(endpointSlices, {
    metadata: { namespace: NAMESPACE, name: `${name}-1`, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.244.0.7'], conditions: { ready: true } }],
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
  });
  if (isExported) await exportOne(client, name);
}

async function exportOne(client: KubeClient, name: string): Promise<void> {
  await client.create<ServiceExport>(exports, { metadata: { namespace: NAMESPACE, name } });
}

async function addressesOf(client: KubeClient, service: string): Promise<readonly string[]> {
  const labelSelector = `multicluster.kubernetes.io/service-name=${service}`;
  const { items } = await client.list<EndpointSlice>(endpointSlices, { namespace: NAMESPACE, labelSelector });
  return items.flatMap(({ endpoints }) => (endpoints ?? []).flatMap(({ addresses }) => addresses));
}

async function until(isThere: () => Promise<boolean>, everyMilliseconds = 5): Promise<void> {
  const end = performance.now() + PATIENCE_MILLISECONDS;
  while (!(await isThere())) {
    if (performance.now() > end) throw new Error('it was not there in time');
    await new Promise((resolve) => setTimeout(resolve, everyMilliseconds));
  }
}
