import type { Place, PlaceTable, Spot } from './places.ts';
import type { OutboundKey, PodUid } from './service-key.ts';

/** A pod that chose an egress gateway, with all addresses it has now. */
export interface EgressPod {
  readonly uid: PodUid;
  /** When it was created. Of two pods that claim an address, the younger has it: the other is on its way out. */
  readonly born: string;
  readonly egress: OutboundKey;
  readonly spots: readonly Spot[];
}

interface PodRecord {
  readonly egress: OutboundKey;
  readonly born: string;
  readonly places: readonly Place[];
  /** Where it was before its addresses changed; they too have to leave NRP before the pod may. */
  readonly former: ReadonlySet<Spot>;
  /** Whether its gateway is there: until then the pod is in the buffer and is not counted. */
  promoted: boolean;
}

interface EgressRecord {
  readonly pending: Set<PodUid>;
  readonly counted: Set<PodUid>;
}

/** The pods of each egress gateway, which pod owns which address, and which pods wait for theirs to leave NRP. */
export class EgressPods {
  readonly #table: PlaceTable;
  readonly #pods = new Map<PodUid, PodRecord>();
  /** Egress gateway -> its pods; none without pods. */
  readonly #egresses = new Map<OutboundKey, EgressRecord>();
  /** Pod that is gone -> where it was. */
  readonly #draining = new Map<PodUid, ReadonlySet<Place>>();

  constructor(table: PlaceTable) {
    this.#table = table;
  }

  /** How many pods each gateway serves: the counter that a gateway lives by. */
  get localServiceNameToNRPServiceMap(): ReadonlyMap<OutboundKey, number> {
    return new Map([...this.#egresses].map(([egress, { counted }]) => [egress, counted.size]));
  }

  /** Pods that wait for their gateway: `pendingPods` of the gateway. */
  pendingPods(egress: OutboundKey): ReadonlySet<PodUid> {
    return this.#egresses.get(egress)?.pending ?? new Set();
  }

  /** All pods of the gateway, those that wait for it included. */
  *podsOf(egress: OutboundKey): Generator<PodUid> {
    const record = this.#egresses.get(egress);
    if (record === undefined) return;
    yield* record.pending;
    yield* record.counted;
  }

  counter(egress: OutboundKey): number {
    return this.#egresses.get(egress)?.counted.size ?? 0;
  }

  hasPods(egress: OutboundKey): boolean {
    return this.#egresses.has(egress);
  }

  egressOf(uid: PodUid): OutboundKey | undefined {
    return this.#pods.get(uid)?.egress;
  }

  get draining(): Iterable<PodUid> {
    return this.#draining.keys();
  }

  /** The gateway of the pod that owns the place, and whether it is there; undefined when no pod has the place. */
  ownerAt(place: Place): { readonly egress: OutboundKey; readonly promoted: boolean } | undefined {
    const owner = place.pods.at(-1);
    return owner === undefined ? undefined : this.#pods.get(owner);
  }

  /** Takes the pod as it is now. Gives the places at which something changed. */
  put({ uid, born, egress, spots }: EgressPod, promoted: boolean): ReadonlySet<Place> {
    const before = this.#pods.get(uid);
    const touched = new Set(this.#stopDraining(uid));
    const places = [...new Set(spots.map((spot) => this.#table.at(spot)))];
    const former = new Set<Spot>([...(before?.former ?? []), ...(before?.places ?? []), ...touched]);
    for (const place of places) former.delete(place);
    for (const place of before?.places ?? []) {
      if (places.includes(place)) continue;
      place.pods = place.pods.filter((pod) => pod !== uid);
      touched.add(place);
    }
    if (before !== undefined) this.#uncount(uid, before.egress);
    this.#pods.set(uid, { egress, born, places, former, promoted });
    for (const place of places) {
      if (!place.pods.includes(uid)) place.pods = this.#byAge([...place.pods, uid]);
      touched.add(place);
    }
    this.#count(uid, egress, promoted);
    return touched;
  }

  /** Takes the pod out; until its addresses have left NRP it is draining. Gives the places where something changed. */
  remove(uid: PodUid): ReadonlySet<Place> {
    const before = this.#pods.get(uid);
    if (before === undefined) return new Set();
    this.#pods.delete(uid);
    this.#uncount(uid, before.egress);
    for (const place of before.places) place.pods = place.pods.filter((pod) => pod !== uid);
    // A place that was forgotten meanwhile may be there again.
    const former = [...before.former].map((spot) => this.#table.at(spot));
    return this.drain(uid, new Set([...before.places, ...former]));
  }

  /** The gateway is there (or no longer): its pods leave the buffer (or return). Gives their places. */
  setPromoted(egress: OutboundKey, promoted: boolean): ReadonlySet<Place> {
    const record = this.#egresses.get(egress);
    const touched = new Set<Place>();
    if (record === undefined) return touched;
    const [from, to] = promoted ? [record.pending, record.counted] : [record.counted, record.pending];
    for (const uid of from) {
      to.add(uid);
      const pod = this.#pods.get(uid);
      if (pod === undefined) continue;
      pod.promoted = promoted;
      for (const place of pod.places) touched.add(place);
    }
    from.clear();
    return touched;
  }

  /** A pod that is gone is to be let go when these places are free of it. */
  drain(uid: PodUid, places: ReadonlySet<Place>): ReadonlySet<Place> {
    const former = this.#draining.get(uid) ?? new Set();
    const all = new Set([...former, ...places]);
    this.#draining.set(uid, all);
    for (const place of all) if (!place.draining.includes(uid)) place.draining = [...place.draining, uid];
    return all;
  }

  drainingPlaces(uid: PodUid): ReadonlySet<Place> | undefined {
    return this.#draining.get(uid);
  }

  /** The pod is drained, or lives again. Gives the places that no longer wait for it. */
  endDraining(uid: PodUid): ReadonlySet<Place> {
    return new Set(this.#stopDraining(uid));
  }

  #byAge(pods: readonly PodUid[]): readonly PodUid[] {
    if (pods.length === 1) return pods;
    const ageOf = (uid: PodUid) => `${this.#pods.get(uid)?.born ?? ''} ${uid}`;
    return pods.toSorted((left, right) => (ageOf(left) < ageOf(right) ? -1 : 1));
  }

  #stopDraining(uid: PodUid): Iterable<Place> {
    const places = this.#draining.get(uid) ?? new Set();
    this.#draining.delete(uid);
    for (const place of places) place.draining = place.draining.filter((pod) => pod !== uid);
    return places;
  }

  #count(uid: PodUid, egress: OutboundKey, promoted: boolean): void {
    const record = this.#egresses.get(egress) ?? { pending: new Set(), counted: new Set() };
    this.#egresses.set(egress, record);
    (promoted ? record.counted : record.pending).add(uid);
  }

  #uncount(uid: PodUid, egress: OutboundKey): void {
    const record = this.#egresses.get(egress);
    record?.pending.delete(uid);
    record?.counted.delete(uid);
    if (record?.pending.size === 0 && record.counted.size === 0) this.#egresses.delete(egress);
  }
}
