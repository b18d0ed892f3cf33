import { type IpAddress, SetMultimap } from '@fairlead/control';
import type { InboundKey, NrpKey, OutboundKey, PodUid } from './nrp-key.ts';

/** Services of one address, sorted, each once: two of them are compared item by item. */
export type ServiceList = readonly NrpKey[];

/** There are hundreds of thousands of entries, and most lists are empty or the same as at the entry before. */
export const NONE: readonly never[] = [];

/** An address at the IP of its node; both in canonical spelling. */
export interface AddressKey {
  readonly location: IpAddress;
  readonly address: IpAddress;
}

/** What Kubernetes and NRP say about one address at one node. Both sides meet here and nowhere else. */
export interface AddressEntry extends AddressKey {
  /** The Services that have it among their endpoints and that NRP knows. */
  inbound: readonly InboundKey[];
  /** The pods with an egress gateway that have this address; the last, which is the youngest, is its owner. */
  pods: readonly PodUid[];
  /** Pods that had it and are waiting for it to leave NRP. */
  draining: readonly PodUid[];
  /** Pods that had it and live elsewhere; if they went now, they would have to wait for it to leave NRP. */
  left: readonly PodUid[];
  /** The services NRP has it under; while a request is under way, or its outcome unknown, all it may have. */
  nrp: ServiceList;
  certain: boolean;
  /** When the last request that it was part of ended, by the monotonic clock; infinity while one is under way. */
  requestedAt: number;
  /** What NRP refused for this address by itself; not asked for again until something else is wanted. */
  refused: ServiceList | undefined;
  /** Since when the two sides differ, by the monotonic clock. */
  dirtySince: number | undefined;
}

/** All entries that either side knows, by address and by service. */
export class AddressTable {
  /** Node IP -> address -> entry. */
  readonly #locations = new Map<IpAddress, Map<IpAddress, AddressEntry>>();
  /** Service -> the entries NRP has, or may have, under it. */
  readonly #underService = new SetMultimap<NrpKey, AddressEntry>();

  find({ location, address }: AddressKey): AddressEntry | undefined {
    return this.#locations.get(location)?.get(address);
  }

  /** The entry, made when it is not there yet. */
  at({ location, address }: AddressKey): AddressEntry {
    let entries = this.#locations.get(location);
    if (entries === undefined) {
      entries = new Map();
      this.#locations.set(location, entries);
    }
    const known = entries.get(address);
    if (known !== undefined) return known;
    const entry: AddressEntry = {
      location,
      address,
      inbound: NONE,
      pods: NONE,
      draining: NONE,
      left: NONE,
      nrp: NONE,
      certain: true,
      requestedAt: Number.NEGATIVE_INFINITY,
      refused: undefined,
      dirtySince: undefined,
    };
    entries.set(address, entry);
    return entry;
  }

  /** Forgets an entry that neither side says anything about. */
  dropIfEmpty(entry: AddressEntry): void {
    const { location, address, inbound, pods, draining, left, nrp, certain } = entry;
    if (!certain || inbound.length + pods.length + draining.length + left.length + nrp.length > 0) return;
    const entries = this.#locations.get(location);
    // An entry that was forgotten before must not take its successor along.
    if (entries?.get(address) !== entry) return;
    entries.delete(address);
    if (entries.size === 0) this.#locations.delete(location);
  }

  /** The entries that NRP has, or may have, under the service. */
  underService(key: NrpKey): ReadonlySet<AddressEntry> {
    return this.#underService.get(key);
  }

  /** Takes note of what NRP has; not certain: of all that it may have. */
  setNrp(entry: AddressEntry, services: ServiceList, certain: boolean): void {
    for (const key of entry.nrp) if (!services.includes(key)) this.#underService.delete(key, entry);
    for (const key of services) if (!entry.nrp.includes(key)) this.#underService.add(key, entry);
    entry.nrp = services;
    entry.certain = certain;
  }

  *all(): Generator<AddressEntry> {
    for (const entries of this.#locations.values()) yield* entries.values();
  }
}

/** The list with the item in its place in the order; the same list when it is there. */
export function withItem<Item extends string>(list: readonly Item[], item: Item): readonly Item[] {
  if (list.includes(item)) return list;
  const index = list.findIndex((other) => other > item);
  return index < 0 ? [...list, item] : list.toSpliced(index, 0, item);
}

export function withoutItem<Item extends string>(list: readonly Item[], item: Item): readonly Item[] {
  const index = list.indexOf(item);
  if (index < 0) return list;
  return list.length === 1 ? NONE : list.toSpliced(index, 1);
}

/** All that is in either list. */
export function union(left: ServiceList, right: ServiceList): ServiceList {
  return left.length === 0 ? right : right.reduce<ServiceList>(withItem, left);
}

export function sameServices(left: ServiceList, right: ServiceList): boolean {
  return left === right || (left.length === right.length && left.every((key, index) => key === right[index]));
}

/** Node IP -> address -> services. */
export type LocationView = ReadonlyMap<IpAddress, ReadonlyMap<IpAddress, ServiceList>>;

/** What Kubernetes wants. */
export interface K8sResources {
  readonly services: ReadonlySet<InboundKey>;
  readonly egresses: ReadonlySet<OutboundKey>;
  readonly nodes: LocationView;
}

/** What is there. */
export interface NRPResources {
  readonly loadBalancers: ReadonlySet<InboundKey>;
  readonly natGateways: ReadonlySet<OutboundKey>;
  readonly locations: LocationView;
}

/** One side of the entries; those without a service are left out. */
export function locationView(
  entries: Iterable<AddressEntry>,
  servicesOf: (entry: AddressEntry) => ServiceList,
): LocationView {
  const view = new Map<IpAddress, Map<IpAddress, ServiceList>>();
  for (const entry of entries) {
    const services = servicesOf(entry);
    if (services.length === 0) continue;
    const addresses = view.get(entry.location) ?? new Map<IpAddress, ServiceList>();
    view.set(entry.location, addresses.set(entry.address, services));
  }
  return view;
}
