import {
  equalJson,
  fieldOf,
  isJsonList,
  isJsonObject,
  type Json,
  type JsonDraft,
  type JsonList,
  type JsonObject,
  listOf,
  setField,
} from '../../json.ts';
import { RequestFailure } from '../failure.ts';
import type { ListSchema, Schema } from '../schema/schema.ts';

const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const DELETE_FROM = '$deleteFromPrimitiveList/';
const SET_ORDER = '$setElementOrder/';

/** Applies a strategic merge patch: a merge patch in which lists merge as the kind's schema says. */
export function strategicMerge(schema: Schema, original: JsonObject, patch: JsonObject): JsonObject {
  const directive = patch[DIRECTIVE];
  if (directive !== undefined) return wholeObject(directive, patch);
  const result: JsonDraft = { ...retained(original, patch) };
  const handled = new Set([RETAIN_KEYS]);
  for (const [name, order] of Object.entries(patch)) {
    if (!name.startsWith(SET_ORDER)) continue;
    const field = name.slice(SET_ORDER.length);
    handled.add(name).add(field);
    if (schema.shape === 'struct' && !schema.fields.has(field)) {
      throw failed(`unable to find api field in struct ${schema.name} for the json field "${field}"`);
    }
    const ordered = orderedList(innerSchema(schema, field), fieldOf(result, field), fieldOf(patch, field), order);
    if (ordered !== undefined) result[field] = ordered;
  }
  for (const [name, value] of Object.entries(patch)) {
    if (handled.has(name)) continue;
    if (name.startsWith(DELETE_FROM)) {
      const field = name.slice(DELETE_FROM.length);
      const unwanted = listOf(value);
      const current = result[field];
      if (isJsonList(current)) result[field] = current.filter((item) => !contains(unwanted, item));
      continue;
    }
    const merged = value === null ? undefined : mergedField(innerSchema(schema, name), fieldOf(result, name), value);
    if (merged === undefined) delete result[name];
    else setField(result, name, merged);
  }
  return result;
}

function failed(message: string): RequestFailure {
  return new RequestFailure({ code: 500, reason: '', message });
}

function badPatch(message: string): RequestFailure {
  return new RequestFailure({ code: 400, reason: 'BadRequest', message });
}

function wholeObject(directive: Json, patch: JsonObject): JsonObject {
  const { [DIRECTIVE]: _, ...rest } = patch;
  if (directive === 'replace') return rest;
  if (directive === 'delete') return {};
  throw failed(`unknown patch type: ${goMap(directive)} in map: ${goMap(patch)}`);
}

/** As Go prints a map: `map[a:1 b:[x y]]`. */
export function goMap(value: Json): string {
  if (isJsonList(value)) return `[${value.map(goMap).join(' ')}]`;
  if (value === null) return '<nil>';
  if (!isJsonObject(value)) return String(value);
  const pairs = Object.keys(value)
    .sort()
    .map((name) => `${name}:${goMap(fieldOf(value, name) ?? null)}`);
  return `map[${pairs.join(' ')}]`;
}

function retained(original: JsonObject, patch: JsonObject): JsonObject {
  const names = patch[RETAIN_KEYS];
  if (names === undefined) return original;
  if (!isJsonList(names)) throw badPatch('invalid patch format of retainKeys');
  for (const [name, value] of Object.entries(patch)) {
    if (value === null || name === RETAIN_KEYS || name.startsWith('$') || names.includes(name)) continue;
    throw badPatch('invalid patch format of retainKeys');
  }
  return Object.fromEntries(Object.entries(original).filter(([name]) => names.includes(name)));
}

function innerSchema(schema: Schema, name: string): Schema | undefined {
  if (schema.shape === 'struct') return schema.fields.get(name)?.schema;
  return schema.shape === 'map' ? schema.values : undefined;
}

function mergedField(schema: Schema | undefined, original: Json | undefined, patch: Json): Json | undefined {
  if (isJsonObject(patch) && isJsonObject(original)) {
    return strategicMerge(schema ?? { shape: 'untyped', atomic: true }, original, patch);
  }
  if (isJsonList(patch) && isJsonList(original)) {
    if (schema?.shape !== 'list' || schema.patchMerge === false) return withoutDirectives(patch);
    return mergedList(schema, original, patch);
  }
  return withoutDirectives(patch);
}

/** The value as it is added: directives were meant for something that is not there. */
function withoutDirectives(value: Json): Json | undefined {
  if (isJsonList(value)) return value.flatMap((item) => withoutDirectives(item) ?? []);
  if (!isJsonObject(value)) return value;
  if (DIRECTIVE in value) return undefined;
  const kept: JsonDraft = {};
  for (const [name, inner] of Object.entries(value)) {
    const rest = inner === null ? undefined : withoutDirectives(inner);
    if (rest !== undefined && !name.startsWith('$')) setField(kept, name, rest);
  }
  return kept;
}

