import { encodeName, HEADER_BYTES, isSameName, nameHash, type Query, TYPE_ANY } from '../wire/index.ts';
import { Answer } from './encoded-answer.ts';
import type { RecordSet } from './record-set.ts';

/** A name that is there, with or without records. */
export interface Entry {
  /** The name, and behind it all its records: what is far apart in memory takes longer to find than to send. */
  bytes: Buffer;
  readonly nameBytes: number;
  readonly hash: number;
  /** Whether it is there by itself, with or without records, and not only because a longer one is. */
  isSet: boolean;
  answers: Answer | undefined;
  /** Names right below it. */
  children: number;
  /** The next one of the same bucket. */
  next: Entry | undefined;
}

const FIRST_BUCKETS = 1_024;

/**
 * All names of the zone, with their answers encoded ahead, found by the bytes of a question without allocating. It has
 * buckets of its own, a power of two of them: a Map takes longer to find a number than the answer takes to be written.
 */
export class NameTable {
  readonly #zone: string;
  readonly #seed: number;
  #buckets: (Entry | undefined)[] = emptyBuckets(FIRST_BUCKETS);
  #entries = 0;
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
    const { hash } = query;
    let entry = this.#first(hash);
    while (entry !== undefined) {
      const isIt = entry.hash === hash && entry.nameBytes === length;
      if (isIt && isSameName(bytes, HEADER_BYTES, length, entry.bytes)) return entry;
      entry = entry.next;
    }
    return undefined;
  }

  /** Sets what a name of the zone has; undefined takes it away. Records that are as they were stay as they are. */
  set(text: string, sets: readonly RecordSet[] | undefined): void {
    const name = encodeName(text);
    if (name === undefined) return;
    const entry = this.#get(name) ?? (sets === undefined ? undefined : this.#add(text, name));
    if (entry === undefined) return;
    this.#size += (sets === undefined ? 0 : 1) - (entry.isSet ? 1 : 0);
    entry.isSet = sets !== undefined;
    const before = answersOf(entry);
    const after = (sets ?? []).map((set, index) => before[index]?.replacedBy(set) ?? new Answer(set));
    const replaced = after.filter((answer, index) => answer !== before[index]).length;
    this.#replaced += replaced;
    if (replaced > 0 || after.length !== before.length) place(entry, name, after);
    this.#removeUnused(text, entry);
  }

  #get(name: Buffer): Entry | undefined {
    const hash = nameHash(name, this.#seed);
    let entry = this.#first(hash);
    while (entry !== undefined && !(entry.hash === hash && nameOf(entry).equals(name))) entry = entry.next;
    return entry;
  }

  #first(hash: number): Entry | undefined {
    return this.#buckets[hash & (this.#buckets.length - 1)];
  }

  #put(entry: Entry): void {
    const bucket = entry.hash & (this.#buckets.length - 1);
    entry.next = this.#buckets[bucket];
    this.#buckets[bucket] = entry;
  }

  #grow(): void {
    const before = this.#buckets;
    this.#buckets = emptyBuckets(2 * before.length);
    for (const first of before) {
      for (let entry = first; entry !== undefined; ) {
        const { next }: Entry = entry;
        this.#put(entry);
        entry = next;
      }
    }
  }

  /** With all names above it, up to the zone. */
  #add(text: string, name: Buffer): Entry {
    const hash = nameHash(name, this.#seed);
    const entry: Entry = {
      bytes: name,
      nameBytes: name.length,
      hash,
      isSet: false,
      answers: undefined,
      children: 0,
      next: undefined,
    };
    this.#entries += 1;
    if (this.#entries > this.#buckets.length) this.#grow();
    this.#put(entry);
    const above = this.#above(text, name);
    if (above !== undefined) (this.#get(above.name) ?? this.#add(above.text, above.name)).children += 1;
    return entry;
  }

  #removeUnused(text: string, entry: Entry): void {
    if (entry.isSet || entry.children > 0) return;
    this.#buckets[entry.hash & (this.#buckets.length - 1)] = without(this.#first(entry.hash), entry);
    this.#entries -= 1;
    const above = this.#above(text, nameOf(entry));
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
  if (type === TYPE_ANY) return answers;
  let answer = answers;
  while (answer !== undefined && answer.type !== type) answer = answer.next;
  return answer;
}

/** All of an entry. */
export function answersOf(entry: Entry): readonly Answer[] {
  const all: Answer[] = [];
  for (let answer = entry.answers; answer !== undefined; answer = answer.next) all.push(answer);
  return all;
}

function nameOf({ bytes, nameBytes }: Entry): Buffer {
  return bytes.subarray(0, nameBytes);
}

/** Gives a name these answers. */
function place(entry: Entry, name: Buffer, answers: readonly Answer[]): void {
  entry.bytes = Buffer.concat([name, ...answers.map(({ own }) => own)]);
  entry.answers = answers[0];
  let start = name.length;
  for (const [index, answer] of answers.entries()) {
    answer.bytes = entry.bytes;
    answer.start = start;
    answer.next = answers[index + 1];
    start += answer.length;
  }
}

function without(chain: Entry | undefined, gone: Entry): Entry | undefined {
  if (chain === undefined || chain === gone) return chain?.next;
  chain.next = without(chain.next, gone);
  return chain;
}

function emptyBuckets(length: number): (Entry | undefined)[] {
  return Array.from({ length }, () => undefined);
}
