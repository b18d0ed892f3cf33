import { isJsonObject, type Json, type JsonDraft, type JsonObject, objectOf } from '../json.ts';
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

type Keep = (inLeft: boolean, inRight: boolean) => boolean;

/** Every place for which `keep` says so. */
function combine(left: JsonObject | undefined, right: JsonObject | undefined, keep: Keep): FieldSet {
  const result: JsonDraft = {};
  const visit = (element: string): void => {
    if (element === SELF || element in result) return;
    const leftNode = child(left, element);
    const rightNode = child(right, element);
    const member = keep(isMember(leftNode), isMember(rightNode));
    const node = nodeOf(member, combine(leftNode, rightNode, keep));
    if (node !== undefined) result[element] = node;
  };
  for (const element in left) visit(element);
  for (const element in right) visit(element);
  return result;
}

export function union(left: FieldSet, right: FieldSet): FieldSet {
  if (isEmptySet(left)) return right;
  if (isEmptySet(right)) return left;
  return combine(left, right, (inLeft, inRight) => inLeft || inRight);
}

export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  return combine(left, right, (inLeft, inRight) => inLeft && inRight);
}

export function difference(left: FieldSet, right: FieldSet): FieldSet {
  if (isEmptySet(right)) return left;
  return combine(left, right, (inLeft, inRight) => inLeft && !inRight);
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

/** Collects places; a path is a list of elements from the root. */
export class FieldSetBuilder {
  readonly #root: Draft = new Map();

  add(path: readonly string[]): void {
    let node = this.#root;
    for (const element of path) {
      const next = node.get(element) ?? new Map();
      node.set(element, next);
      node = next;
    }
    node.set(SELF, new Map());
  }

  build(): FieldSet {
    return frozen(this.#root);
  }
}

interface Draft extends Map<string, Draft> {}

function frozen(draft: Draft): JsonObject {
  const result: JsonDraft = {};
  for (const [element, inner] of draft) {
    if (element === SELF) continue;
    result[element] = inner.size === 1 && inner.has(SELF) ? {} : withSelf(inner);
  }
  return result;
}

function withSelf(draft: Draft): JsonObject {
  const places = frozen(draft);
  return draft.has(SELF) ? { [SELF]: {}, ...places } : places;
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