function contains(items: JsonList, wanted: Json): boolean {
  return items.some((item) => equalJson(item, wanted));
}

function mergedList(schema: ListSchema, original: JsonList, patch: JsonList): JsonList {
  const key = schema.patchMerge;
  if (typeof key !== 'string') {
    const merged = [...original, ...patch].filter((item, index, all) => all.indexOf(item) === index);
    return inOrder(merged, patch, original, equalJson);
  }
  const special = specialItems(original, patch, key);
  const merged = [...special.original];
  for (const item of special.patch) {
    const wanted = keyOf(item, key);
    const index = merged.findIndex((candidate) => equalJson(keyOf(candidate, key), wanted));
    const current = merged[index];
    if (isJsonObject(current) && isJsonObject(item)) merged[index] = strategicMerge(schema.items, current, item);
    else merged.push(item);
  }
  return inOrder(merged, special.patch, special.original, sameKey(key));
}

/** Takes the items out of the patch that say what to do with the list. */
function specialItems(original: JsonList, patch: JsonList, key: string): { original: JsonList; patch: JsonList } {
  const plain: Json[] = [];
  let rest = original;
  let replace = false;
  for (const item of patch) {
    if (!isJsonObject(item)) throw badPatch('all elements of a merging list must be maps');
    const directive = item[DIRECTIVE];
    if (directive === undefined) plain.push(item);
    else if (directive === 'replace') replace = true;
    else if (directive === 'delete') {
      const unwanted = keyOf(item, key);
      rest = rest.filter((candidate) => !equalJson(keyOf(candidate, key), unwanted));
    } else throw failed(`unknown patch type: ${goMap(directive)} in map: ${goMap(item)}`);
  }
  return replace ? { original: plain, patch: [] } : { original: rest, patch: plain };
}

function keyOf(item: Json, key: string): Json {
  const value = isJsonObject(item) ? item[key] : undefined;
  if (value !== undefined) return value;
  throw failed(`map: ${goMap(item)} does not contain declared merge key: ${key}`);
}

type Same = (left: Json, right: Json) => boolean;

function sameKey(key: string): Same {
  return (left, right) => equalJson(keyOf(left, key), keyOf(right, key));
}

/** Items in `order` come in that order, the others in the server's; between the two the server's order decides. */
function inOrder(items: JsonList, order: JsonList, serverOrder: JsonList, same: Same): JsonList {
  const indexIn = (list: JsonList, item: Json): number => list.findIndex((other) => same(other, item));
  const sorted = (list: Json[], by: JsonList): Json[] => list.sort((a, b) => indexIn(by, a) - indexIn(by, b));
  const named = sorted(
    items.filter((item) => indexIn(order, item) >= 0),
    order,
  );
  const others = sorted(
    items.filter((item) => indexIn(order, item) < 0),
    serverOrder,
  );
  const result: Json[] = [];
  while (named.length > 0 && others.length > 0) {
    const [firstNamed = null] = named;
    const [firstOther = null] = others;
    const otherIndex = indexIn(serverOrder, firstOther);
    const namedIndex = indexIn(serverOrder, firstNamed);
    const otherFirst = otherIndex >= 0 && namedIndex >= 0 && otherIndex < namedIndex;
    result.push(otherFirst ? firstOther : firstNamed);
    (otherFirst ? others : named).shift();
  }
  return [...result, ...named, ...others];
}

function orderedList(
  schema: Schema | undefined,
  original: Json | undefined,
  patch: Json | undefined,
  order: Json,
): Json | undefined {
  if (schema?.shape !== 'list' || !isJsonList(order)) throw badPatch('invalid patch format of setElementOrder list');
  const key = schema.patchMerge;
  const same = typeof key === 'string' ? sameKey(key) : equalJson;
  const originalItems = listOf(original);
  const patchItems = listOf(patch);
  checkOrder(patchItems, order, same);
  let merged = originalItems;
  if (patch !== undefined)
    merged = listOf(
      original === undefined ? withoutDirectives(patchItems) : mergedField(schema, originalItems, patchItems),
    );
  if (original === undefined && patch === undefined) return undefined;
  return inOrder(merged, order, originalItems, same);
}

function checkOrder(patch: JsonList, order: JsonList, same: Same): void {
  if (order.length === 0) return;
  const plain = patch.filter((item) => !isJsonObject(item) || !(DIRECTIVE in item));
  let next = 0;
  for (const wanted of order) {
    const item = plain[next];
    if (item !== undefined && same(item, wanted)) next += 1;
  }
  if (next < plain.length) {
    const lists = `\n${goMap(patch)}\n doesn't match ${SET_ORDER.slice(0, -1)} list:\n${goMap(order)}\n`;
    throw failed(`The order in patch list:${lists}`);
  }
}
