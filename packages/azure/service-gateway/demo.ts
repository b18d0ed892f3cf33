import { type KubeClient, type Pod, pods, type Service, type ServiceSpec, services } from '@fairlead/kube';
import { type DemoScene, demoServices } from '@fairlead/part';
import { demoSection } from '../arm/index.ts';
import { SERVICE_GATEWAY_CLASS } from './cluster/desired.ts';
import { POD_FINALIZER } from './cluster/egress-pod.ts';
import { EGRESS_LABEL } from './engine/nrp-key.ts';

const NAMESPACE = 'azure-demo';

function service(port: number): ServiceSpec {
  return { loadBalancerClass: SERVICE_GATEWAY_CLASS, ports: [{ name: 'main', port, targetPort: 8080 }] };
}

/** Three Services behind load balancers of an emulated Azure, the pods of one behind an egress gateway. */
export const demoScene: DemoScene = {
  description:
    'Three Services get public addresses and load balancers from an emulated Azure, registered in one call; ' +
    'the pods of one leave by an egress gateway of their own.',
  configuration: ({ azure = '' }) => demoSection(azure),
  objects: demoServices(NAMESPACE, {
    web: service(80),
    shop: service(443),
    mail: { ...service(25), selector: { app: 'mail', [EGRESS_LABEL]: 'mail' } },
  }),
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
