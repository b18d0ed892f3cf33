import { type Random, seededRandom } from '@fairlead/control';

/**
 * The randomness of one run, split into streams that know nothing of each other: one more draw in one place shifts
 * no draw anywhere else.
 */
export class RandomStreams {
  readonly #seed: number;
  readonly #named = new Map<string, Random>();

  constructor(seed: number) {
    this.#seed = mix(seed >>> 0, Math.floor(seed / 4294967296));
  }

  /** The stream of this name; the same one each time, so that its draws go on. */
  named(name: string): Random {
    const known = this.#named.get(name);
    if (known !== undefined) return known;
    const stream = this.derived(hashText(name));
    this.#named.set(name, stream);
    return stream;
  }

  /** A stream of its own for one thing among many, from numbers that tell it apart. */
  derived(...numbers: readonly number[]): Random {
    return seededRandom(numbers.reduce(mix, this.#seed));
  }
}

/** 32 bits of the text (FNV-1a, then stirred). */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return mix(hash, text.length);
}

function mix(left: number, right: number): number {
  let mixed = Math.imul(left ^ (left >>> 16), 0x85ebca6b) ^ Math.imul(right + 0x9e3779b9, 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0x27d4eb2f);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
