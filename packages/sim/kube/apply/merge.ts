import {
  fieldOf,
  isJsonList,
  isJsonObject,
  type Json,
  type JsonDraft,
  type JsonList,
  listOf,
  setField,
} from '../../json.ts';
import type { ListSchema, Schema } from '../schema/schema.ts';
import { type FieldSet, has, within } from './field-set.ts';
import { fieldsOf, isEmptyValue, itemElement, viewOf } from './typed.ts';

/** The live object with an applied configuration laid over it. */
export function mergeApplied(schema: Schema, live: Json | undefined, applied: Json | undefined): Json | undefined {
  const view = viewOf(schema, applied ?? live);
  if (view.as === 'leaf' || (isEmptyValue(live) && isEmptyValue(applied)))
    return applied === undefined ? live : applied;
  if (view.as === 'items') return mergeItems(view.schema, listOf(live), listOf(applied));
  const liveFields = fieldsOf(live);
  const appliedFields = fieldsOf(applied);
  const merged: JsonDraft = {};
  for (const name of new Set([...Object.keys(liveFields), ...Object.keys(appliedFields)])) {
    const inner = view.schemaOf(name);
    const value =
      inner === undefined
        ? (fieldOf(appliedFields, name) ?? fieldOf(liveFields, name))
        : mergeApplied(inner, fieldOf(liveFields, name), fieldOf(appliedFields, name));
    if (value !== undefined) setField(merged, name, value);
  }
  return merged;
}

/**
 * Live items keep their order, except that items both sides have follow the applied order, and new items come
 * where the configuration has them.
 */
function mergeItems(schema: ListSchema, live: JsonList, applied: JsonList): Json {
  const liveElements = live.map((item, index) => itemElement(schema, item, index));
  const appliedElements = applied.map((item, index) => itemElement(schema, item, index));
  const liveItems = new Map(liveElements.map((element, index) => [element, live[index]]));
  const appliedItems = new Map(appliedElements.map((element, index) => [element, applied[index]]));
  const shared = appliedElements.filter((element) => liveItems.has(element));
  const merged: Json[] = [];
  const done = new Set<string>();
  const take = (element: string): void => {
    done.add(element);
    const item = mergeApplied(schema.items, liveItems.get(element), appliedItems.get(element));
    if (item !== undefined) merged.push(item);
  };
  let nextShared = 0;
  let liveIndex = 0;
  let appliedIndex = 0;
  while (liveIndex < liveElements.length || appliedIndex < appliedElements.length) {
    const liveElement = liveElements[liveIndex];
    const appliedElement = appliedElements[appliedIndex];
    if (liveElement !== undefined && appliedElement !== undefined) {
      if (liveElement === appliedElement) {
        take(liveElement);
        liveIndex += 1;
        appliedIndex += 1;
        nextShared += 1;
        continue;
      }
      const waitsForAnother = nextShared < shared.length && shared[nextShared] !== liveElement;
      if (appliedItems.has(liveElement) && waitsForAnother) {
        liveIndex += 1;
        continue;
      }
    }
    if (liveElement !== undefined) {
      if (!appliedItems.has(liveElement)) {
        const item = live[liveIndex];
        if (item !== undefined) merged.push(item);
        liveIndex += 1;
        continue;
      }
      if (done.has(liveElement)) liveIndex += 1;
    }
    if (appliedElement !== undefined) {
      take(appliedElement);
      appliedIndex += 1;
      if (shared[nextShared] === appliedElement) nextShared += 1;
    }
  }
  return merged;
}

/** The value without these places. What becomes empty by that goes as well. */
export function removeFields(schema: Schema, value: Json, removed: FieldSet): Json | undefined {
  const view = viewOf(schema, value);
  if (schema.shape === 'scalar' || (schema.shape === 'untyped' && !isJsonObject(value))) return value;
  if (view.as === 'leaf') return undefined;
  if (view.as === 'items') {
    if (!isJsonList(value)) return undefined;
    const kept = value.flatMap((item, index) => {
      const element = itemElement(view.schema, item, index);
      if (has(removed, element)) return [];
      const inner = within(removed, element);
      const rest = inner === undefined ? item : removeFields(view.schema.items, item, inner);
      return [rest ?? null];
    });
    return kept.length > 0 ? kept : undefined;
  }
  const kept: JsonDraft = {};
  for (const [name, inner] of Object.entries(fieldsOf(value))) {
    const element = `f:${name}`;
    if (has(removed, element)) continue;
    const places = within(removed, element);
    const innerSchema = view.schemaOf(name);
    const rest = places === undefined || innerSchema === undefined ? inner : removeFields(innerSchema, inner, places);
    setField(kept, name, rest ?? null);
  }
  return Object.keys(kept).length > 0 ? kept : undefined;
}
