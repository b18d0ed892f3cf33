import type { Clock, IpAddress } from '@fairlead/control';
import { type CacheChange, hasFinalizer, type Pod } from '@fairlead/kube';
import type { Engine } from './engine.ts';
import type { NodeDirectory } from './node-directory.ts';
import { locatedServices } from './nrp-state.ts';
import type { Inventory } from './inventory.ts';
import type { Spot } from './places.ts';
import { type EgressPolicy, isOver, POD_FINALIZER, type PodWish, podWish } from './pod-wish.ts';
import type { WorldListing } from './repository.ts';
import { type OutboundKey, outboundKey, type PodUid, podUid } from './service-key.ts';
import type { OutboundSpec } from './service-spec.ts';

export interface PodFeedOptions {
  readonly engine: Engine;
  readonly inventory: Inventory;
  /** The cache of pods that have the label. */
  readonly pods: { list(): readonly Pod[] };
  readonly nodes: NodeDirectory;
  readonly policy: EgressPolicy;
  readonly clock: Clock;
  /** The finalizer of the pod, or the pod itself after a while, has to be looked at. */
  readonly lookAgain: (uid: PodUid, delayMilliseconds?: number) => void;
  readonly onRefused: (pod: Pod, error: unknown) => void;
  /** A pod that wanted a gateway is no longer listed. */
  readonly onVanished: (what: string) => void;
}

const ASKER = 'pod ';

/** Tells the engine which pods want which egress gateway, and knows which pods are to be held and which may go. */
export class PodFeed {
  readonly #options: PodFeedOptions;
  /** Pods that want a gateway, as last seen. */
  readonly #wanting = new Map<PodUid, Pod>();
  /** Pods that want none any more and have our finalizer. */
  readonly #leaving = new Map<PodUid, Pod>();
  /** Pods whose finalizer we have just taken off. */
  readonly #letGo = new Set<PodUid>();
  /** Pods on which we are putting our finalizer, or tried to: they may have it although nobody has seen it yet. */
  readonly #maybeHeld = new Set<PodUid>();
  #isLive = false;
  /** Until then pods may have addresses in NRP that they no longer show, and that nobody remembers. */
  #isInitiallySynced = false;

  constructor(options: PodFeedOptions) {
    this.#options = options;
  }

  podOf(uid: PodUid): Pod | undefined {
    return this.#wanting.get(uid) ?? this.#leaving.get(uid);
  }

