import { NftRefusal, nftRefusal } from '../apply/failed-frontends.ts';

/** Map or set -> key -> data. */
type Elements = Map<string, string>;

interface Contents {
  readonly tables: Set<string>;
  readonly maps: Map<string, Elements>;
  /** Map or set -> its handle. */
  readonly handles: Map<string, number>;
  /** Chain -> its rules. */
  readonly chains: Map<string, Rule[]>;
  /** Counts up with everything that has one. */
  lastHandle: number;
}

interface Rule {
  readonly handle: number;
  readonly text: string;
}

function nothing(): Contents {
  return { tables: new Set(), maps: new Map(), handles: new Map(), chains: new Map(), lastHandle: 0 };
}

/**
 * nftables as far as our scripts use it: transactions, elements, and the references that keep a map or chain from being
 * deleted. Rules are kept as text.
 */
export class SimulatedNft {
  #contents = nothing();

  /** Throws as nft does, and changes nothing then. */
  run(script: string): void {
    this.#contents = this.#after(script);
  }

  /** Whether it could be run. */
  accepts(script: string): boolean {
    try {
      this.#after(script);
      return true;
    } catch (error) {
      if (error instanceof NftRefusal) return false;
      throw error;
    }
  }

  /** As nft's JSON. */
  list(script: string): readonly unknown[] | undefined {
    const [, name] = /^list set inet fairlead (\S+)$/.exec(script) ?? [];
    if (name === undefined) throw new Error(`the simulated nft cannot ${script}`);
    const elements = this.#contents.maps.get(name);
    if (elements === undefined) return undefined;
    const elem = [...elements.keys()].map((key) => ({ concat: key.split(' . ') }));
    return [{ set: { name, handle: this.#contents.handles.get(name), elem } }];
  }

  /** The data of an element of a map, or an empty text for one of a set. */
  elementOf(map: string, key: string): string | undefined {
    return this.#contents.maps.get(map)?.get(key);
  }

  /** All elements, in order: `slots4a 192.0.2.1 . tcp . 80 . 0 : 10.0.0.1 . 8080`. */
  elements(): readonly string[] {
    const { maps } = this.#contents;
    return [...maps]
      .flatMap(([name, elements]) => [...elements].map(([key, data]) => `${name} ${key} : ${data}`))
      .toSorted();
  }

  /** The rules of a chain. */
  rules(chain: string): readonly string[] {
    return (this.#contents.chains.get(chain) ?? []).map(({ text }) => text);
  }

  /** As `nft flush ruleset` of another program. */
  flush(): void {
    this.#contents = nothing();
  }

  #after(script: string): Contents {
    const next = structuredClone(this.#contents);
    for (const [index, line] of script.split('\n').entries()) {
      if (line === '') continue;
      const problem = applyStatement(next, line);
      if (problem !== undefined) throw refusal(script, index, line, problem);
    }
    const dangling = danglingReference(next);
    if (dangling !== undefined) throw nftRefusal(script, `Error: No such file or directory: ${dangling}`);
    return next;
  }
}

function applyStatement(contents: Contents, line: string): string | undefined {
  const words = line.split(' ');
  const [verb, kind, family, table, name = ''] = words;
  const own = `${family} ${table}`;
  if (kind === 'table') {
    if (verb === 'add') contents.tables.add(own);
    else {
      contents.tables.delete(own);
      contents.maps.clear();
      contents.chains.clear();
    }
    return undefined;
  }
  if (!contents.tables.has(own)) return 'No such file or directory';
  if (kind === 'element') return changeElements(contents, verb === 'add', name, line);
  const rest = words.slice(5).join(' ');
  switch (`${verb} ${kind}`) {
    case 'add map':
    case 'add set':
      if (!contents.maps.has(name)) {
        contents.maps.set(name, new Map());
        contents.handles.set(name, nextHandle(contents));
      }
      return undefined;
    case 'delete map':
    case 'delete set':
      if (isReferredTo(contents, `@${name}`)) return 'Device or resource busy';
      return contents.maps.delete(name) ? undefined : 'No such file or directory';
    case 'add chain':
      if (!contents.chains.has(name)) {
        contents.chains.set(name, []);
        nextHandle(contents);
      }
      return undefined;
    case 'flush chain':
      contents.chains.set(name, []);
      return undefined;
    case 'delete chain':
      if (isReferredTo(contents, `jump ${name}`) || isReferredTo(contents, `goto ${name}`)) {
        return 'Device or resource busy';
      }
      return contents.chains.delete(name) ? undefined : 'No such file or directory';
    case 'add rule':
      return addRule(contents, contents.chains.get(name), rest);
    case 'delete rule':
      return deleteRule(contents.chains.get(name) ?? [], rest);
    default:
      throw new Error(`the simulated nft does not know: ${line}`);
  }
}

function nextHandle(contents: Contents): number {
  contents.lastHandle += 1;
  return contents.lastHandle;
}

/** At the end, or after the rule with an index. */
function addRule(contents: Contents, rules: Rule[] | undefined, rest: string): string | undefined {
  const [, index, text = rest] = /^index (\d+) (.*)$/.exec(rest) ?? [];
  const place = index === undefined ? (rules?.length ?? 0) : Number(index) + 1;
  if (rules === undefined || place > rules.length) return 'No such file or directory';
  rules.splice(place, 0, { handle: nextHandle(contents), text });
  return undefined;
}

function deleteRule(rules: Rule[], which: string): string | undefined {
  const index = rules.findIndex(({ handle }) => which === `handle ${handle}`);
  if (index === -1) return 'No such file or directory';
  rules.splice(index, 1);
  return undefined;
}

function changeElements(contents: Contents, isAdded: boolean, name: string, line: string): string | undefined {
  const elements = contents.maps.get(name);
  if (elements === undefined) return 'No such file or directory';
  const list = line.slice(line.indexOf('{ ') + 2, line.lastIndexOf(' }'));
  for (const one of list.split(', ')) {
    const [key = '', data = ''] = one.split(' : ');
    const held = elements.get(key);
    if (isAdded && held !== undefined && held !== data) return `File exists|${one}`;
    if (!isAdded && held === undefined) return `No such file or directory|${one}`;
    if (isAdded) elements.set(key, data);
    else elements.delete(key);
  }
  return undefined;
}

/** By a rule or a verdict. */
function isReferredTo({ maps, chains }: Contents, reference: string): boolean {
  const refers = (text: string) => text.endsWith(reference) || text.includes(`${reference} `);
  if ([...chains.values()].some((rules) => rules.some(({ text }) => refers(text)))) return true;
  return [...maps].some(([name, verdicts]) => name.startsWith('services') && [...verdicts.values()].some(refers));
}

/** What is referred to and is not there. */
function danglingReference({ maps, chains }: Contents): string | undefined {
  const rules = [...chains.values()].flat().map(({ text }) => text);
  const verdicts = [...maps.values()].flatMap((elements) => [...elements.values()]);
  const missingMap = rules
    .flatMap((rule) => [...rule.matchAll(/@(\w+)/g)].map(([, name = '']) => name))
    .find((name) => !maps.has(name));
  if (missingMap !== undefined) return missingMap;
  return [...rules, ...verdicts]
    .flatMap((text) => [...text.matchAll(/(?:jump|goto) (\S+)/g)].map(([, name = '']) => name))
    .find((name) => !chains.has(name));
}

function refusal(script: string, index: number, line: string, problem: string): Error {
  const [message = '', place = line] = problem.split('|');
  const first = line.indexOf(place) + 1;
  const where = `/dev/stdin:${index + 1}:${first}-${first + place.length - 1}`;
  return nftRefusal(script, `${where}: Error: ${message}`);
}
