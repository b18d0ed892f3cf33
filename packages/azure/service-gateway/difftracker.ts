import type { Clock, IpAddress } from '@fairlead/control';
import { type EgressPod, EgressPods } from './egress-pods.ts';
import { NrpLocations } from './nrp-locations.ts';
import {
  NONE,
  type Place,
  PlaceTable,
  type ServiceList,
  type Spot,
  sameServices,
  union,
  withItem,
  withoutItem,
} from './places.ts';
import { type K8sResources, locationView, type NRPResources } from './resource-views.ts';
import type { InboundKey, OutboundKey, PodUid, ServiceKey } from './service-key.ts';
import { ServiceNames } from './service-names.ts';
import { holdsPod, wantedServices } from './wanted-services.ts';

/** The endpoints of a Service: address -> the IP of its node. */
export type Endpoints = ReadonlyMap<IpAddress, IpAddress>;

const NO_ENDPOINTS: ReadonlyMap<IpAddress, Place> = new Map();

/** What initialization has to do: the differences between the two sides. */
export interface SyncOperations {
  readonly create: readonly ServiceKey[];
  readonly delete: readonly ServiceKey[];
  readonly locations: readonly Place[];
}

/** An address to be updated: what to send, and what was there before. */
export interface AddressUpdate {
  readonly place: Place;
  readonly services: ServiceList;
  readonly before: ServiceList;
  readonly wasCertain: boolean;
  /** When the two sides began to differ, by the monotonic clock. */
  readonly since: number;
}

/**
 * What Kubernetes wants and what NRP, Azure's network resource provider, has; indexed both ways, with the set of places
 * at which they differ. A change on either side costs as much as the change: differences are kept, never searched for.
 */
