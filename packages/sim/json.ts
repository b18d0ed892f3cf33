/** Data as it travels: what the simulated API server stores, merges and sends. Never changed once it was stored. */
export type Json = null | boolean | number | string | JsonList | JsonObject;
export type JsonList = readonly Json[];
export interface JsonObject {
  readonly [name: string]: Json;
}

/** An object that is still being built. */
export type JsonDraft = Record<string, Json>;

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isJsonList(value: Json | undefined): value is JsonList {
  return Array.isArray(value);
}

/** The object, or an empty one in place of anything else. */
export function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : EMPTY;
}

/** The list, or an empty one in place of anything else. */
export function listOf(value: Json | undefined): JsonList {
  return isJsonList(value) ? value : [];
}

/** The text, or an empty one in place of anything else. */
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

const EMPTY: JsonObject = {};

/** A field that the object itself has: clients may give fields the names of what JavaScript lends every object. */
export function fieldOf<Value>(object: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Sets a field of any name; assigning to `__proto__` would not. */
export function setField(draft: JsonDraft, name: string, value: Json): void {
  if (name === '__proto__')
    Object.defineProperty(draft, name, { value, writable: true, enumerable: true, configurable: true });
  else draft[name] = value;
}

/** What stands at this place in nested objects. */
export function valueAt(value: Json | undefined, ...names: readonly string[]): Json | undefined {
  let current = value;
  for (const name of names) {
    if (!isJsonObject(current)) return undefined;
    current = fieldOf(current, name);
  }
  return current;
}

/** A copy in which this place holds `value`, or nothing when it is undefined; everything else is shared. */
export function withValueAt(object: JsonObject, names: readonly string[], value: Json | undefined): JsonObject {
  const [name, ...rest] = names;
  if (name === undefined) return object;
  if (rest.length > 0) {
    const inner = fieldOf(object, name);
    if (value === undefined && !isJsonObject(inner)) return object;
    return { ...object, [name]: withValueAt(objectOf(inner), rest, value) };
  }
  if (value !== undefined) return { ...object, [name]: value };
  return without(object, name);
}

/** A copy that lacks these fields; the object itself when it has none of them. */
export function without(object: JsonObject, ...names: readonly string[]): JsonObject {
  if (!names.some((name) => Object.hasOwn(object, name))) return object;
  const copy: JsonDraft = { ...object };
  for (const name of names) delete copy[name];
  return copy;
}

/** Equal as JSON: the order of names in an object does not count. */
export function equalJson(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true;
  if (isJsonList(left)) {
    if (!isJsonList(right) || left.length !== right.length) return false;
    return left.every((item, index) => equalJson(item, right[index]));
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every((name) => Object.hasOwn(right, name) && equalJson(left[name], right[name]));
}

/**
 * `next`, with every part that equals the same part of `previous` replaced by it. Afterwards an unchanged part is
 * the identical object, so that comparing two versions of an object costs only as much as they differ.
 */
function shareUnchanged(previous: Json | undefined, next: Json): Json {
  if (previous === next) return next;
  if (isJsonList(next)) {
    if (!isJsonList(previous)) return next;
    const items = next.map((item, index) => shareUnchanged(previous[index], item));
    const same = items.length === previous.length && items.every((item, index) => item === previous[index]);
    return same ? previous : items;
  }
  if (!isJsonObject(next) || !isJsonObject(previous)) return next;
  return shareUnchangedFields(previous, next);
}

/** As `shareUnchanged`, for two objects. */
export function shareUnchangedFields(previous: JsonObject, next: JsonObject): JsonObject {
  const shared: JsonDraft = {};
  let same = true;
  let count = 0;
  for (const [name, value] of Object.entries(next)) {
    const before = fieldOf(previous, name);
    const kept = shareUnchanged(before, value);
    if (kept !== before) same = false;
    setField(shared, name, kept);
    count += 1;
  }
  return same && count === Object.keys(previous).length ? previous : shared;
}

/** The results of `change`, or the list itself when nothing changed. */
export function changedItems<Item>(items: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  const results = items.map(change);
  return results.every((item, index) => item === items[index]) ? items : results;
}

/** As text, with names in alphabetical order throughout. */
export function sortedJson(value: Json): string {
  return JSON.stringify(value, (_, inner: Json) => {
    if (!isJsonObject(inner)) return inner;
    return Object.fromEntries(
      Object.keys(inner)
        .sort()
        .map((name) => [name, inner[name]]),
    );
  });
}

export function parseJson(text: string): Json {
  return JSON.parse(text);
}

/** How numbers were spelled that a number alone does not tell: `80.0`, `1e2`, whole ones that are too large. */
const spellings = new WeakMap<object, Map<string, string>>();
const ODD_NUMBER = /[[:,]\s*-?\d+(?:[.eE]|\d{15})/;
const LONE_SURROGATE = /\\u[dD][89a-fA-F]/;

/** As `parseJson`; remembers how unusual numbers were spelled, and replaces halves of characters as Go does. */
export function parseSpelled(text: string): Json {
  if (!ODD_NUMBER.test(text) && !LONE_SURROGATE.test(text)) return parseJson(text);
  return JSON.parse(text, function remember(this: object, name: string, value: Json, context?: { source?: string }) {
    if (typeof value === 'string') return value.toWellFormed();
    if (isJsonObject(value)) return withWellFormedNames(value);
    const source = context?.source;
    if (typeof value !== 'number' || source === undefined || source === String(value)) return value;
    const known = spellings.get(this) ?? new Map<string, string>();
    spellings.set(this, known.set(name, source));
    return value;
  });
}

function withWellFormedNames(object: JsonObject): JsonObject {
  if (Object.keys(object).every((name) => name.isWellFormed())) return object;
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name.toWellFormed(), value]));
}

/** How the number in this field was spelled, where that is not as it is written now. */
export function spellingOf(object: JsonObject, name: string): string | undefined {
  return spellings.get(object)?.get(name);
}

/** The number in a field of `copy` is spelled as the one in a field of `original`. */
export function respell(copy: JsonObject, name: string, original: JsonObject, originalName: string): void {
  const spelling = spellingOf(original, originalName);
  if (spelling !== undefined) spellings.set(copy, new Map([...(spellings.get(copy) ?? []), [name, spelling]]));
}
