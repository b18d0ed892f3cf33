import type { Clock, IpAddress } from '@fairlead/control';
import {
  type AddressEntry,
  type AddressKey,
  AddressTable,
  type K8sResources,
  locationView,
  NONE,
  type NRPResources,
  type ServiceList,
  sameServices,
  union,
  withItem,
  withoutItem,
} from './address-table.ts';
import { type EgressPod, EgressPods, holdsPod, wantedServices } from './egress-pods.ts';
import { type InboundKey, type NrpKey, type OutboundKey, type PodUid, ServiceNames } from './nrp-key.ts';

/** The endpoints of a Service: address -> the IP of its node. */
export type Endpoints = ReadonlyMap<IpAddress, IpAddress>;

const NO_ENDPOINTS: ReadonlyMap<IpAddress, AddressEntry> = new Map();

/** What initialization has to do: the differences between the two sides. */
export interface SyncOperations {
  readonly create: readonly NrpKey[];
  readonly delete: readonly NrpKey[];
  readonly locations: readonly AddressEntry[];
}

/** An address to be updated: what to send, and what was there before. */
export interface AddressUpdate {
  readonly entry: AddressEntry;
  readonly services: ServiceList;
  readonly before: ServiceList;
  readonly wasCertain: boolean;
  /** When the two sides began to differ, by the monotonic clock. */
  readonly since: number;
}

/**
 * What Kubernetes wants and what NRP, Azure's network resource provider, has; indexed both ways, with the set of entries
 * at which they differ. A change on either side costs as much as the change: differences are kept, never searched for.
 */
