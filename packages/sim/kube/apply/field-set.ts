import { isJsonObject, type Json, type JsonDraft, type JsonObject, objectOf } from '../../json.ts';
import type { Schema } from '../schema/schema.ts';

/**
 * A set of places in an object, in the form in which managedFields spell it. A place that is in the set is `{}`,
 * or has a `.` beside the places within it; names begin with `f:`, items of a list with `k:` or `v:`.
 */
export type FieldSet = JsonObject;

export const NO_FIELDS: FieldSet = {};

const SELF = '.';

export function isEmptySet(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

/** True when the place that has this node is itself in the set. */
function isMember(node: JsonObject | undefined): boolean {
  if (node === undefined) return false;
  return SELF in node || isEmptySet(node);
}

function child(node: JsonObject | undefined, element: string): JsonObject | undefined {
  const value = node?.[element];
  return isJsonObject(value) ? value : undefined;
}

function nodeOf(member: boolean, places: JsonObject): JsonObject | undefined {
  if (isEmptySet(places)) return member ? {} : undefined;
  return member ? { [SELF]: {}, ...places } : places;
}

/** Every place in either. What is the same as on the left side is shared with it. */
export function union(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right || isEmptySet(right)) return left;
  if (isEmptySet(left)) return right;
  return { ...left, ...unionPlaces(left, right) };
}

function unionPlaces(left: JsonObject, right: JsonObject): JsonDraft {
  const added: JsonDraft = {};
  for (const element in right) {
    const rightNode = child(right, element);
    if (element === SELF || rightNode === undefined) continue;
    const leftNode = child(left, element);
    if (leftNode === undefined) {
      added[element] = rightNode;
      continue;
    }
    if (leftNode === rightNode) continue;
    const member = isMember(leftNode) || isMember(rightNode);
    added[element] = nodeOf(member, { ...placesIn(leftNode), ...unionPlaces(leftNode, rightNode) }) ?? {};
  }
  return added;
}

function placesIn(node: JsonObject): JsonObject {
  if (!(SELF in node)) return node;
  const { [SELF]: _, ...places } = node;
  return places;
}

/** Every place that is in both. */
export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  const result: JsonDraft = {};
  for (const element in left) {
    const leftNode = child(left, element);
    const rightNode = child(right, element);
    if (element === SELF || leftNode === undefined || rightNode === undefined) continue;
    const node = nodeOf(isMember(leftNode) && isMember(rightNode), intersection(leftNode, rightNode));
    if (node !== undefined) result[element] = node;
  }
  return result;
}

/** Every place on the left that is not on the right; the left side itself when none is. */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  let result: JsonDraft | undefined;
  for (const element in right) {
    const leftNode = child(left, element);
    const rightNode = child(right, element);
    if (element === SELF || leftNode === undefined || rightNode === undefined) continue;
    const places = placesIn(leftNode);
    const rest = difference(places, rightNode);
    const leaves = isMember(leftNode) && isMember(rightNode);
    if (rest === places && !leaves) continue;
    result ??= { ...left };
    const node = nodeOf(isMember(leftNode) && !leaves, rest);
    if (node === undefined) delete result[element];
    else result[element] = node;
  }
  return result ?? left;
}

/** What is left without these places and everything within them. */
export function withoutSubtrees(set: FieldSet, removed: FieldSet): FieldSet {
  const result: JsonDraft = {};
  for (const [element, value] of Object.entries(set)) {
    const gone = child(removed, element);
    if (gone === undefined) result[element] = value;
    if (gone === undefined || isMember(gone) || element === SELF) continue;
    const node = objectOf(value);
    const rest = nodeOf(isMember(node), withoutSubtrees(node, gone));
    if (rest !== undefined) result[element] = rest;
  }
  return result;
}

/** The places within this one. */
export function within(set: FieldSet, element: string): FieldSet | undefined {
  const node = child(set, element);
  return node === undefined || isEmptySet(node) ? undefined : node;
}

export function has(set: FieldSet, element: string): boolean {
  return isMember(child(set, element));
}

/** Adds every named field on the way to a place in the set: apply does not record those. */
export function withNamedFields(set: FieldSet, schema: Schema): FieldSet {
  const result: JsonDraft = {};
  for (const [element, value] of Object.entries(set)) {
    if (element === SELF) continue;
    const node = objectOf(value);
    const named = schema.shape === 'struct' && schema.fields.has(element.slice(2));
    const kept = nodeOf(named || isMember(node), withNamedFields(node, schemaOf(schema, element)));
    if (kept !== undefined) result[element] = kept;
  }
  return result;
}

/** What stands at this place of something described by the schema. */
function schemaOf(schema: Schema, element: string): Schema {
  switch (schema.shape) {
    case 'struct':
      return schema.fields.get(element.slice(2))?.schema ?? schema.others ?? schema;
    case 'map':
      return schema.values;
    case 'list':
      return schema.items;
    case 'scalar':
    case 'untyped':
      return schema;
  }
}

interface Draft {
  [element: string]: Draft;
}

/** Collects places; a path is a list of elements from the root. */
export class FieldSetBuilder {
  readonly #root: Draft = {};

  add(path: readonly string[]): void {
    let node = this.#root;
    let isNew = true;
    for (const element of path) {
      // A place with nothing within it is in the set, and stays there when something is added within it.
      if (!isNew && isEmptySet(node)) node[SELF] = {};
      const known = node[element];
      isNew = known === undefined;
      const next = known ?? {};
      node[element] = next;
      node = next;
    }
    if (!isNew && !isEmptySet(node)) node[SELF] = {};
  }

  build(): FieldSet {
    return this.#root;
  }
}

/** Every place in the set as messages spell it: `.spec.ports[port=80,protocol="TCP"].name`. */
export function pathsOf(set: FieldSet, prefix = ''): readonly string[] {
  const paths: string[] = [];
  for (const [element, value] of Object.entries(set)) {
    if (element === SELF) continue;
    const path = `${prefix}${elementText(element)}`;
    const node = objectOf(value);
    if (isMember(node)) paths.push(path);
    paths.push(...pathsOf(node, path));
  }
  return paths;
}

function elementText(element: string): string {
  const value = element.slice(2);
  if (element.startsWith('f:')) return `.${value}`;
  if (element.startsWith('v:')) return `[=${value}]`;
  const keys: Json = JSON.parse(value);
  const parts = Object.entries(objectOf(keys)).map(([name, key]) => `${name}=${JSON.stringify(key)}`);
  return `[${parts.join(',')}]`;
}
