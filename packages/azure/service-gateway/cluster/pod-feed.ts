import type { Clock, IpAddress } from '@fairlead/control';
import { type CacheChange, type Controller, hasFinalizer, type Pod } from '@fairlead/kube';
import type { AddressEntry } from '../engine/address-table.ts';
import type { Engine } from '../engine/engine.ts';
import { type OutboundKey, outboundKey, type PodUid, podUid } from '../engine/nrp-key.ts';
import type { OutboundSpec } from '../engine/service-spec.ts';
import { type EgressPolicy, type EgressRequest, egressRequest, POD_FINALIZER } from './egress-pod.ts';
import type { NodeDirectory } from './node-directory.ts';

export interface PodFeedOptions {
  readonly engine: Engine;
  /** The cache of pods that have the label. */
  readonly pods: { list(): readonly Pod[] };
  readonly nodes: NodeDirectory;
  readonly policy: EgressPolicy;
  readonly clock: Clock;
  /** Where pods are looked at again, by UID, and their finalizers seen to. */
  readonly queue: Pick<Controller, 'add'>;
}

const WATCHER = 'pod ';

/** Tells the engine which pods want which egress gateway, and knows which pods are to be held and which may go. */
export class PodFeed {
  readonly #options: PodFeedOptions;
  /** Pods that want a gateway, as last seen. */
  readonly #wanting = new Map<PodUid, Pod>();
  /** Pods that want none any more and have our finalizer. */
  readonly #leaving = new Map<PodUid, Pod>();
  /** Pods whose finalizer we have just taken off. */
  readonly #letGo = new Set<PodUid>();
  /** Pods on which we are putting our finalizer, or tried to: they may have it although the cache does not show it yet. */
  readonly #maybeHeld = new Set<PodUid>();
  #isLive = false;
  /** Until then pods may have addresses in NRP that they no longer show, and that are not remembered. */
  #isInitiallySynced = false;

  constructor(options: PodFeedOptions) {
    this.#options = options;
  }

  podOf(uid: PodUid): Pod | undefined {
    return this.#wanting.get(uid) ?? this.#leaving.get(uid);
  }

  *wantedEgresses(): Generator<OutboundKey> {
    for (const pod of this.#options.pods.list()) {
      const request = this.#requestOf(pod);
      if (request.kind === 'egress') yield outboundKey(request.name);
    }
  }

