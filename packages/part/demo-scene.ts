import { type KubeClient, type KubeObject, type ServiceSpec, services } from '@fairlead/kube';
import type { SceneProgress } from './part.ts';

/** Services with load balancers in a namespace of their own; the pods of each have its name for the label `app`. */
export function demoServices(namespace: string, specs: Readonly<Record<string, ServiceSpec>>): readonly KubeObject[] {
  const made = Object.entries(specs).map(([name, spec]) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace, name },
    spec: { type: 'LoadBalancer', selector: { app: name }, ...spec },
  }));
  return [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, ...made];
}

/** How far a scene has come in which every Service of a namespace that asks for it is to get an address. */
export async function addressProgress(
  namespace: string,
  client: Pick<KubeClient, 'list'>,
  signal: AbortSignal,
): Promise<SceneProgress> {
  const { items } = await client.list(services, { namespace, signal });
  // A person who tries things out may have made others there.
  const ours = items.filter(({ spec }) => spec.loadBalancerClass?.startsWith('fairlead.dev/'));
  const missing = ours
    .filter(({ status }) => (status?.loadBalancer?.ingress ?? []).length === 0)
    .map(({ metadata }) => `Service ${namespace}/${metadata.name} has no address yet`);
  return { done: ours.length - missing.length, total: ours.length, missing };
}
