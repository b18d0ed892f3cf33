import type { IpFamily } from '@fairlead/control';
import type { L2Port } from './l2-port.ts';
import type { L2Ports } from './l2-ports.ts';

/** Where a search through the addresses of a pool may begin: every one before that place was found to be of no use. */
export class SearchPlaces {
  readonly #known: L2Ports;
  /** pool and family -> what is searched for -> place */
  readonly #places = new Map<string, Map<string, number>>();

  constructor(known: L2Ports) {
    this.#known = known;
  }

  /** The place of the first L2 port that may be of use; goes on from where the last search ended. */
  first(pool: string, family: IpFamily, what: string, isOfNoUse: (l2Port: L2Port) => boolean): number {
    const l2Ports = this.#known.of(pool, family);
    const places = this.#of(pool, family);
    let place = places.get(what) ?? 0;
    for (let next = l2Ports[place]; next !== undefined && isOfNoUse(next); next = l2Ports[place]) place += 1;
    places.set(what, place);
    return place;
  }

  /** This one may be of use again. */
  lower(l2Port: L2Port, what: string): void {
    const places = this.#of(l2Port.pool, l2Port.family);
    const place = places.get(what);
    if (place !== undefined) places.set(what, Math.min(place, this.#known.placeOf(l2Port)));
  }

  /** The same for all that is searched for and begins with this word. */
  lowerAll(l2Port: L2Port, word: string): void {
    for (const what of this.#of(l2Port.pool, l2Port.family).keys()) {
      if (what.startsWith(`${word} `)) this.lower(l2Port, what);
    }
  }

  clear(): void {
    this.#places.clear();
  }

  #of(pool: string, family: IpFamily): Map<string, number> {
    const key = `${family} ${pool}`;
    const places = this.#places.get(key) ?? new Map<string, number>();
    this.#places.set(key, places);
    return places;
  }
}
