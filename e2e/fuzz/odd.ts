import { isJsonList, isJsonObject, type Json, type JsonObject } from '@fairlead/sim/kube/contract';
import type { Dice } from './dice.ts';

/** A number that JSON.stringify would spell otherwise. */
function raw(text: string): string {
  return `«${text}»`;
}

/** As JSON, with what `raw` stands for. */
export function jsonText(value: Json): string {
  return JSON.stringify(value)
    .replaceAll(/"«([^»]*)»"/g, '$1')
    .replaceAll('"__proto":', '"__proto__":');
}

const ODD_KEYS = ['nope', '__proto', 'constructor', '', 'x/y', 'kind', 'name'];

export function oddValue(dice: Dice): Json {
  return dice.pick<Json>(
    null,
    '',
    'x',
    'A_b',
    '__proto__',
    '\u0000',
    'é\n',
    '\ud800',
    'x'.repeat(64),
    'x'.repeat(260),
    true,
    false,
    0,
    -1,
    1,
    80,
    65_536,
    3_000_000_000,
    0.5,
    raw('80.0'),
    raw('1e2'),
    raw('9223372036854775808'),
    [],
    {},
    [null],
    ['x'],
    { x: 'y' },
    { __proto: 'x' },
    { constructor: 'x' },
  );
}

/** The value with one thing in it changed to what a client might send by mistake. */
export function spoiled(dice: Dice, value: Json): Json {
  if (isJsonList(value)) return spoiledList(dice, value);
  return isJsonObject(value) ? spoiledObject(dice, { ...value }) : oddValue(dice);
}

function spoiledList(dice: Dice, items: readonly Json[]): Json {
  const index = dice.upTo(Math.max(0, items.length - 1));
  const item = items[index];
  if (item === undefined) return dice.chance(0.5) ? [oddValue(dice)] : oddValue(dice);
  return dice.choose<Json>(
    () => items.with(index, spoiled(dice, item)),
    () => items.with(index, spoiled(dice, item)),
    () => items.with(index, spoiled(dice, item)),
    () => [...items, item],
    () => items.toSpliced(index, 1),
  );
}

function spoiledObject(dice: Dice, object: Record<string, Json>): JsonObject {
  const names = Object.keys(object);
  if (names.length === 0 || dice.chance(0.12)) return { ...object, [dice.pick(...ODD_KEYS)]: oddValue(dice) };
  const name = dice.pick(...names);
  if (dice.chance(0.08)) {
    delete object[name];
    return object;
  }
  return { ...object, [name]: spoiled(dice, object[name] ?? null) };
}