export class DiffTracker {
  /** The services that Kubernetes wants. */
  readonly wanted = new ServiceNames();
  /** The services of ours that NRP knows. */
  readonly existing = new ServiceNames();
  /** Services in the gateway that are not ours: addresses keep them, and nothing of them is deleted. */
  readonly foreign = new Set<ServiceKey>();
  readonly pods: EgressPods;
  readonly #clock: Clock;
  readonly #table = new PlaceTable();
  readonly #nrp = new NrpLocations();
  /** Service -> its endpoints -> where they are. */
  readonly #endpoints = new Map<InboundKey, ReadonlyMap<IpAddress, Place>>();
  readonly #dirty = new Set<Place>();
  #drained: PodUid[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.pods = new EgressPods(this.#table);
  }

  /** Makes these the endpoints of the Service, and no others. What stays is not looked up again. */
  updateK8sEndpoints(key: InboundKey, endpoints: Endpoints): void {
    const before = this.#endpoints.get(key) ?? NO_ENDPOINTS;
    const after = new Map<IpAddress, Place>();
    const added: Place[] = [];
    for (const [address, location] of endpoints) {
      const known = before.get(address);
      const stays = known?.location === location;
      const place = stays ? known : this.#table.at({ location, address });
      after.set(address, place);
      if (!stays) added.push(place);
    }
    if (after.size === 0) this.#endpoints.delete(key);
    else this.#endpoints.set(key, after);
    for (const [address, place] of before) {
      if (after.get(address) === place) continue;
      place.inbound = withoutItem(place.inbound, key);
      this.#touch(place);
    }
    const alone = [key];
    for (const place of added) {
      place.inbound = place.inbound.length === 0 ? alone : withItem(place.inbound, key);
      this.#touch(place);
    }
  }

  /** Takes the pod as it is now; `promoted` when its gateway is there. */
  updateK8sPod(pod: EgressPod, promoted: boolean): void {
    for (const place of this.pods.put(pod, promoted)) this.#touchAndSettle(place);
  }

  removeK8sPod(uid: PodUid): void {
    for (const place of this.pods.remove(uid)) this.#touch(place);
    this.#settleDraining(uid);
  }

  setPodsPromoted(egress: OutboundKey, promoted: boolean): void {
    for (const place of this.pods.setPromoted(egress, promoted)) this.#touchAndSettle(place);
  }

  /** A pod that was gone when we came: it is let go when none of its addresses is left in NRP. */
  restoreDraining(uid: PodUid, spots: Iterable<Spot>): void {
    const places = new Set([...spots].map((spot) => this.#table.at(spot)));
    for (const place of this.pods.drain(uid, places)) this.#touch(place);
    this.#settleDraining(uid);
  }

  /** Sets what NRP has at a place, as listed from `listBegunAt` on; a request under way or made since knows better. */
  restoreNrp(spot: Spot, services: ServiceList, listBegunAt: number): void {
    const place = this.#table.at(spot);
    if (place.certain && place.requestedAt < listBegunAt) this.#nrp.set(place, services, true);
    this.#touchAndSettle(place);
  }

  /** NRP has no such services any more: no address can be under them, whatever became of an update that ended. */
  forgetServices(place: Place, isGone: (key: ServiceKey) => boolean, listBegunAt: number): void {
    if (place.requestedAt >= listBegunAt || !place.nrp.some(isGone)) return;
    this.#nrp.set(
      place,
      place.nrp.filter((key) => !isGone(key)),
      place.certain,
    );
    this.#touchAndSettle(place);
  }

  /** Whether NRP has, or may have, an address of ours under the service. */
  hasLocations(key: ServiceKey): boolean {
    return this.#nrp.placesOf(key).size > 0 && !this.foreign.has(key);
  }

  /** Whether NRP has an address under the service that is to stay there for now. */
  keepsLocations(key: ServiceKey): boolean {
    return [...this.#nrp.placesOf(key)].some((place) => !this.#dirty.has(place));
  }

  /** How many addresses NRP has, or may have, under the service. */
  locationCount(key: ServiceKey): number {
    return this.#nrp.placesOf(key).size;
  }

  k8sEndpoints(key: InboundKey): Endpoints {
    const places = this.#endpoints.get(key) ?? NO_ENDPOINTS;
    return new Map([...places].map(([address, { location }]) => [address, location]));
  }

  get isInSync(): boolean {
    return this.#dirty.size === 0;
  }

  get dirtyCount(): number {
    return this.#dirty.size;
  }

  /** Places at which the two sides differ, from the set that is kept; what NRP refused by itself is left out. */
  locationChanges(): readonly Place[] {
    return [...this.#dirty].filter((place) => !this.#isQuarantined(place));
  }

  /** What is wanted at the place now, as far as NRP could take it. */
  wantedAt(spot: Spot): ServiceList {
    const place = this.#table.find(spot);
    return place === undefined ? [] : this.#wanted(place);
  }

  /**
   * The updates for these places, as of now, to be sent at once: from here on NRP may have either what it had or what
   * is sent, until it is known which.
   */
  beginUpdate(places: readonly Place[]): readonly AddressUpdate[] {
    const now = this.#clock.monotonic();
    const updates: AddressUpdate[] = [];
    for (const place of places) {
      if (!this.#dirty.has(place)) continue;
      const { nrp: before, certain: wasCertain, dirtySince: since = now } = place;
      const services = this.#wanted(place);
      this.#nrp.set(place, union(before, services), false);
      place.requestedAt = Number.POSITIVE_INFINITY;
      updates.push({ place, services, before, wasCertain, since });
    }
    return updates;
  }

  /** NRP has taken the updates. Gives the services that no address is under any more. */
  confirmUpdate(updates: readonly AddressUpdate[]): readonly ServiceKey[] {
    const now = this.#clock.monotonic();
    const left = new Set<ServiceKey>();
    for (const { place, services } of updates) {
      for (const key of place.nrp) if (!services.includes(key)) left.add(key);
      place.refused = undefined;
      // If it still differs, that is since then.
      place.dirtySince = undefined;
      place.requestedAt = now;
      this.#nrp.set(place, services, true);
      this.#touchAndSettle(place);
    }
    return [...left].filter((key) => !this.hasLocations(key));
  }

  /** NRP has refused the updates as a whole: nothing of them is there. */
  refuseUpdate(updates: readonly AddressUpdate[]): void {
    for (const { place, before, wasCertain } of updates) {
      place.requestedAt = this.#clock.monotonic();
      this.#nrp.set(place, before, wasCertain);
      this.#touchAndSettle(place);
    }
  }

  /** The request has ended, and nobody knows how. */
  loseUpdate(updates: readonly AddressUpdate[]): void {
    for (const { place } of updates) place.requestedAt = this.#clock.monotonic();
  }

  /** NRP has refused this one by itself: it is left alone until something else is wanted. */
  quarantine(place: Place): ServiceList {
    place.refused = this.#wanted(place);
    return place.refused;
  }

  /** Everything that is quarantined gets another chance. */
  forgiveAll(): void {
    for (const place of this.#dirty) place.refused = undefined;
  }

  /** Pods whose addresses have all left NRP since this was last asked, and that have not come back. */
  takeDrainedPods(): readonly PodUid[] {
    if (this.#drained.length === 0) return NONE;
    const drained = this.#drained.filter((uid) => this.pods.egressOf(uid) === undefined);
    this.#drained = [];
    return drained;
  }

  /** Compares the two sides as they are known: for initialization, and for whoever wants to know what is left to do. */
  getSyncOperations(): SyncOperations {
    return {
      create: this.wanted.except(this.existing),
      delete: this.existing.except(this.wanted),
      locations: this.locationChanges(),
    };
  }

  /** Places that NRP has, or may have, under some service. */
  *programmedPlaces(): Generator<Place> {
    for (const place of this.#table.all()) if (place.nrp.length > 0) yield place;
  }

  /** What Kubernetes wants, all of it: a walk over the world. */
  get k8sResources(): K8sResources {
    const { inbound: services, outbound: egresses } = this.wanted;
    return { services, egresses, nodes: locationView(this.#table.all(), (place) => this.#wanted(place)) };
  }

  /** What NRP has, or may have, all of it: a walk over the world. */
  get nrpResources(): NRPResources {
    const { inbound: loadBalancers, outbound: natGateways } = this.existing;
    return { loadBalancers, natGateways, locations: locationView(this.#table.all(), (place) => place.nrp) };
  }

  /** Something about the place has changed: it differs now, or no longer. */
  #touch(place: Place): void {
    if (place.certain && sameServices(place.nrp, this.#wanted(place))) {
      this.#dirty.delete(place);
      place.dirtySince = undefined;
      place.refused = undefined;
      this.#table.dropIfEmpty(place);
      return;
    }
    place.dirtySince ??= this.#clock.monotonic();
    this.#dirty.add(place);
  }

  /** What NRP has at the place, or who owns it, has changed as well: pods that wait for it may go. */
  #touchAndSettle(place: Place): void {
    for (const uid of place.draining) this.#settleDraining(uid);
    this.#touch(place);
  }

  #settleDraining(uid: PodUid): void {
    const places = this.pods.drainingPlaces(uid);
    if (places === undefined || [...places].some((place) => holdsPod(place, this.pods, this.foreign))) return;
    this.#drained.push(uid);
    for (const place of this.pods.endDraining(uid)) this.#touch(place);
  }

  #isQuarantined(place: Place): boolean {
    return place.refused !== undefined && sameServices(place.refused, this.#wanted(place));
  }

  #wanted(place: Place): ServiceList {
    return wantedServices(place, this.pods, this.foreign);
  }
}
