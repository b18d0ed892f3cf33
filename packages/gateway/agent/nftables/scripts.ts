import type { Element } from './elements.ts';
import { appliedElement, type Applied, appliedStatements } from './applied.ts';
import {
  type Bank,
  bankStatements,
  dropBankStatements,
  emptyChainStatements,
  leadingRules,
  otherBank,
  type Rule,
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

/** Adds elements to the bank, or takes them away. */
export function elementScript(verb: 'add' | 'delete', elements: readonly Element[], bank: Bank): string {
  return [...elementStatements(verb, elements, bank), ''].join('\n');
}

/** Has the hooks lead into this bank, drops the other one and records what is applied. */
export function switchScript(to: Applied): string {
  return [...ruleStatements(to), ...dropBankStatements(otherBank(to.bank)), ''].join('\n');
}

/** Makes the rules anew that lead packets into the bank and out of it. Packets meet the old ones or the new ones. */
export function rulesScript(applied: Applied): string {
  return [...ruleStatements(applied), ''].join('\n');
}

/**
 * To be tried without effect: nft accepts it where each of the rules is there. The kernel numbers what a table holds by one
 * counter, and the rules were made right after a set.
 */
export function rulesProbe(rules: readonly Rule[], setHandle: number): string {
  return rules.map(({ chain }, index) => `delete rule ${TABLE} ${chain} handle ${setHandle + 1 + index}\n`).join('');
}

/** To be tried without effect: nft accepts it only where the chain has more rules than that. */
export function excessProbe(chain: string, count: number): string {
  return `add rule ${TABLE} ${chain} index ${count} accept\n`;
}

function ruleStatements(applied: Applied): string[] {
  return [
    ...emptyChainStatements(applied.bank),
    ...appliedStatements(applied),
    ...leadingRules(applied.bank).map(({ chain, text }) => `add rule ${TABLE} ${chain} ${text}`),
  ];
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
function dataText(data: string, bank: Bank): string {
  return data.startsWith('goto ') ? `${data}${bank}` : data;
}
