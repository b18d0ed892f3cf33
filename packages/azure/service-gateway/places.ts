import type { IpAddress } from '@fairlead/control';
import type { InboundKey, PodUid, ServiceKey } from './service-key.ts';

/** Services of one address, sorted, each once: two of them are compared item by item. */
export type ServiceList = readonly ServiceKey[];

/** There are hundreds of thousands of places, and most lists are empty or the same as at the place before. */
export const NONE: readonly never[] = [];

/** One address at one node, and what Kubernetes and NRP say about it. Both sides meet here and nowhere else. */
export interface Place {
  readonly location: IpAddress;
  readonly address: IpAddress;
  /** The Services that have it among their endpoints and that NRP knows. */
  inbound: readonly InboundKey[];
  /** The pods with an egress gateway that have this address; the last, which is the youngest, is its owner. */
  pods: readonly PodUid[];
  /** Pods that had it and are waiting for it to leave NRP. */
  draining: readonly PodUid[];
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

/** Which place; both addresses in canonical spelling. */
export interface Spot {
  readonly location: IpAddress;
  readonly address: IpAddress;
}

/** All places that either side knows. */
export class PlaceTable {
  /** Node IP -> address -> place. */
  readonly #locations = new Map<IpAddress, Map<IpAddress, Place>>();

  find({ location, address }: Spot): Place | undefined {
    return this.#locations.get(location)?.get(address);
  }

  /** The place, made when it is not there yet. */
  at({ location, address }: Spot): Place {
    let places = this.#locations.get(location);
    if (places === undefined) {
      places = new Map();
      this.#locations.set(location, places);
    }
    const known = places.get(address);
    if (known !== undefined) return known;
    const place: Place = {
      location,
      address,
      inbound: NONE,
      pods: NONE,
      draining: NONE,
      nrp: NONE,
      certain: true,
      requestedAt: Number.NEGATIVE_INFINITY,
      refused: undefined,
      dirtySince: undefined,
    };
    places.set(address, place);
    return place;
  }

  /** Forgets a place that neither side says anything about. */
  dropIfEmpty(place: Place): void {
    const { location, address, inbound, pods, draining, nrp, certain } = place;
    if (!certain || inbound.length + pods.length + draining.length + nrp.length > 0) return;
    const places = this.#locations.get(location);
    // A place that was forgotten before must not take its successor along.
    if (places?.get(address) !== place) return;
    places.delete(address);
    if (places.size === 0) this.#locations.delete(location);
  }

  *all(): Generator<Place> {
    for (const places of this.#locations.values()) yield* places.values();
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
