import { type ServiceImport, SERVICE_NAME, SOURCE_CLUSTER } from '@fairlead/clusterset/mcs';
import { type Random, randomInteger, randomPick } from '@fairlead/control';
import { type EndpointSlice, endpointSlices, type KubeObject, type ObjectKey, type Resource } from '@fairlead/kube';
import { LEASE_NAMESPACE } from '../replica.ts';
import { CLUSTERS, imports, NAMESPACE, OLD, SERVICES, STEADY, STEADY_ADDRESS } from './names.ts';
import type { World } from './world.ts';

/** Any of them makes sense at any time: what is there is replaced, what is not is made, or left alone. */
export type Edit =
  | { readonly kind: 'begin' }
  | { readonly kind: 'import'; readonly service: string; readonly type: 'ClusterSetIP' | 'Headless' | 'none' }
  /** The ServiceImport of a cluster before aggregation; undefined takes it away. */
  | { readonly kind: 'older'; readonly service: string; readonly cluster: string; readonly host: number | undefined }
  /** What a cluster exports; undefined takes it away, and an empty list says that it has no pods. */
  | {
      readonly kind: 'slice';
      readonly service: string;
      readonly cluster: string;
      readonly hosts: readonly number[] | undefined;
    }
  /** The API server forgets its history: who is behind has to list anew. */
  | { readonly kind: 'compact' };

export function drawEdit(random: Random): Edit {
  const service = randomPick(random, SERVICES);
  const cluster = randomPick(random, CLUSTERS);
  const luck = random.next();
  if (luck < 0.2) return { kind: 'import', service, type: randomPick(random, ['ClusterSetIP', 'Headless', 'none']) };
  if (luck < 0.35) {
    const host = random.next() < 0.6 ? randomInteger(random, 1, 9) : undefined;
    return { kind: 'older', service, cluster: randomPick(random, [OLD, 'forged']), host };
  }
  if (luck < 0.38) return { kind: 'compact' };
  const count = randomInteger(random, 0, 3);
  const hosts = Array.from({ length: count }, () => randomInteger(random, 10, 99));
  return { kind: 'slice', service, cluster, hosts: random.next() < 0.2 ? undefined : hosts };
}

export async function apply(world: World, edit: Edit): Promise<void> {
  await change(world, edit);
  if ('service' in edit) forget(world, edit.service);
}

async function change(world: World, edit: Edit): Promise<void> {
  switch (edit.kind) {
    case 'begin':
      await put(world, imports, importOf(STEADY, 'ClusterSetIP'));
      await put(world, endpointSlices, sliceOf(STEADY, 'east', [STEADY_ADDRESS]));
      world.begunAt = world.now();
      return;
    case 'compact':
      world.kube.compact();
      return;
    case 'import':
      if (edit.type === 'none') return remove(world, imports, { namespace: NAMESPACE, name: edit.service });
      return put(world, imports, importOf(edit.service, edit.type));
    case 'older': {
      const one = olderImportOf(edit.service, edit.cluster, edit.host ?? 0);
      if (edit.host === undefined)
        return remove(world, imports, { namespace: LEASE_NAMESPACE, name: one.metadata.name });
      if (edit.cluster === OLD) remember(world, edit.service, one.spec.ips ?? []);
      return put(world, imports, one);
    }
    case 'slice': {
      const addresses = (edit.hosts ?? []).map((host) => `10.${CLUSTERS.indexOf(edit.cluster)}.0.${host}`);
      const slice = sliceOf(edit.service, edit.cluster, addresses);
      if (edit.hosts === undefined)
        return remove(world, endpointSlices, { namespace: NAMESPACE, name: slice.metadata.name });
      remember(world, edit.service, addresses);
      return put(world, endpointSlices, slice);
    }
  }
}

/** The Service may be answered with these from now on. */
function remember({ known }: World, service: string, addresses: readonly string[]): void {
  const all = known.get(service) ?? new Map<string, number | undefined>();
  for (const address of addresses) all.set(address, undefined);
  known.set(service, all);
}

/** What of a Service is gone: no cluster has an endpoint there any more. */
function forget(world: World, service: string): void {
  const slices = world.objects(endpointSlices).filter(({ metadata }) => metadata.labels?.[SERVICE_NAME] === service);
  const older = world.objects(imports).filter(({ metadata }) => metadata.name === `${service}-${NAMESPACE}-${OLD}`);
  const left = new Set([
    ...slices.flatMap(({ endpoints }) => (endpoints ?? []).flatMap(({ addresses }) => addresses)),
    ...older.flatMap(({ spec }) => spec?.ips ?? []),
  ]);
  for (const [address, goneAt] of world.known.get(service) ?? []) {
    if (!left.has(address)) world.known.get(service)?.set(address, goneAt ?? world.now());
  }
}

async function put<Kind extends KubeObject>({ editor }: World, resource: Resource<Kind>, object: Kind): Promise<void> {
  const found = await editor.find(resource, object.metadata);
  if (found === undefined) await editor.create(resource, object);
  else await editor.update(resource, { ...object, metadata: found.metadata });
}

async function remove<Kind extends KubeObject>(
  { editor }: World,
  resource: Resource<Kind>,
  key: ObjectKey,
): Promise<void> {
  if ((await editor.find(resource, key)) !== undefined) await editor.delete(resource, key);
}

function importOf(name: string, type: 'ClusterSetIP' | 'Headless'): ServiceImport {
  return { metadata: { namespace: NAMESPACE, name }, spec: { type, ports: [{ name: 'http', port: 80 }] } };
}

function olderImportOf(service: string, cluster: string, host: number): ServiceImport {
  const labels = {
    'lighthouse.submariner.io/sourceCluster': cluster,
    'lighthouse.submariner.io/sourceName': service,
    'lighthouse.submariner.io/sourceNamespace': NAMESPACE,
  };
  return {
    metadata: { namespace: LEASE_NAMESPACE, name: `${service}-${NAMESPACE}-${cluster}`, labels },
    spec: { type: 'ClusterSetIP', ports: [], ips: [cluster === OLD ? `10.90.0.${host}` : `10.66.0.${host}`] },
  };
}

function sliceOf(service: string, cluster: string, addresses: readonly string[]): EndpointSlice {
  const labels = { [SERVICE_NAME]: service, [SOURCE_CLUSTER]: cluster };
  return {
    metadata: { namespace: NAMESPACE, name: `${service}.${cluster}`, labels },
    addressType: 'IPv4',
    endpoints: [...new Set(addresses)].map((address) => ({ addresses: [address] })),
    ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
  };
}

export function describeEdit(edit: Edit): string {
  if (edit.kind === 'import') return `make ${edit.service} ${edit.type}`;
  if (edit.kind === 'older') return `${edit.cluster}, before aggregation, has ${edit.service} at ${edit.host}`;
  if (edit.kind === 'slice') return `${edit.cluster} has ${edit.service} at ${edit.hosts?.join(', ')}`;
  return edit.kind;
}
