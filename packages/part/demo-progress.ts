import { type KubeClient, services } from '@fairlead/kube';
import type { SceneProgress } from './part.ts';

/** How far a scene has come in which every Service of a namespace is to get an address. */
export async function addressProgress(
  namespace: string,
  client: Pick<KubeClient, 'list'>,
  signal: AbortSignal,
): Promise<SceneProgress> {
  const { items } = await client.list(services, { namespace, signal });
  const missing = items
    .filter(({ status }) => (status?.loadBalancer?.ingress ?? []).length === 0)
    .map(({ metadata }) => `Service ${namespace}/${metadata.name} has no address yet`);
  return { done: items.length - missing.length, total: items.length, missing };
}
