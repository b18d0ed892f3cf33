import { endpointSlices, type KubeClient, type Service } from '@fairlead/kube';
import { NAMESPACE } from './site.ts';

/** The pods of a Service, by their numbers; each Service has some of its own. */
export async function putSlice(
  editor: KubeClient,
  name: string,
  pods: readonly number[],
  service: Service | undefined,
): Promise<void> {
  const metadata = { namespace: NAMESPACE, name: `${name}-1`, labels: { 'kubernetes.io/service-name': name } };
  const endpoints = pods.map((number) => ({
    addresses: [`10.1.${name.length}.${number}`],
    conditions: { ready: true },
    targetRef: { kind: 'Pod', namespace: NAMESPACE, name: `${name}-${number}` },
  }));
  const ports = (service?.spec.ports ?? []).map(({ name: port = '', protocol = 'TCP', targetPort }) => ({
    name: port,
    protocol,
    port: Number(targetPort),
  }));
  const found = await editor.find(endpointSlices, metadata);
  if (found === undefined) await editor.create(endpointSlices, { metadata, addressType: 'IPv4', endpoints, ports });
  else await editor.patchMerge(endpointSlices, metadata, { endpoints, ports });
}
