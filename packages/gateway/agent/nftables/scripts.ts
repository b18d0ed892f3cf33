import type { Element } from './elements.ts';
import { appliedElement, type Applied } from './applied.ts';
import {
  type Bank,
  bankStatements,
  entryStatements,
  dropBankStatements,
  otherBank,
  TABLE,
  tableStatements,
} from './layout.ts';

/** What is to be so in the kernel instead of what was. */
export interface ElementChanges {
  readonly remove: readonly Element[];
  readonly add: readonly Element[];
}

/** An element whose data differ is removed and added: nft has no other way to change it. */
export function elementChanges(before: Iterable<Element>, after: Iterable<Element>): ElementChanges {
  const identity = ({ map, key }: Element) => `${map} ${key}`;
  const old = new Map([...before].map((element) => [identity(element), element]));
  const next = new Map([...after].map((element) => [identity(element), element]));
  const isKept = (element: Element, others: ReadonlyMap<string, Element>) => {
    const other = others.get(identity(element));
    return other !== undefined && other.data === element.data;
  };
  return {
    remove: [...old.values()].filter((element) => !isKept(element, next)),
    add: [...next.values()].filter((element) => !isKept(element, old)),
  };
}

/**
 * One transaction from one configuration to another. It takes back the record of the one: where the kernel does not hold
 * that, nft refuses all of it.
 */
export function deltaScript(changes: ElementChanges, from: Applied, to: Applied): string {
  return [
    `delete element ${TABLE} applied { ${appliedElement(from)} }`,
    `add element ${TABLE} applied { ${appliedElement(to)} }`,
    ...elementStatements('delete', changes.remove, from.bank),
    ...elementStatements('add', changes.add, from.bank),
    '',
  ].join('\n');
}

/** Makes an empty bank that no rule uses; what an unfinished load left there goes. */
export function prepareScript(bank: Bank): string {
  return [...tableStatements(), ...dropBankStatements(bank), ...bankStatements(bank), ''].join('\n');
}

/** Fills the bank. */
export function portionScript(elements: readonly Element[], bank: Bank): string {
  return [...elementStatements('add', elements, bank), ''].join('\n');
}

/** Has the hooks lead into this bank, drops the other one and records what is applied. */
export function switchScript(to: Applied): string {
  return [
    ...entryStatements(to.bank),
    ...dropBankStatements(otherBank(to.bank)),
    `flush set ${TABLE} applied`,
    `add element ${TABLE} applied { ${appliedElement(to)} }`,
    '',
  ].join('\n');
}

/** Groups of at most so many, made while they are asked for. */
export function* portions<Item>(elements: Iterable<Item>, size: number): Generator<readonly Item[]> {
  let portion: Item[] = [];
  for (const element of elements) {
    portion.push(element);
    if (portion.length < size) continue;
    yield portion;
    portion = [];
  }
  if (portion.length > 0) yield portion;
}

function elementStatements(verb: 'add' | 'delete', elements: readonly Element[], bank: Bank): string[] {
  const byMap = Map.groupBy(elements, ({ map }) => map);
  return [...byMap].map(([map, all]) => {
    const texts = all.map(({ key, data }) =>
      data === undefined || verb === 'delete' ? key : `${key} : ${dataText(data, bank)}`,
    );
    return `${verb} element ${TABLE} ${map}${bank} { ${texts.join(', ')} }`;
  });
}

/** Verdicts lead to chains of the same bank. */
export function dataText(data: string, bank: Bank): string {
  return data.startsWith('goto ') ? `${data}${bank}` : data;
}
