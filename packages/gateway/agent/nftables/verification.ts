import { parseIpAddress, parseIpRange } from '@fairlead/control';
import type { Nft } from '../apply/node.ts';
import { type Element, ownElements } from './elements.ts';
import { type Bank, TABLE } from './layout.ts';
import { dataText, portions } from './scripts.ts';
import type { Served } from './served.ts';

/** nft 1.0.6 reads a whole map to get one element of it: beyond so many, a look would hold up every change. */
const MOST_VIRTUAL_SERVERS = 500;
/** So many elements are looked at before others have their turn. */
const PORTION = 1_000;
/** nft asks the kernel for those of one statement in one message of 8 KB: 110 with IPv6 addresses are too many. */
const KEYS_AT_ONCE = 50;

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

  /** Looks at the next portion; gives an element of it that is not as it should be, if there is one. */
  async next(served: Served, bank: Bank): Promise<string | undefined> {
    if (served.virtualServers.size > MOST_VIRTUAL_SERVERS) {
      this.isDone = true;
      return undefined;
    }
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
      const missing = await missingElement(this.#nft, elements, bank);
      if (missing !== undefined) return missing;
    }
    return undefined;
  }
}

async function missingElement(nft: Nft, elements: readonly Element[], bank: Bank): Promise<string | undefined> {
  const [first] = elements;
  if (first === undefined) return undefined;
  const statements = [...portions(elements, KEYS_AT_ONCE)].map((some) => {
    const keys = some.map(({ key }) => key).join(', ');
    return `get element ${TABLE} ${first.map}${bank} { ${keys} }\n`;
  });
  const printed = await nft.get(statements.join(''));
  if (printed === undefined) return `one of ${elements.length} of ${first.map}${bank}`;
  const held = new Set(printedElements(printed));
  const text = ({ key, data }: Element) => (data === undefined ? key : `${key} : ${dataText(data, bank)}`);
  const missing = elements.find((element) => !held.has(canonical(text(element))));
  return missing === undefined ? undefined : `${text(missing)} of ${first.map}${bank}`;
}

function printedElements(printed: string): readonly string[] {
  return [...printed.matchAll(/elements = \{([^}]*)\}/g)].flatMap(([, list = '']) =>
    list.split(',').map((text) => canonical(text.trim().replaceAll(/\s+/g, ' '))),
  );
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
