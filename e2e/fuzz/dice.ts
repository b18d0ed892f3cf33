import { type Random, randomInteger, randomPick, seededRandom } from '@fairlead/control';

/** Chance with a seed: the same rolls every time. */
export class Dice {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  pick<Item>(...items: readonly Item[]): Item {
    return randomPick(this.#random, items);
  }

  /** One of several things to do, of which only that one is done. */
  choose<Result>(...choices: readonly (() => Result)[]): Result {
    return randomPick(this.#random, choices)();
  }

  /** Each as often as its weight says. */
  weighted<Item>(...items: readonly (readonly [weight: number, item: Item])[]): Item {
    return this.pick(...items.flatMap(([weight, item]) => Array.from({ length: weight }, () => item)));
  }

  chance(probability: number): boolean {
    return this.#random.next() < probability;
  }

  upTo(maximum: number): number {
    return randomInteger(this.#random, 0, maximum);
  }

  /** Each with this probability. */
  some<Item>(probability: number, ...items: readonly Item[]): readonly Item[] {
    return items.filter(() => this.chance(probability));
  }

  /** The fields, each with this probability. */
  fields<Value>(probability: number, fields: Readonly<Record<string, Value>>): Record<string, Value> {
    return Object.fromEntries(Object.entries(fields).filter(() => this.chance(probability)));
  }
}
