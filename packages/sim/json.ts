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

/** What stands at this place in nested objects. */
export function valueAt(value: Json | undefined, ...names: readonly string[]): Json | undefined {
  let current = value;
  for (const name of names) {
    if (!isJsonObject(current)) return undefined;
    current = current[name];
  }
  return current;
}

/** A copy in which this place holds `value`, or nothing when it is undefined; everything else is shared. */
export function withValueAt(object: JsonObject, names: readonly string[], value: Json | undefined): JsonObject {
  const [name, ...rest] = names;
  if (name === undefined) return object;
  if (rest.length > 0) {
    const inner = object[name];
    if (value === undefined && !isJsonObject(inner)) return object;
    return { ...object, [name]: withValueAt(objectOf(inner), rest, value) };
  }
  if (value !== undefined) return { ...object, [name]: value };
  return without(object, name);
}

/** A copy that lacks these fields; the object itself when it has none of them. */
export function without(object: JsonObject, ...names: readonly string[]): JsonObject {
  if (!names.some((name) => name in object)) return object;
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
  return names.every((name) => name in right && equalJson(left[name], right[name]));
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
    const before = previous[name];
    const kept = shareUnchanged(before, value);
    if (kept !== before) same = false;
    shared[name] = kept;
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
