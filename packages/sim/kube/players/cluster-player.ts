import type { Clock } from '@fairlead/control';
import { type JsonObject, objectOf } from '../../json.ts';
import type { InternalClient } from '../internal-client.ts';
import { isNode, nodes } from '../kinds/node.ts';
import { pods } from '../kinds/pod/kind.ts';
import { asPod, isPod, type Pod } from '../kinds/pod/pod.ts';
import type { KubeObject, OwnerReference } from '../object.ts';
import { secondsText } from '../schema/formats.ts';
import type { Store } from '../store/store.ts';
import { type AddressRange, addressRange, familyOf } from '../validation/addresses.ts';
import { versionText } from '../version.ts';

export interface NodeDescription {
  readonly name: string;
  /** Internal addresses. */
  readonly addresses: readonly string[];
  readonly externalAddresses?: readonly string[];
  readonly zone?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** The cloud's name for the machine. */
  readonly providerID?: string;
}

export interface PodDescription {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly node: string;
  /** Chosen from the network of the pods unless given. */
  readonly addresses?: readonly string[];
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number; readonly protocol?: string }[];
  /** Ready at once unless told otherwise. */
  readonly ready?: boolean;
  readonly owner?: OwnerReference;
  /** Further fields of the spec, such as hostname. */
  readonly spec?: JsonObject;
}

export interface PlayerOptions {
  /** One or two blocks; every pod gets an address of each. */
  readonly podRanges?: readonly string[];
  /** How long a pod that is deleted goes on before it is gone; never longer than its grace period. */
  readonly shutdownMilliseconds?: number;
}

const DEFAULT_POD_RANGES = ['10.244.0.0/16', 'fd00:10:244::/108'];
const DEFAULT_SHUTDOWN_MILLISECONDS = 2_000;
const ZONE = 'topology.kubernetes.io/zone';
const HOSTNAME = 'kubernetes.io/hostname';

/** Plays what a cluster has beside its control plane: nodes, and pods that run on them. */
export class ClusterPlayer {
  readonly #client: InternalClient;
  readonly #clock: Clock;
  readonly #ranges: readonly AddressRange[];
  #nextAddress = 1;

  constructor(client: InternalClient, store: Store, clock: Clock, options: PlayerOptions = {}) {
    const { podRanges = DEFAULT_POD_RANGES, shutdownMilliseconds = DEFAULT_SHUTDOWN_MILLISECONDS } = options;
    this.#client = client;
    this.#clock = clock;
    this.#ranges = podRanges.map(addressRange);
    store.subscribe(pods.collection, ({ before, after }) => {
      const isNew = before?.object.metadata.deletionTimestamp === undefined;
      if (isNew && after?.object.metadata.deletionTimestamp !== undefined)
        this.#end(after.object, shutdownMilliseconds);
    });
  }

