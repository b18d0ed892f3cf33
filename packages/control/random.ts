/** A source of randomness: uniform numbers in [0, 1). */
export interface Random {
  next(): number;
}

/** The same seed gives the same numbers on every machine (mulberry32). Not for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return {
    next() {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = state;
      mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
    },
  };
}

/** A whole number from `minimum` to `maximum`, both included. */
export function randomInteger(random: Random, minimum: number, maximum: number): number {
  return minimum + Math.floor(random.next() * (maximum - minimum + 1));
}

/** One of the items; the list must not be empty. */
export function randomPick<Item>(random: Random, items: readonly Item[]): Item {
  const picked = items[randomInteger(random, 0, items.length - 1)];
  if (picked === undefined) throw new RangeError('cannot pick from an empty list');
  return picked;
}

/** `value` changed by at most `fraction` of itself, up or down: spreads out what would otherwise happen at once. */
export function jitter(random: Random, value: number, fraction: number): number {
  return value * (1 + fraction * (2 * random.next() - 1));
}

const HEX = '0123456789abcdef';

/** A version 4 UUID. */
export function randomUuid(random: Random): string {
  let text = '';
  for (let position = 0; position < 32; position += 1) {
    const digit = randomInteger(random, 0, 15);
    if (position === 12) text += '4';
    else if (position === 16) text += HEX.charAt(8 + (digit & 3));
    else text += HEX.charAt(digit);
  }
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`;
}
