import {
  type Endpoint,
  endpointSlices,
  isNotFound,
  type KubeClient,
  type Node,
  nodes,
  type Pod,
  pods,
  SERVICE_NAME_LABEL,
  type Service,
  services,
  statusOf,
} from '@fairlead/kube';
import { arrive, meddle, whim } from './azure-edits.ts';
import type { ClusterEdit, Edit, PlannedEndpoint } from './edits.ts';
import { CLASS, EGRESS_LABEL, NAMESPACE, TAGS_ANNOTATION } from './site.ts';
import type { World } from './world.ts';

export async function applyEdit(world: World, edit: Edit): Promise<void> {
  if (edit.kind === 'whim' || edit.kind === 'throttle') return whim(world, edit);
  if (edit.kind === 'meddle') return meddle(world, edit);
  if (edit.kind === 'arrival') return arrive(world, edit);
  try {
    await applyToCluster(world, edit);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

async function applyToCluster(world: World, edit: ClusterEdit): Promise<void> {
  const { editor } = world;
  switch (edit.kind) {
    case 'node':
      return makeNode(editor, edit.name, edit.addresses);
    case 'delete-node':
      return editor.delete(nodes, { name: edit.name });
    case 'slice':
      return putSlice(editor, edit);
    case 'delete-slice':
      return editor.delete(endpointSlices, { namespace: NAMESPACE, name: edit.slice });
    case 'pod':
    case 'label':
    case 'readdress':
    case 'end-pod':
    case 'delete-pod':
      return editPod(editor, edit);
    case 'create':
    case 'ports':
    case 'restrict':
    case 'tags':
    case 'type':
    case 'delete':
    case 'tear-off':
      return editService(world, edit);
  }
}

type ServiceEdit = Extract<
  ClusterEdit,
  { kind: 'create' | 'ports' | 'restrict' | 'tags' | 'type' | 'delete' | 'tear-off' }
>;
type PodEdit = Extract<ClusterEdit, { kind: 'pod' | 'label' | 'readdress' | 'end-pod' | 'delete-pod' }>;

async function editService({ editor, meddling }: World, edit: ServiceEdit): Promise<void> {
  const key = { namespace: NAMESPACE, name: edit.name };
  const found = await editor.find(services, key);
  if (edit.kind === 'create') {
    if (found === undefined) await editor.create(services, { metadata: key, spec: edit.spec });
    return;
  }
  if (found === undefined) return;
  const patch = (spec: object) => editor.patchMerge<Service>(services, key, { spec });
  switch (edit.kind) {
    case 'ports':
      await patch({ ports: edit.ports });
      return;
    case 'restrict':
      if (found.spec.type !== 'LoadBalancer') return;
      await patch({ loadBalancerSourceRanges: edit.ranges.length === 0 ? null : edit.ranges });
      return;
    case 'tags':
      await editor.patchMerge<Service>(services, key, { metadata: { annotations: { [TAGS_ANNOTATION]: edit.text } } });
      return;
    case 'type':
      if (edit.type !== found.spec.type) await patch(typeChange(edit.type));
      return;
    case 'delete':
      return editor.delete(services, key);
    case 'tear-off':
      meddling.freed.add(found.metadata.uid ?? '');
      await editor.patchMerge<Service>(services, key, { metadata: { finalizers: null } });
      if (found.metadata.deletionTimestamp === undefined) await editor.delete(services, key);
  }
}

/** The API allows the class and the ranges only on load balancers, and wipes nothing by itself. */
function typeChange(type: 'LoadBalancer' | 'ClusterIP') {
  if (type === 'LoadBalancer') return { type, loadBalancerClass: CLASS };
  return { type, loadBalancerClass: null, loadBalancerSourceRanges: null };
}

async function putSlice(editor: KubeClient, edit: Extract<ClusterEdit, { kind: 'slice' }>): Promise<void> {
  const metadata = { namespace: NAMESPACE, name: edit.slice, labels: { [SERVICE_NAME_LABEL]: edit.service } };
  const endpoints = edit.endpoints.map(toEndpoint);
  const ports = [{ name: 'p80', protocol: 'TCP', port: 8080 }] as const;
  const found = await editor.find(endpointSlices, metadata);
  if (found !== undefined) await editor.patchMerge(endpointSlices, metadata, { metadata, endpoints, ports });
  else await editor.create(endpointSlices, { metadata, addressType: edit.family, endpoints, ports });
}

function toEndpoint({ address, node, state }: PlannedEndpoint): Endpoint {
  const endpoint = { addresses: [address], nodeName: node };
  switch (state) {
    case 'ready':
      return { ...endpoint, conditions: { ready: true, serving: true, terminating: false } };
    case 'unknown':
      return endpoint;
    case 'unready':
      return { ...endpoint, conditions: { ready: false, serving: false, terminating: false } };
    case 'terminating':
      return { ...endpoint, conditions: { ready: false, serving: true, terminating: true } };
  }
}

async function editPod(editor: KubeClient, edit: PodEdit): Promise<void> {
  const key = { namespace: NAMESPACE, name: edit.name };
  const found = await editor.find(pods, key);
  if (edit.kind === 'pod') {
    if (found !== undefined) return;
    const containers = [{ name: 'main', image: 'registry.invalid/main' }];
    const metadata = { ...key, labels: { [EGRESS_LABEL]: edit.egress } };
    await editor.create<Pod>(pods, { metadata, spec: { nodeName: edit.node, containers } });
    await setPodStatus(editor, edit.name, 'Running', edit.addresses);
    return;
  }
  if (found === undefined) return;
  switch (edit.kind) {
    case 'label':
      await editor.patchMerge<Pod>(pods, key, { metadata: { labels: { [EGRESS_LABEL]: edit.egress } } });
      return;
    case 'readdress':
      if (found.status?.phase === 'Running') await setPodStatus(editor, edit.name, 'Running', edit.addresses);
      return;
    case 'end-pod':
      await editor.patchMerge<Pod>(statusOf(pods), key, { status: { phase: 'Succeeded' } });
      return;
    case 'delete-pod':
      await editor.delete(pods, key, { gracePeriodSeconds: edit.graceSeconds });
  }
}

async function setPodStatus(
  editor: KubeClient,
  name: string,
  phase: 'Running',
  addresses: readonly string[],
): Promise<void> {
  const [podIP = null] = addresses;
  const podIPs = addresses.length === 0 ? null : addresses.map((ip) => ({ ip }));
  await editor.patchMerge<Pod>(statusOf(pods), { namespace: NAMESPACE, name }, { status: { phase, podIP, podIPs } });
}

/** Makes the node, or gives it these addresses. */
export async function makeNode(editor: KubeClient, name: string, addresses: readonly string[]): Promise<void> {
  if ((await editor.find(nodes, { name })) === undefined) await editor.create<Node>(nodes, { metadata: { name } });
  const reported = addresses.map((address) => ({ type: 'InternalIP', address }) as const);
  await editor.patchMerge<Node>(statusOf(nodes), { name }, { status: { addresses: reported } });
}
