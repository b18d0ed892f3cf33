import { encodeName, HEADER_BYTES, isSameName, nameHash, type Query, TYPE_ANY } from '../wire/index.ts';
import { Answer } from './answer.ts';
import type { RecordSet } from './record-set.ts';

/** A name that is there, with or without records. */
export interface Entry {
  readonly name: Buffer;
  readonly hash: number;
  /** Undefined for one that is only there because a longer one is. */
  answers: readonly Answer[] | undefined;
  /** Names right below it. */
  children: number;
  /** The next one of the same hash. */
  next: Entry | undefined;
}

/** All names of the zone, with their answers encoded ahead, found by the bytes of a question without allocating. */
export class NameTable {
  readonly #zone: string;
  readonly #seed: number;
  readonly #entries = new Map<number, Entry>();
  #size = 0;
  #replaced = 0;

  /** `seed` is that of the queries. */
  constructor(zone: string, seed: number) {
    this.#zone = zone;
    this.#seed = seed;
  }

  /** Names with records, or known to have none. */
  get size(): number {
    return this.#size;
  }

  /** How often a set of records was new or another than before. */
  get replaced(): number {
    return this.#replaced;
  }

  /** The name of a question that was read. */
  find(query: Query, bytes: Buffer): Entry | undefined {
    const length = query.nameEnd - HEADER_BYTES;
    let entry = this.#entries.get(query.hash);
    while (entry !== undefined && !isSameName(bytes, HEADER_BYTES, length, entry.name)) entry = entry.next;
    return entry;
  }

  /** Sets what a name of the zone has; undefined takes it away. Records that are as they were stay as they are. */
  set(text: string, sets: readonly RecordSet[] | undefined): void {
    const name = encodeName(text);
    if (name === undefined) return;
    const entry = this.#get(name) ?? (sets === undefined ? undefined : this.#add(text, name));
    if (entry === undefined) return;
    const before = entry.answers;
    this.#size += (sets === undefined ? 0 : 1) - (before === undefined ? 0 : 1);
    entry.answers = sets?.map((set, index) => {
      const known = before?.[index];
      const answer = known?.replacedBy(set) ?? new Answer(set);
      if (answer !== known) this.#replaced += 1;
      return answer;
    });
    this.#removeUnused(text, entry);
  }

  #get(name: Buffer): Entry | undefined {
    let entry = this.#entries.get(nameHash(name, this.#seed));
    while (entry !== undefined && !entry.name.equals(name)) entry = entry.next;
    return entry;
  }

  /** With all names above it, up to the zone. */
  #add(text: string, name: Buffer): Entry {
    const hash = nameHash(name, this.#seed);
    const next = this.#entries.get(hash);
    const entry: Entry = { name, hash, answers: undefined, children: 0, next };
    this.#entries.set(hash, entry);
    const above = this.#above(text, name);
    if (above !== undefined) (this.#get(above.name) ?? this.#add(above.text, above.name)).children += 1;
    return entry;
  }

  #removeUnused(text: string, entry: Entry): void {
    if (entry.answers !== undefined || entry.children > 0) return;
    const rest = without(this.#entries.get(entry.hash), entry);
    if (rest === undefined) this.#entries.delete(entry.hash);
    else this.#entries.set(entry.hash, rest);
    const above = this.#above(text, entry.name);
    const parent = above === undefined ? undefined : this.#get(above.name);
    if (above === undefined || parent === undefined) return;
    parent.children -= 1;
    this.#removeUnused(above.text, parent);
  }

  #above(text: string, name: Buffer): { readonly text: string; readonly name: Buffer } | undefined {
    if (text === this.#zone) return undefined;
    return { text: text.slice(text.indexOf('.') + 1), name: name.subarray((name[0] ?? 0) + 1) };
  }
}

/** Of what was asked for; for "any" one is enough, so that small questions have small answers. */
export function answerOf({ answers }: Entry, type: number): Answer | undefined {
  if (answers === undefined) return undefined;
  if (type === TYPE_ANY) return answers[0];
  for (const answer of answers) if (answer.type === type) return answer;
  return undefined;
}

function without(chain: Entry | undefined, gone: Entry): Entry | undefined {
  if (chain === undefined || chain === gone) return chain?.next;
  chain.next = without(chain.next, gone);
  return chain;
}
