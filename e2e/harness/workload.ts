import {
  type ContainerPort,
  type KubeClient,
  type Node,
  type NodeAddress,
  nodes,
  type ObjectKey,
  type Pod,
  pods,
  type Resource,
  statusOf,
} from '@fairlead/kube';

export interface PlayedNode {
  readonly name: string;
  /** Of either family, or both. */
  readonly addresses: readonly string[];
  readonly zone?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly providerId?: string;
}

export interface PlayedPod {
  readonly namespace: string;
  readonly name: string;
  /** Must exist: the EndpointSlice controller leaves out Pods on nodes it does not know. */
  readonly node: string;
  readonly addresses: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly ports?: readonly ContainerPort[];
  readonly ready?: boolean;
}

/** A Pod as the API wants it; what controllers read of one has no image. */
interface CompletePod extends Pod {
  readonly spec: Omit<Pod['spec'], 'containers'> & {
    readonly containers: readonly {
      readonly name: string;
      readonly image: string;
      readonly ports: readonly ContainerPort[];
    }[];
  };
}

const completePods: Resource<CompletePod> = {
  group: pods.group,
  version: pods.version,
  plural: pods.plural,
  kind: pods.kind,
  namespaced: pods.namespaced,
};

/** Creates a node that is ready, as a kubelet would. */
export async function playNode(client: KubeClient, node: PlayedNode): Promise<Node> {
  const addresses: NodeAddress[] = node.addresses.map((address) => ({ type: 'InternalIP', address }));
  const zone = node.zone === undefined ? {} : { 'topology.kubernetes.io/zone': node.zone };
  await client.create(nodes, {
    metadata: { name: node.name, labels: { 'kubernetes.io/hostname': node.name, ...zone, ...node.labels } },
    spec: node.providerId === undefined ? {} : { providerID: node.providerId },
    status: { addresses, conditions: [{ type: 'Ready', status: 'True' }] },
  });
  // Each new node is tainted as not ready; the controller that would take the taint away is not there.
  return client.patchMerge(nodes, { name: node.name }, { spec: { taints: null } });
}

/** Creates a Pod that runs on a node, as scheduler and kubelet would. */
export async function playPod(client: KubeClient, pod: PlayedPod): Promise<Pod> {
  const { namespace, name, labels, ports = [], ready = true } = pod;
  await client.create(completePods, {
    metadata: { namespace, name, labels },
    spec: { nodeName: pod.node, containers: [{ name: 'main', image: 'none', ports }] },
  });
  return client.patchMerge(statusOf(pods), pod, {
    status: {
      phase: 'Running',
      ...(pod.addresses[0] === undefined ? {} : { podIP: pod.addresses[0] }),
      podIPs: pod.addresses.map((ip) => ({ ip })),
      conditions: [readyCondition(ready)],
    },
  });
}

/** Makes a running Pod ready or not, as its readiness probe would. */
export async function setPodReady(client: KubeClient, key: ObjectKey, ready: boolean): Promise<Pod> {
  return client.patchMerge(statusOf(pods), key, { status: { conditions: [readyCondition(ready)] } });
}

/** Takes a Pod away at once. A plain deletion leaves it terminating for ever: there is no kubelet to confirm it. */
export async function removePod(client: KubeClient, key: ObjectKey): Promise<void> {
  await client.delete(pods, key, { gracePeriodSeconds: 0 });
}

function readyCondition(ready: boolean): { type: string; status: 'True' | 'False' } {
  return { type: 'Ready', status: ready ? 'True' : 'False' };
}
