import type { Nft } from '../apply/node.ts';
import { type Element, ownElements } from './elements.ts';
import type { Bank } from './layout.ts';
import { elementScript } from './scripts.ts';
import type { Served } from './served.ts';

/** So many elements are looked at before others have their turn. */
const PORTION = 1_000;

/** One walk over everything that the table should hold, in portions. Elements that nobody asked for lead nowhere. */
export class Verification {
  readonly #nft: Nft;
  /** Frontends that are yet to be looked at; absent before the first portion. */
  #left: string[] | undefined;
  #shared = 0;
  isDone = false;

  constructor(nft: Nft) {
    this.#nft = nft;
  }

  /** Looks at the next portion; gives whether its elements are as they should be. */
  async next(served: Served, bank: Bank): Promise<boolean> {
    this.#left ??= [...served.virtualServers.keys()];
    const portion: Element[] = [];
    while (portion.length < PORTION) {
      const key = this.#left.pop();
      if (key === undefined) break;
      const one = served.virtualServers.get(key);
      if (one !== undefined) portion.push(...ownElements(one));
    }
    if (portion.length === 0) {
      const shared = [...served.sharedElements()].slice(this.#shared, this.#shared + PORTION);
      this.#shared += shared.length;
      this.isDone = shared.length < PORTION;
      portion.push(...shared);
    }
    return areHeld(this.#nft, portion, bank);
  }
}

/**
 * Tried without effect: nothing can be taken away that is not there, and nothing added beside what differs from it. To
 * get the elements instead, nft 1.0.6 would read whole maps.
 */
async function areHeld(nft: Nft, elements: readonly Element[], bank: Bank): Promise<boolean> {
  if (elements.length === 0) return true;
  if (!(await nft.accepts(elementScript('delete', elements, bank)))) return false;
  return nft.accepts(elementScript('add', elements, bank));
}
