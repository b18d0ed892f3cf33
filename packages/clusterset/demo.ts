import type { KubeObject, Service } from '@fairlead/kube';
import type { DemoScene } from '@fairlead/part';
import { serviceImports } from './mcs/types.ts';

/** In every cluster of the demo. */
const DEMO_NAMESPACE = 'clusterset-demo';
export const DEMO_CLUSTERSET = 'demo';
/** The clusters beside the one that is shown. */
export const DEMO_PEERS = ['east', 'west'];
const CLUSTER = 'home';

/** What every cluster of the demo has: a Service, and the wish to have it everywhere. */
export const demoWorkload: readonly (KubeObject | Service)[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: DEMO_NAMESPACE } },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace: DEMO_NAMESPACE, name: 'web' },
    spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80 }] },
  },
  {
    apiVersion: 'multicluster.x-k8s.io/v1beta1',
    kind: 'ServiceExport',
    metadata: { namespace: DEMO_NAMESPACE, name: 'web' },
  },
];

/** Three clusters that export the same Service over a broker; the one that is shown imports it from all. */
export const demoScene: DemoScene = {
  description:
    'Three clusters export the same Service; kubectl get serviceimports -A shows it, from all of them. One of them is ' +
    'cut off from the broker now and then: its endpoints go after two minutes, and come back with it.',
  configuration: ({ broker = '' }) => ({
    clusterset: DEMO_CLUSTERSET,
    cluster: CLUSTER,
    broker: { kubeconfig: broker },
  }),
  objects: demoWorkload,
  async progress(client, signal) {
    const found = await client.find(serviceImports('v1beta1'), { namespace: DEMO_NAMESPACE, name: 'web' }, { signal });
    const there = (found?.status?.clusters ?? []).map(({ cluster }) => cluster);
    const missing = [CLUSTER, ...DEMO_PEERS].filter((cluster) => !there.includes(cluster));
    const text = missing.map((cluster) => `ServiceImport ${DEMO_NAMESPACE}/web is not from ${cluster} yet`);
    return { done: there.length, total: 1 + DEMO_PEERS.length, missing: text };
  },
};

export const demoClusters = [CLUSTER, ...DEMO_PEERS];
