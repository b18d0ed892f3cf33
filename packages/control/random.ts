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

/** A version 4 UUID. */
export function randomUuid(random: Random): string {
  const digits = Array.from({ length: 32 }, () => randomInteger(random, 0, 15));
  digits[12] = 4;
  digits[16] = 8 + ((digits[16] ?? 0) & 3);
  const text = digits.map((digit) => digit.toString(16)).join('');
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`;
}