export class DiffTracker {
  /** The services that Kubernetes wants. */
  readonly wanted = new ServiceNames();
  /** The services of ours that NRP knows. */
  readonly existing = new ServiceNames();
  /** Services in the gateway that are not ours: addresses keep them, and nothing of them is deleted. */
  readonly foreign = new Set<NrpKey>();
  readonly pods: EgressPods;
  readonly #clock: Clock;
  readonly #table = new AddressTable();
  /** Service -> its endpoints -> where they are. */
  readonly #endpoints = new Map<InboundKey, Map<IpAddress, AddressEntry>>();
  readonly #dirty = new Set<AddressEntry>();
  #drained: PodUid[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.pods = new EgressPods(this.#table);
  }

  /** Makes these the endpoints of the Service, and no others. What stays is not looked up again. */
  updateK8sEndpoints(key: InboundKey, endpoints: Endpoints): void {
    const entries = this.#endpoints.get(key) ?? new Map<IpAddress, AddressEntry>();
    const removed: AddressEntry[] = [];
    const added: AddressEntry[] = [];
    for (const [address, location] of endpoints) {
      const known = entries.get(address);
      if (known?.location === location) continue;
      if (known !== undefined) removed.push(known);
      const entry = this.#table.at({ location, address });
      entries.set(address, entry);
      added.push(entry);
    }
    if (entries.size > endpoints.size) {
      for (const [address, entry] of entries) {
        if (endpoints.has(address)) continue;
        entries.delete(address);
        removed.push(entry);
      }
    }
    if (entries.size === 0) this.#endpoints.delete(key);
    else this.#endpoints.set(key, entries);
    for (const entry of removed) {
      entry.inbound = withoutItem(entry.inbound, key);
      this.#touch(entry);
    }
    const alone = [key];
    for (const entry of added) {
      entry.inbound = entry.inbound.length === 0 ? alone : withItem(entry.inbound, key);
      this.#touch(entry);
    }
  }

  /** Takes the pod as it is now; `promoted` when its gateway is there. */
  updateK8sPod(pod: EgressPod, promoted: boolean): void {
    for (const entry of this.pods.put(pod, promoted)) this.#touchAndSettle(entry);
  }

  removeK8sPod(uid: PodUid): void {
    for (const entry of this.pods.remove(uid)) this.#touchAndSettle(entry);
    this.#settleDraining(uid);
  }

  setPodsPromoted(egress: OutboundKey, promoted: boolean): void {
    for (const entry of this.pods.setPromoted(egress, promoted)) this.#touchAndSettle(entry);
  }

  /** A pod that was gone when we came: it is let go when none of its addresses is left in NRP. */
  restoreDraining(uid: PodUid, addressKeys: Iterable<AddressKey>): void {
    const entries = new Set([...addressKeys].map((addressKey) => this.#table.at(addressKey)));
    for (const entry of this.pods.drain(uid, entries)) this.#touch(entry);
    this.#settleDraining(uid);
  }

  /** Sets what NRP has at an entry, as listed from `listBegunAt` on; a request under way or made since knows better. */
  restoreNrp(addressKey: AddressKey, services: ServiceList, listBegunAt: number): void {
    const entry = this.#table.at(addressKey);
    if (entry.certain && entry.requestedAt < listBegunAt) this.#table.setNrp(entry, services, true);
    this.#touchAndSettle(entry);
  }

  /** NRP has no such services any more: no address can be under them, whatever became of an update that ended. */
  forgetServices(entry: AddressEntry, isGone: (key: NrpKey) => boolean, listBegunAt: number): void {
    if (entry.requestedAt >= listBegunAt || !entry.nrp.some(isGone)) return;
    const left = entry.nrp.filter((key) => !isGone(key));
    this.#table.setNrp(entry, left, entry.certain);
    this.#touchAndSettle(entry);
  }

  /** Whether NRP has, or may have, an address of ours under the service. */
  hasLocations(key: NrpKey): boolean {
    return this.#table.underService(key).size > 0 && !this.foreign.has(key);
  }

  /** Whether NRP has an address under the service that stays there for now: it is to, or NRP refuses to change it. */
  keepsLocations(key: NrpKey): boolean {
    return [...this.#table.underService(key)].some((entry) => !this.#dirty.has(entry) || this.#isQuarantined(entry));
  }

  /** How many addresses NRP has, or may have, under the service. */
  locationCount(key: NrpKey): number {
    return this.#table.underService(key).size;
  }

  k8sEndpoints(key: InboundKey): Endpoints {
    const entries = this.#endpoints.get(key) ?? NO_ENDPOINTS;
    return new Map([...entries].map(([address, { location }]) => [address, location]));
  }

  get isInSync(): boolean {
    return this.#dirty.size === 0;
  }

  get dirtyCount(): number {
    return this.#dirty.size;
  }

  /** Entries at which the two sides differ, from the set that is kept; what NRP refused by itself is left out. */
  locationChanges(): readonly AddressEntry[] {
    return [...this.#dirty].filter((entry) => !this.#isQuarantined(entry));
  }

  /** What is wanted at the entry now, as far as NRP could take it. */
  wantedAt(addressKey: AddressKey): ServiceList {
    const entry = this.#table.find(addressKey);
    return entry === undefined ? [] : this.#wanted(entry);
  }

  /**
   * The updates for these entries, as of now, to be sent at once: from here on NRP may have either what it had or what
   * is sent, until it is known which.
   */
  beginUpdate(entries: readonly AddressEntry[]): readonly AddressUpdate[] {
    const now = this.#clock.monotonic();
    const updates: AddressUpdate[] = [];
    for (const entry of entries) {
      if (!this.#dirty.has(entry)) continue;
      const { nrp: before, certain: wasCertain, dirtySince: since = now } = entry;
      const services = this.#wanted(entry);
      this.#table.setNrp(entry, union(before, services), false);
      entry.requestedAt = Number.POSITIVE_INFINITY;
      updates.push({ entry, services, before, wasCertain, since });
    }
    return updates;
  }

  /** NRP has taken the updates. Gives the services that no address is under any more. */
  confirmUpdate(updates: readonly AddressUpdate[]): readonly NrpKey[] {
    const now = this.#clock.monotonic();
    const left = new Set<NrpKey>();
    for (const { entry, services } of updates) {
      for (const key of entry.nrp) if (!services.includes(key)) left.add(key);
      entry.refused = undefined;
      // If it still differs, that is since then.
      entry.dirtySince = undefined;
      entry.requestedAt = now;
      this.#table.setNrp(entry, services, true);
      this.#touchAndSettle(entry);
    }
    return [...left].filter((key) => !this.hasLocations(key));
  }

  /** NRP has refused the updates as a whole: nothing of them is there. */
  refuseUpdate(updates: readonly AddressUpdate[]): void {
    for (const { entry, before, wasCertain } of updates) {
      entry.requestedAt = this.#clock.monotonic();
      this.#table.setNrp(entry, before, wasCertain);
      this.#touchAndSettle(entry);
    }
  }

  /** The request has ended, and it is not known how. */
  loseUpdate(updates: readonly AddressUpdate[]): void {
    for (const { entry } of updates) entry.requestedAt = this.#clock.monotonic();
  }

  /** NRP has refused this one by itself: it is left alone until something else is wanted. */
  quarantine(entry: AddressEntry): ServiceList {
    entry.refused = this.#wanted(entry);
    return entry.refused;
  }

  /** Everything that is quarantined gets another chance. */
  clearQuarantine(): void {
    for (const entry of this.#dirty) entry.refused = undefined;
  }

  /** Pods whose addresses have all left NRP since this was last asked, and that have not come back. */
  takeDrainedPods(): readonly PodUid[] {
    if (this.#drained.length === 0) return NONE;
    const drained = this.#drained.filter((uid) => this.pods.egressOf(uid) === undefined);
    this.#drained = [];
    return drained;
  }

  /** Compares the two sides as they are known: for initialization, and for the log. */
  getSyncOperations(): SyncOperations {
    return {
      create: this.wanted.except(this.existing),
      delete: this.existing.except(this.wanted),
      locations: this.locationChanges(),
    };
  }

  /** Entries that NRP has, or may have, under some service. */
  *programmedEntries(): Generator<AddressEntry> {
    for (const entry of this.#table.all()) if (entry.nrp.length > 0) yield entry;
  }

  /** What Kubernetes wants, all of it: a walk over the world. */
  get k8sResources(): K8sResources {
    const { inbound: services, outbound: egresses } = this.wanted;
    return { services, egresses, nodes: locationView(this.#table.all(), (entry) => this.#wanted(entry)) };
  }

  /** What NRP has, or may have, all of it: a walk over the world. */
  get nrpResources(): NRPResources {
    const { inbound: loadBalancers, outbound: natGateways } = this.existing;
    return { loadBalancers, natGateways, locations: locationView(this.#table.all(), (entry) => entry.nrp) };
  }

  /** Something about the entry has changed: it differs now, or no longer. */
  #touch(entry: AddressEntry): void {
    if (entry.certain && sameServices(entry.nrp, this.#wanted(entry))) {
      this.#dirty.delete(entry);
      entry.dirtySince = undefined;
      entry.refused = undefined;
      this.#table.dropIfEmpty(entry);
      return;
    }
    entry.dirtySince ??= this.#clock.monotonic();
    this.#dirty.add(entry);
  }

  /** What NRP has at the entry, or who owns it, has changed as well: pods that wait for it may go. */
  #touchAndSettle(entry: AddressEntry): void {
    for (const uid of entry.draining) this.#settleDraining(uid);
    if (!holdsPod(entry, this.pods, this.foreign)) this.pods.forgetFormer(entry);
    this.#touch(entry);
  }

  #settleDraining(uid: PodUid): void {
    const entries = this.pods.drainingEntries(uid);
    if (entries === undefined || [...entries].some((entry) => holdsPod(entry, this.pods, this.foreign))) return;
    this.#drained.push(uid);
    for (const entry of this.pods.endDraining(uid)) this.#touch(entry);
  }

  #isQuarantined(entry: AddressEntry): boolean {
    return entry.refused !== undefined && sameServices(entry.refused, this.#wanted(entry));
  }

  #wanted(entry: AddressEntry): ServiceList {
    return wantedServices(entry, this.pods, this.foreign);
  }
}
