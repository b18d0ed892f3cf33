import { parseIpAddress, parseIpRange } from '@fairlead/control';
import type { Nft } from '../apply/node.ts';
import { type Element, ownElements } from './elements.ts';
import { type Bank, TABLE } from './layout.ts';
import { dataText } from './scripts.ts';
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

  /** Looks at the next portion, and gives whether all of it is as it should be. */
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
    for (const elements of Map.groupBy(portion, ({ map }) => map).values()) {
      if (!(await isHeld(this.#nft, elements, bank))) return false;
    }
    return true;
  }
}

async function isHeld(nft: Nft, elements: readonly Element[], bank: Bank): Promise<boolean> {
  const [first] = elements;
  if (first === undefined) return true;
  const keys = elements.map(({ key }) => key).join(', ');
  const printed = await nft.get(`get element ${TABLE} ${first.map}${bank} { ${keys} }\n`);
  if (printed === undefined) return false;
  const held = new Set(printedElements(printed));
  return elements.every(({ key, data }) =>
    held.has(canonical(data === undefined ? key : `${key} : ${dataText(data, bank)}`)),
  );
}

function printedElements(printed: string): readonly string[] {
  const [, list = ''] = /elements = \{([^}]*)\}/.exec(printed) ?? [];
  return list.split(',').map((text) => canonical(text.trim().replaceAll(/\s+/g, ' ')));
}

/** nft may spell an address in another way than we do, and a range of one address without its length. */
function canonical(element: string): string {
  return element
    .split(' ')
    .map((word) => {
      const range = parseIpRange(word);
      if (range !== undefined) return isOneAddress(word) ? addressText(word.split('/')[0] ?? '') : range.text;
      return addressText(word);
    })
    .join(' ');
}

function isOneAddress(range: string): boolean {
  return range.endsWith(range.includes(':') ? '/128' : '/32');
}

function addressText(word: string): string {
  return parseIpAddress(word)?.address ?? word;
}