  *wantedEgresses(): Generator<OutboundKey> {
    for (const pod of this.#options.pods.list()) {
      const wish = this.#wishOf(pod);
      if (wish.kind === 'egress') yield outboundKey(wish.name);
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
    if (wasWanting) this.#options.onVanished(`pod ${change.key}`);
  }

  begin(listing: WorldListing): void {
    this.#isLive = true;
    const pods = this.#options.pods.list();
    const gone = pods.filter((pod) => hasFinalizer(pod, POD_FINALIZER) && isOver(this.#wishOf(pod)));
    this.#restoreDraining(gone, listing);
    for (const pod of pods) this.#take(pod);
  }

  /** All addresses that nobody wants have left NRP. */
  onInitialSync(): void {
    this.#isInitiallySynced = true;
    for (const uid of this.#leaving.keys()) this.#options.lookAgain(uid);
  }

  /** The node of a pod, named by what it asked under, has changed. */
  onNode(asker: string): void {
    const uid = podUid(asker.slice(ASKER.length));
    this.lookAt(uid);
    this.#considerFinalizer(uid);
  }

  /** Looks at the pod again: time has passed, or its node has changed. Whoever asks sees to the finalizer. */
  lookAt(uid: PodUid): void {
    const pod = this.#wanting.get(uid);
    if (pod !== undefined) this.#apply(pod);
  }

  /** Nodes have got another family: gateways need an address of it. */
  onFamilies(): void {
    const { engine } = this.#options;
    for (const egress of engine.tracker.pods.localServiceNameToNRPServiceMap.keys())
      engine.addService(this.#spec(egress));
  }

  onDrained(pods: readonly PodUid[]): void {
    for (const uid of pods) this.#options.lookAgain(uid);
  }

  /** What is to be done about the finalizer of the pod, as of now. */
  finalizerWish(uid: PodUid): 'add' | 'remove' | 'nothing' {
    const { pods } = this.#options.engine.tracker;
    if (this.#leaving.has(uid)) {
      const isDrained = pods.drainingPlaces(uid) === undefined && this.#isInitiallySynced;
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

  /** A pod without the label that has our finalizer: it lost the label while nobody looked. */
  adoptStray(pod: Pod): void {
    const uid = podUid(pod.metadata.uid ?? '');
    if (this.podOf(uid) !== undefined) return;
    this.#leaving.set(uid, pod);
    this.#options.lookAgain(uid);
  }

  #take(pod: Pod): void {
    this.#apply(pod);
    this.#considerFinalizer(podUid(pod.metadata.uid ?? ''));
  }

  #considerFinalizer(uid: PodUid): void {
    if (this.finalizerWish(uid) !== 'nothing') this.#options.lookAgain(uid);
  }

  #apply(pod: Pod): void {
    const { engine, nodes, clock, lookAgain, onRefused } = this.#options;
    const wish = this.#wishOf(pod);
    const { uid } = wish;
    if (wish.kind === 'unreadable') {
      onRefused(pod, wish.error);
      return;
    }
    if (wish.kind !== 'egress') {
      this.#leave(uid, pod, 'ended');
      if (wish.kind === 'refused') onRefused(pod, wish.error);
      return;
    }
    this.#wanting.set(uid, pod);
    this.#leaving.delete(uid);
    this.#letGo.delete(uid);
    nodes.ask(`${ASKER}${uid}`, new Set(wish.nodeName === undefined ? [] : [wish.nodeName]));
    if (wish.endsAt !== undefined) lookAgain(uid, Math.max(1, wish.endsAt - clock.now()));
    const spots = wish.addresses.flatMap((address) => nodes.spotOf(address, wish.nodeName) ?? []);
    const egress = outboundKey(wish.name);
    const present = engine.tracker.pods.egressOf(uid);
    // A pod is counted from its first address on, and then until it goes: it may be without one for a moment.
    if (spots.length === 0 && present === undefined) return;
    if (present !== undefined && present !== egress) engine.deletePod(uid);
    engine.addPod(this.#spec(egress), { uid, born: wish.born, spots });
  }

  /** The pod wants no gateway any more: it has ended, lost its label, or asks for what it cannot have. */
  #leave(uid: PodUid, pod: Pod, how: 'ended' | 'vanished'): void {
    const { engine, nodes } = this.#options;
    nodes.ask(`${ASKER}${uid}`, new Set());
    engine.deletePod(uid, how);
    // The cache may be behind our own write.
    const latest = [pod, this.#wanting.get(uid)].find(
      (known) => known !== undefined && hasFinalizer(known, POD_FINALIZER),
    );
    this.#wanting.delete(uid);
    if (this.#letGo.has(uid) || (latest === undefined && !this.#maybeHeld.has(uid))) return;
    this.#leaving.set(uid, latest ?? pod);
  }

  #restoreDraining(gone: readonly Pod[], listing: WorldListing): void {
    if (gone.length === 0) return;
    const { engine, inventory } = this.#options;
    const spots = new Map<IpAddress, Spot[]>();
    for (const { spot } of locatedServices(inventory, listing.locations)) {
      spots.set(spot.address, [...(spots.get(spot.address) ?? []), spot]);
    }
    for (const pod of gone) {
      const wish = this.#wishOf(pod);
      const addresses = wish.kind === 'gone' ? wish.addresses : [];
      engine.tracker.restoreDraining(
        wish.uid,
        addresses.flatMap((address) => spots.get(address) ?? []),
      );
    }
  }

  #wishOf(pod: Pod): PodWish {
    return podWish(pod, this.#options.policy, this.#options.clock.now());
  }

  #spec(key: OutboundKey): OutboundSpec {
    return { key, families: this.#options.nodes.families, isDefault: false };
  }
}
