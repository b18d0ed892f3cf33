import { isRecord } from '@fairlead/control';

/** JSON.parse itself keeps one copy of strings up to this length. */
const SHORT_STRING = 10;
/** Longer ones hardly repeat, and must not be kept alive here. */
const LONG_STRING = 256;
/** Powers of two. More slots find little more: most of what repeats, repeats soon. */
const STRING_SLOTS = 16_384;
const CONTAINER_SLOTS = 4_096;

type JsonRecord = Record<string, unknown>;

/**
 * Saves memory by making equal parts of objects one and the same: strings such as the names of nodes and namespaces,
 * and whole records and arrays such as the conditions of an endpoint. A cluster repeats them thousands of times, and
 * JSON.parse makes a new one each time: this takes a third off the heap of a cache (`npm run bench -- watch`).
 *
 * The tables have a fixed size and the latest comer takes a slot, so that nothing grows.
 */
export class Interner {
  readonly #strings: string[] = Array.from({ length: STRING_SLOTS }, () => '');
  readonly #containers: (JsonRecord | unknown[] | undefined)[] = Array.from({ length: CONTAINER_SLOTS });
  /** The hash of what was found last. */
  #hash = 0;

  /** Interns a tree of JSON values in place. It must not be changed afterwards: it shares parts with others. */
  intern(root: unknown): void {
    this.#find(root);
  }

  /** The value to use in place of this one when all of it was seen before, else undefined. */
  #find(value: unknown): unknown {
    if (typeof value === 'string') return this.#findString(value);
    if (Array.isArray(value)) return this.#findArray(value);
    if (isRecord(value)) return this.#findRecord(value);
    this.#hash = Number(value);
    return value;
  }

  #findString(text: string): string | undefined {
    const { length } = text;
    if (length <= SHORT_STRING) {
      this.#hash = 7 * length + text.charCodeAt(0);
      return text;
    }
    if (length > LONG_STRING) return undefined;
    let hash = length;
    for (let index = Math.max(0, length - 12); index < length; index += 1) {
      hash = Math.imul(hash, 31) + text.charCodeAt(index);
    }
    this.#hash = hash;
    const slot = (hash ^ (hash >>> 15)) & (STRING_SLOTS - 1);
    const known = this.#strings[slot];
    if (known === text) return known;
    this.#strings[slot] = text;
    return undefined;
  }

  #findArray(array: unknown[]): unknown[] | undefined {
    let isKnown = true;
    let hash = array.length;
    for (let index = 0; index < array.length; index += 1) {
      const value = array[index];
      const known = this.#find(value);
      if (known === undefined) isKnown = false;
      else if (isReplaced(value, known)) array[index] = known;
      hash = Math.imul(hash, 31) + this.#hash;
    }
    if (!isKnown) return undefined;
    this.#hash = hash;
    const slot = slotOf(hash);
    const known = this.#containers[slot];
    if (Array.isArray(known) && isSameArray(known, array)) return known;
    this.#containers[slot] = array;
    return undefined;
  }

  #findRecord(record: JsonRecord): JsonRecord | undefined {
    let isKnown = true;
    let hash = 0;
    // Not Object.entries, which would make an array for each of the hundred records in an object.
    for (const field in record) {
      const value = record[field];
      // Nothing repeats less than a UID, and there is one for each endpoint.
      const known = field === 'uid' ? undefined : this.#find(value);
      if (known === undefined) isKnown = false;
      else if (isReplaced(value, known)) record[field] = known;
      hash = Math.imul(hash, 31) + this.#hash;
    }
    if (!isKnown) return undefined;
    this.#hash = hash;
    const slot = slotOf(hash);
    const known = this.#containers[slot];
    if (isRecord(known) && isSameRecord(known, record)) return known;
    this.#containers[slot] = record;
    return undefined;
  }
}

function slotOf(hash: number): number {
  return (hash ^ (hash >>> 12)) & (CONTAINER_SLOTS - 1);
}

/** Whether there is something to gain: which of two equal strings it is cannot be seen, but short ones are shared. */
function isReplaced(value: unknown, known: unknown): boolean {
  return typeof value === 'string' ? value.length > SHORT_STRING : known !== value;
}

function isSameArray(left: readonly unknown[], right: readonly unknown[]): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index += 1) if (left[index] !== right[index]) return false;
  return true;
}

function isSameRecord(left: JsonRecord, right: JsonRecord): boolean {
  for (const field in left) if (left[field] !== right[field]) return false;
  for (const field in right) if (!Object.hasOwn(left, field)) return false;
  return true;
}