  onPod(change: CacheChange<Pod>): void {
    if (!this.#isLive) return;
    if (change.type !== 'delete') {
      this.#take(change.after);
      return;
    }
    // It has ended without our seeing it, or lost its label; or the list that it is missing from is wrong.
    const uid = podUid(change.before.metadata.uid ?? '');
    const wasWanting = this.#wanting.has(uid);
    this.#leave(uid, change.before, 'vanished');
    this.#considerFinalizer(uid);
    this.#letGo.delete(uid);
    const why = `pod ${change.key} is gone without having been let go`;
    if (wasWanting) this.#options.engine.effects.push({ kind: 'drift-suspected', why });
  }

  begin(): void {
    this.#isLive = true;
    for (const pod of this.#options.pods.list()) this.#take(pod);
    this.#restoreDraining();
  }

  /** All addresses that are not wanted have left NRP. */
  onInitialSync(): void {
    this.#isInitiallySynced = true;
    for (const uid of this.#leaving.keys()) this.#options.queue.add(uid);
  }

  /** The node of a pod, named by what it asked under, has changed. */
  onNode(watcher: string): void {
    const uid = podUid(watcher.slice(WATCHER.length));
    this.lookAt(uid);
    this.#considerFinalizer(uid);
  }

  /** Looks at the pod again: time has passed, or its node has changed. The caller sees to the finalizer. */
  lookAt(uid: PodUid): void {
    const pod = this.#wanting.get(uid);
    if (pod !== undefined) this.#apply(pod);
  }

  /** Nodes have got another family. */
  onFamilies(): void {
    const { engine } = this.#options;
    for (const egress of engine.tracker.pods.localServiceNameToNRPServiceMap.keys())
      engine.addService(this.#spec(egress));
  }

  onDrained(pods: readonly PodUid[]): void {
    for (const uid of pods) this.#options.queue.add(uid);
  }

  /** What is to be done about the finalizer of the pod, as of now. */
  finalizerChange(uid: PodUid): 'add' | 'remove' | 'nothing' {
    const { pods } = this.#options.engine.tracker;
    if (this.#leaving.has(uid)) {
      const isDrained = pods.drainingEntries(uid) === undefined && this.#isInitiallySynced;
      return isDrained ? 'remove' : 'nothing';
    }
    const pod = this.#wanting.get(uid);
    if (pod === undefined || pods.egressOf(uid) === undefined || hasFinalizer(pod, POD_FINALIZER)) return 'nothing';
    return pod.metadata.deletionTimestamp === undefined ? 'add' : 'nothing';
  }

  /** The finalizer is about to be put on the pod. */
  onFinalizerAttempted(uid: PodUid): void {
    this.#maybeHeld.add(uid);
  }

  /** The finalizer was put on the pod, or taken off it; undefined when the pod is gone. */
  onFinalizerWritten(uid: PodUid, pod: Pod | undefined): void {
    this.#maybeHeld.delete(uid);
    if (pod !== undefined && hasFinalizer(pod, POD_FINALIZER)) {
      if (this.#wanting.has(uid)) this.#wanting.set(uid, pod);
      else this.adoptStray(pod);
      return;
    }
    this.#leaving.delete(uid);
    this.#letGo.add(uid);
  }

  /** A pod without the label that has our finalizer: it lost the label while no replica led. */
  adoptStray(pod: Pod): void {
    const uid = podUid(pod.metadata.uid ?? '');
    if (this.podOf(uid) !== undefined) return;
    this.#leaving.set(uid, pod);
    this.#options.queue.add(uid);
  }

  #take(pod: Pod): void {
    this.#apply(pod);
    this.#considerFinalizer(podUid(pod.metadata.uid ?? ''));
  }

  #considerFinalizer(uid: PodUid): void {
    if (this.finalizerChange(uid) !== 'nothing') this.#options.queue.add(uid);
  }

  #apply(pod: Pod): void {
    const { engine, nodes, clock, queue } = this.#options;
    const request = this.#requestOf(pod);
    const { uid } = request;
    if (request.kind !== 'egress') {
      if (request.kind !== 'unreadable') this.#leave(uid, pod, 'ended');
      if (request.kind !== 'gone') engine.effects.push({ kind: 'pod-refused', pod, error: request.error });
      return;
    }
    this.#wanting.set(uid, pod);
    this.#leaving.delete(uid);
    this.#letGo.delete(uid);
    nodes.watch(`${WATCHER}${uid}`, new Set(request.nodeName === undefined ? [] : [request.nodeName]));
    if (request.endsAt !== undefined) {
      queue.add(uid, { delayMilliseconds: Math.max(1, request.endsAt - clock.now()) });
    }
    const addressKeys = request.addresses.flatMap((address) => nodes.addressKeyOf(address, request.nodeName) ?? []);
    const egress = outboundKey(request.name);
    const present = engine.tracker.pods.egressOf(uid);
    // A pod is counted from its first address on, and then until it goes: it may be without one for a moment.
    if (addressKeys.length === 0 && present === undefined) return;
    if (present !== undefined && present !== egress) engine.deletePod(uid);
    engine.addPod(this.#spec(egress), { uid, createdAt: request.createdAt, addressKeys });
  }

  /** The pod wants no gateway any more: it has ended, lost its label, or asks for what it cannot have. */
  #leave(uid: PodUid, pod: Pod, how: 'ended' | 'vanished'): void {
    const { engine, nodes } = this.#options;
    nodes.watch(`${WATCHER}${uid}`, new Set());
    engine.deletePod(uid, how);
    // The cache may be behind our own write.
    const seen = [pod, this.#wanting.get(uid) ?? pod];
    const latest = seen.find((known) => hasFinalizer(known, POD_FINALIZER));
    this.#wanting.delete(uid);
    if (this.#letGo.has(uid) || (latest === undefined && !this.#maybeHeld.has(uid))) return;
    this.#leaving.set(uid, latest ?? pod);
  }

  /** Pods that are held and have ended wait for what NRP still has of them. Those that go on are known by now. */
  #restoreDraining(): void {
    const { engine, nodes } = this.#options;
    const requests = [...this.#leaving.values()].map((pod) => this.#requestOf(pod));
    const gone = requests.filter((request) => request.kind === 'gone');
    if (gone.length === 0) return;
    const programmed = Map.groupBy(engine.tracker.programmedEntries(), ({ address }) => address);
    for (const { uid, addresses, nodeName } of gone) {
      const entries = addresses.flatMap((address) => {
        const location = nodes.addressKeyOf(address, nodeName)?.location;
        return (programmed.get(address) ?? []).filter((entry) => isLeftAt(entry, location));
      });
      engine.tracker.restoreDraining(uid, entries);
    }
  }

  #requestOf(pod: Pod): EgressRequest {
    return egressRequest(pod, this.#options.policy, this.#options.clock.now());
  }

  #spec(key: OutboundKey): OutboundSpec {
    return { key, families: this.#options.nodes.families, isDefault: false };
  }
}

/**
 * Whether NRP may have the entry because of a pod that has ended at this location. One that a pod has on another node is
 * that pod's own. While its node is not known, each may be: another node may have got its IP.
 */
function isLeftAt(entry: AddressEntry, location: IpAddress | undefined): boolean {
  return location === undefined || entry.location === location || entry.pods.length === 0;
}