  /** A node that is ready for pods. */
  addNode(description: NodeDescription): KubeObject {
    const { name, addresses, externalAddresses = [], zone, labels = {}, providerID } = description;
    const now = secondsText(this.#clock.now());
    const created = this.#client.create(nodes, {
      metadata: { name, labels: { [HOSTNAME]: name, ...(zone !== undefined && { [ZONE]: zone }), ...labels } },
      spec: { ...(providerID !== undefined && { providerID }) },
      status: {
        capacity: { cpu: '4', memory: '16Gi', pods: '110' },
        addresses: [
          ...addresses.map((address) => ({ type: 'InternalIP', address })),
          ...externalAddresses.map((address) => ({ type: 'ExternalIP', address })),
          { type: 'Hostname', address: name },
        ],
        conditions: [readiness(true, now, 'KubeletReady', 'kubelet is posting ready status')],
        nodeInfo: { kubeletVersion: versionText(), operatingSystem: 'linux', architecture: 'amd64' },
      },
    });
    return this.#client.update(nodes, { ...created, spec: { ...objectOf(created.spec), taints: null } });
  }

  /** Says whether a node is well. */
  setNodeReady(name: string, ready: boolean): void {
    const now = secondsText(this.#clock.now());
    const [reason, message] = ready
      ? (['KubeletReady', 'kubelet is posting ready status'] as const)
      : (['KubeletNotReady', 'container runtime is down'] as const);
    this.#client.modify(
      nodes,
      undefined,
      name,
      (node) => {
        if (!isNode(node)) return node;
        return { ...node, status: { ...node.status, conditions: [readiness(ready, now, reason, message)] } };
      },
      'status',
    );
  }

  removeNode(name: string): void {
    this.#client.delete(nodes, undefined, name);
  }

  /** A pod that runs. */
  runPod(description: PodDescription): Pod {
    const { namespace, name, labels, node, ports, ready = true, owner, spec = {} } = description;
    const container = { name: 'main', image: 'example.test/workload:1', ...(ports && { ports }) };
    const metadata = { namespace, name, labels, ...(owner && { ownerReferences: [owner] }) };
    this.#client.create(pods, { metadata, spec: { nodeName: node, containers: [container], ...spec } });
    const addresses = description.addresses ?? this.#addresses();
    return this.#setStatus(namespace, name, ready, addresses);
  }

  setPodReady(namespace: string, name: string, ready: boolean): void {
    const pod = this.#client.get(pods, namespace, name);
    if (pod === undefined || !isPod(pod)) return;
    this.#setStatus(namespace, name, ready, pod.status.podIPs?.map(({ ip }) => ip) ?? []);
  }

  /** Begins to delete a pod; it goes on for its last moments, and then it is gone. */
  deletePod(namespace: string, name: string): void {
    this.#client.delete(pods, namespace, name);
  }

  #addresses(): readonly string[] {
    const index = this.#nextAddress;
    this.#nextAddress += 1;
    return this.#ranges.map((range) => range.at(index));
  }

  #setStatus(namespace: string, name: string, ready: boolean, addresses: readonly string[]): Pod {
    const now = secondsText(this.#clock.now());
    const changed = this.#client.modify(
      pods,
      namespace,
      name,
      (object) => {
        const { status, spec } = asPod(object);
        const before = status.conditions?.find(({ type }) => type === 'Ready');
        const wanted = ready ? 'True' : 'False';
        const since = before?.status === wanted ? (before.lastTransitionTime ?? now) : now;
        const [first = ''] = addresses;
        return {
          ...object,
          status: {
            ...status,
            phase: 'Running',
            hostIP: this.#hostAddress(spec.nodeName ?? ''),
            podIP: first,
            podIPs: addresses.map((ip) => ({ ip })),
            startTime: status.startTime ?? now,
            conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => {
              const status = type === 'Ready' || type === 'ContainersReady' ? wanted : 'True';
              return { type, status, lastProbeTime: null, lastTransitionTime: since };
            }),
            containerStatuses: (spec.containers ?? []).map(({ name, image = '' }) => ({
              name,
              state: { running: { startedAt: status.startTime ?? now } },
              lastState: {},
              ready,
              restartCount: 0,
              image,
              imageID: image,
              started: true,
            })),
          },
        };
      },
      'status',
    );
    if (changed === undefined) throw new RangeError(`there is no pod ${namespace}/${name}`);
    return asPod(changed);
  }

  #hostAddress(name: string): string {
    const node = this.#client.get(nodes, undefined, name);
    if (node === undefined || !isNode(node)) return '';
    return node.status.addresses?.find(({ address }) => familyOf(address) !== undefined)?.address ?? '';
  }

  #end({ metadata }: KubeObject, shutdownMilliseconds: number): void {
    const { namespace = '', name, uid, deletionGracePeriodSeconds = 0 } = metadata;
    this.#clock.setTimer(Math.min(shutdownMilliseconds, deletionGracePeriodSeconds * 1000), () => {
      const pod = this.#client.get(pods, namespace, name);
      if (pod?.metadata.uid === uid) this.#client.delete(pods, namespace, name, { gracePeriodSeconds: 0 });
    });
  }
}

function readiness(ready: boolean, now: string, reason: string, message: string): JsonObject {
  return {
    type: 'Ready',
    status: ready ? 'True' : 'False',
    lastHeartbeatTime: now,
    lastTransitionTime: now,
    reason,
    message,
  };
}
