import {
  type AddressEntry,
  type AddressKey,
  type AddressTable,
  NONE,
  type ServiceList,
  withItem,
  withoutItem,
} from './address-table.ts';
import { isOutbound, type NrpKey, type OutboundKey, type PodUid } from './nrp-key.ts';

/** A pod that chose an egress gateway, with all addresses it has now. */
export interface EgressPod {
  readonly uid: PodUid;
  /** When it was created. Of two pods that claim an address, the younger has it: the other is on its way out. */
  readonly createdAt: string;
  readonly egress: OutboundKey;
  readonly addressKeys: readonly AddressKey[];
}

interface PodRecord {
  readonly egress: OutboundKey;
  readonly createdAt: string;
  readonly entries: readonly AddressEntry[];
  /** Where it was before its addresses changed and NRP still has it: that, too, has to end before the pod may go. */
  readonly former: Set<AddressEntry>;
  /** Whether its gateway is there: until then the pod is in the buffer and is not counted. */
  promoted: boolean;
}

interface EgressRecord {
  readonly pending: Set<PodUid>;
  readonly counted: Set<PodUid>;
}

/** The pods of each egress gateway, which pod owns which address, and which pods wait for theirs to leave NRP. */
export class EgressPods {
  readonly #table: AddressTable;
  readonly #pods = new Map<PodUid, PodRecord>();
  /** Egress gateway -> its pods; none without pods. */
  readonly #egresses = new Map<OutboundKey, EgressRecord>();
  /** Pod that is gone -> where it was. */
  readonly #draining = new Map<PodUid, ReadonlySet<AddressEntry>>();

  constructor(table: AddressTable) {
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

  /** The gateway of the pod that owns the entry, and whether it is there; undefined when no pod has the entry. */
  ownerAt(entry: AddressEntry): { readonly egress: OutboundKey; readonly promoted: boolean } | undefined {
    const owner = entry.pods.at(-1);
    return owner === undefined ? undefined : this.#pods.get(owner);
  }

  /** Takes the pod as it is now. Gives the entries at which something changed. */
  put({ uid, createdAt, egress, addressKeys }: EgressPod, promoted: boolean): ReadonlySet<AddressEntry> {
    const before = this.#pods.get(uid);
    const touched = new Set(this.endDraining(uid));
    const entries = [...new Set(addressKeys.map((addressKey) => this.#table.at(addressKey)))];
    const former = new Set([...(before?.former ?? []), ...(before?.entries ?? []), ...touched]);
    for (const entry of entries) {
      former.delete(entry);
      entry.left = withoutItem(entry.left, uid);
    }
    for (const entry of former) entry.left = withItem(entry.left, uid);
    for (const entry of before?.entries ?? []) {
      if (entries.includes(entry)) continue;
      entry.pods = entry.pods.filter((pod) => pod !== uid);
      touched.add(entry);
    }
    if (before !== undefined) this.#uncount(uid, before.egress);
    this.#pods.set(uid, { egress, createdAt, entries, former, promoted });
    for (const entry of entries) {
      if (!entry.pods.includes(uid)) entry.pods = this.#byAge([...entry.pods, uid]);
      touched.add(entry);
    }
    this.#count(uid, egress, promoted);
    return touched;
  }

  /** Takes the pod out; until its addresses have left NRP it is draining. Gives the entries where something changed. */
  remove(uid: PodUid): ReadonlySet<AddressEntry> {
    const before = this.#pods.get(uid);
    if (before === undefined) return new Set();
    this.#pods.delete(uid);
    this.#uncount(uid, before.egress);
    for (const entry of before.entries) entry.pods = entry.pods.filter((pod) => pod !== uid);
    for (const entry of before.former) entry.left = withoutItem(entry.left, uid);
    return this.drain(uid, new Set([...before.entries, ...before.former]));
  }

  /** NRP has nothing there but its owner's: what it has there from now on is no matter of the pods that moved away. */
  forgetFormer(entry: AddressEntry): void {
    for (const uid of entry.left) this.#pods.get(uid)?.former.delete(entry);
    entry.left = NONE;
  }

  /** The gateway is there (or no longer): its pods leave the buffer (or return). Gives their entries. */
  setPromoted(egress: OutboundKey, promoted: boolean): ReadonlySet<AddressEntry> {
    const record = this.#egresses.get(egress);
    const touched = new Set<AddressEntry>();
    if (record === undefined) return touched;
    const [from, to] = promoted ? [record.pending, record.counted] : [record.counted, record.pending];
    for (const uid of from) {
      to.add(uid);
      const pod = this.#pods.get(uid);
      if (pod === undefined) continue;
      pod.promoted = promoted;
      for (const entry of pod.entries) touched.add(entry);
    }
    from.clear();
    return touched;
  }

  /** A pod that is gone is to be let go when these entries are free of it. */
  drain(uid: PodUid, entries: ReadonlySet<AddressEntry>): ReadonlySet<AddressEntry> {
    const former = this.#draining.get(uid) ?? new Set();
    const all = new Set([...former, ...entries]);
    this.#draining.set(uid, all);
    for (const entry of all) if (!entry.draining.includes(uid)) entry.draining = [...entry.draining, uid];
    return all;
  }

  drainingEntries(uid: PodUid): ReadonlySet<AddressEntry> | undefined {
    return this.#draining.get(uid);
  }

  /** The pod is drained, or lives again. Gives the entries that no longer wait for it. */
  endDraining(uid: PodUid): ReadonlySet<AddressEntry> {
    const entries = this.#draining.get(uid) ?? new Set();
    this.#draining.delete(uid);
    for (const entry of entries) entry.draining = entry.draining.filter((pod) => pod !== uid);
    return entries;
  }

  #byAge(pods: readonly PodUid[]): readonly PodUid[] {
    if (pods.length === 1) return pods;
    const ageOf = (uid: PodUid) => `${this.#pods.get(uid)?.createdAt ?? ''} ${uid}`;
    return pods.toSorted((left, right) => (ageOf(left) < ageOf(right) ? -1 : 1));
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

/** What is wanted at the entry now, as far as NRP could take it. Services of others that are there stay. */
export function wantedServices(entry: AddressEntry, pods: EgressPods, foreign: ReadonlySet<NrpKey>): ServiceList {
  let wanted: ServiceList = entry.inbound;
  const outbound = wantedOutbound(entry, pods, foreign);
  if (outbound !== undefined) wanted = withItem(wanted, outbound);
  if (foreign.size > 0) {
    for (const key of entry.nrp) if (foreign.has(key)) wanted = withItem(wanted, key);
  }
  return wanted;
}

/**
 * The gateway of the pod that has the entry. While that one is still being made, a pod that moves keeps the one it
 * has, so that its traffic never leaves by the wrong way; but the address of a pod that is gone passes on nothing.
 */
function wantedOutbound(entry: AddressEntry, pods: EgressPods, foreign: ReadonlySet<NrpKey>): NrpKey | undefined {
  const owner = pods.ownerAt(entry);
  if (owner === undefined) return undefined;
  if (owner.promoted) return owner.egress;
  if (entry.draining.length > 0) return undefined;
  return entry.nrp.find((key) => isOutbound(key) && !foreign.has(key));
}

/** Whether NRP has the entry under a gateway that is not its present owner's. */
export function holdsPod(entry: AddressEntry, pods: EgressPods, foreign: ReadonlySet<NrpKey>): boolean {
  const owner = pods.ownerAt(entry);
  const present = owner?.promoted === true ? owner.egress : undefined;
  return entry.nrp.some((key) => isOutbound(key) && key !== present && !foreign.has(key));
}
