import { nftRefusal } from '../apply/failed-frontends.ts';

/** Map or set -> key -> data. */
type Elements = Map<string, string>;

interface Contents {
  readonly tables: Set<string>;
  readonly maps: Map<string, Elements>;
  /** Chain -> its rules. */
  readonly chains: Map<string, string[]>;
}

/**
 * nftables as far as our scripts use it: transactions, elements, and the references that keep a map or chain from being
 * deleted. Rules are kept as text.
 */
export class SimulatedNft {
  #contents: Contents = { tables: new Set(), maps: new Map(), chains: new Map() };

  /** Throws as nft does, and changes nothing then. */
  run(script: string): void {
    const next = structuredClone(this.#contents);
    for (const [index, line] of script.split('\n').entries()) {
      if (line === '') continue;
      const problem = applyStatement(next, line);
      if (problem !== undefined) throw refusal(script, index, line, problem);
    }
    const dangling = danglingReference(next);
    if (dangling !== undefined) throw nftRefusal(script, `Error: Device or resource busy: ${dangling}`);
    this.#contents = next;
  }

  /** As nft's JSON. */
  list(script: string): readonly unknown[] | undefined {
    const [, verb, , , name = ''] = /^(list) (\w+) (inet fairlead) (\S+)$/.exec(script) ?? [];
    if (verb === undefined) throw new Error(`the simulated nft cannot ${script}`);
    const elements = this.#contents.maps.get(name);
    if (elements !== undefined) {
      return [{ set: { name, elem: [...elements.keys()].map((key) => ({ concat: key.split(' . ') })) } }];
    }
    const rules = this.#contents.chains.get(name);
    return rules?.map((rule) => ({
      rule: { expr: [...rule.matchAll(/jump (\S+)/g)].map(([, target]) => ({ jump: { target } })) },
    }));
  }

  /** Prints elements as nft does. */
  get(script: string): string | undefined {
    const printed = script
      .trimEnd()
      .split('\n')
      .map((line) => this.#getElements(line));
    return printed.includes(undefined) ? undefined : printed.join('');
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
    return this.#contents.chains.get(chain) ?? [];
  }

  #getElements(line: string): string | undefined {
    const [, name = '', list = ''] = /^get element inet fairlead (\S+) \{ (.*) \}$/.exec(line) ?? [];
    const elements = this.#contents.maps.get(name);
    const found = list.split(', ').flatMap((key) => {
      const data = elements?.get(key);
      return data === undefined ? [] : [data === '' ? key : `${key} : ${data}`];
    });
    if (found.length < list.split(', ').length) return undefined;
    return `table inet fairlead {\n\tmap ${name} {\n\t\telements = { ${found.join(',\n\t\t\t     ')} }\n\t}\n}\n`;
  }

  /** As `nft flush ruleset` of another program. */
  flush(): void {
    this.#contents = { tables: new Set(), maps: new Map(), chains: new Map() };
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
      if (!contents.maps.has(name)) contents.maps.set(name, new Map());
      return undefined;
    case 'delete map':
    case 'delete set':
      return contents.maps.delete(name) ? undefined : 'No such file or directory';
    case 'flush set':
      contents.maps.get(name)?.clear();
      return undefined;
    case 'add chain':
      if (!contents.chains.has(name)) contents.chains.set(name, []);
      return undefined;
    case 'flush chain':
      contents.chains.set(name, []);
      return undefined;
    case 'delete chain':
      return contents.chains.delete(name) ? undefined : 'No such file or directory';
    case 'add rule':
      contents.chains.get(name)?.push(rest);
      return contents.chains.has(name) ? undefined : 'No such file or directory';
    default:
      throw new Error(`the simulated nft does not know: ${line}`);
  }
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

/** What is referred to and is not there. */
function danglingReference({ maps, chains }: Contents): string | undefined {
  const rules = [...chains.values()].flat();
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
