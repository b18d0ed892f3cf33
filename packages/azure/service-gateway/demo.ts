import { type KubeClient, type Pod, pods, type Service, services } from '@fairlead/kube';
import type { DemoScene } from '@fairlead/part';
import { demoSection } from '../arm/index.ts';
import { SERVICE_GATEWAY_CLASS } from './cluster/desired.ts';
import { POD_FINALIZER } from './cluster/egress-pod.ts';
import { EGRESS_LABEL } from './engine/nrp-key.ts';

const NAMESPACE = 'azure-demo';

/** `labels` are on its pods, beside their name. */
function service(name: string, port: number, labels: Readonly<Record<string, string>> = {}): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace: NAMESPACE, name },
    spec: {
      type: 'LoadBalancer',
      loadBalancerClass: SERVICE_GATEWAY_CLASS,
      selector: { app: name, ...labels },
      ports: [{ name: 'main', port, targetPort: 8080 }],
    },
  };
}

/** Three Services behind load balancers of an emulated Azure, the pods of one behind an egress gateway. */
export const demoScene: DemoScene = {
  description:
    'Three Services get public addresses and load balancers from an emulated Azure, registered in one call; ' +
    'the pods of one leave by an egress gateway of their own.',
  configuration: ({ azure = '' }) => demoSection(azure),
  objects: [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
    service('web', 80),
    service('shop', 443),
    service('mail', 25, { [EGRESS_LABEL]: 'mail' }),
  ],
  async progress(client: KubeClient, signal: AbortSignal) {
    const { items: all } = await client.list(services, { namespace: NAMESPACE, signal });
    const { items: labelled } = await client.list(pods, { namespace: NAMESPACE, labelSelector: EGRESS_LABEL, signal });
    const missing = [
      ...all
        .filter(({ status }) => (status?.loadBalancer?.ingress ?? []).length === 0)
        .map(nameOf('has no address yet')),
      ...labelled.filter((pod) => !pod.metadata.finalizers?.includes(POD_FINALIZER)).map(nameOf('is not held yet')),
    ];
    const total = all.length + labelled.length;
    return { done: total - missing.length, total, missing };
  },
};

const nameOf = (problem: string) => (object: Service | Pod) => `${object.metadata.name} ${problem}`;
