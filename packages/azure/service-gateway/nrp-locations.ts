import type { Place, ServiceList } from './places.ts';
import type { ServiceKey } from './service-key.ts';

const NO_PLACES: ReadonlySet<Place> = new Set();

/** The NRP side of the places, found by service. */
export class NrpLocations {
  /** Service -> the places NRP has, or may have, under it. */
  readonly #places = new Map<ServiceKey, Set<Place>>();

  placesOf(key: ServiceKey): ReadonlySet<Place> {
    return this.#places.get(key) ?? NO_PLACES;
  }

  set(place: Place, services: ServiceList, certain: boolean): void {
    for (const key of place.nrp) if (!services.includes(key)) this.#remove(key, place);
    for (const key of services) if (!place.nrp.includes(key)) this.#add(key, place);
    place.nrp = services;
    place.certain = certain;
  }

  #add(key: ServiceKey, place: Place): void {
    const places = this.#places.get(key);
    if (places === undefined) this.#places.set(key, new Set([place]));
    else places.add(place);
  }

  #remove(key: ServiceKey, place: Place): void {
    const places = this.#places.get(key);
    places?.delete(place);
    if (places?.size === 0) this.#places.delete(key);
  }
}
