import { equalJson, fieldOf, isJsonList, type Json, listOf } from '../../json.ts';
import type { ListSchema, Schema } from '../schema/schema.ts';
import { type FieldSet, FieldSetBuilder } from './field-set.ts';
import { fieldsOf, isEmptyValue, itemsByElement, viewOf } from './typed.ts';

/** Where two versions of an object differ. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

export function compare(schema: Schema, before: Json, after: Json): Comparison {
  const comparer = new Comparer();
  comparer.visit(schema, before, after);
  return comparer.result();
}

class Comparer {
  readonly #added = new FieldSetBuilder();
  readonly #modified = new FieldSetBuilder();
  readonly #removed = new FieldSetBuilder();
  readonly #path: string[] = [];

  result(): Comparison {
    return { added: this.#added.build(), modified: this.#modified.build(), removed: this.#removed.build() };
  }

  visit(schema: Schema, before: Json | undefined, after: Json | undefined): void {
    if (before === after) return;
    const view = viewOf(schema, after ?? before);
    if (view.as === 'leaf' || (isEmptyValue(before) && isEmptyValue(after))) {
      this.#leaf(before, after);
      return;
    }
    if (view.as === 'fields') this.#fields(view.schemaOf, before, after);
    else this.#items(view.schema, before, after);
    if (this.#path.length === 0) return;
    if (before === undefined) this.#added.add(this.#path);
    else if (after === undefined) this.#removed.add(this.#path);
  }

  #leaf(before: Json | undefined, after: Json | undefined): void {
    if (before === undefined) this.#added.add(this.#path);
    else if (after === undefined) this.#removed.add(this.#path);
    else if (!equalJson(before, after)) this.#modified.add(this.#path);
  }

  #step(element: string, schema: Schema, before: Json | undefined, after: Json | undefined): void {
    this.#path.push(element);
    this.visit(schema, before, after);
    this.#path.pop();
  }

  #fields(schemaOf: (name: string) => Schema | undefined, before: Json | undefined, after: Json | undefined): void {
    const beforeFields = fieldsOf(before);
    const afterFields = fieldsOf(after);
    for (const [name, value] of Object.entries(beforeFields)) {
      const schema = schemaOf(name);
      if (schema !== undefined) this.#step(`f:${name}`, schema, value, fieldOf(afterFields, name));
    }
    for (const [name, value] of Object.entries(afterFields)) {
      const schema = Object.hasOwn(beforeFields, name) ? undefined : schemaOf(name);
      if (schema !== undefined) this.#step(`f:${name}`, schema, undefined, value);
    }
  }

  #items(schema: ListSchema, before: Json | undefined, after: Json | undefined): void {
    const beforeItems = itemsByElement(schema, listOf(before));
    const afterItems = itemsByElement(schema, listOf(after));
    for (const [element, items] of beforeItems) {
      this.#item(schema, element, items, afterItems.get(element) ?? []);
    }
    for (const [element, items] of afterItems) {
      if (!beforeItems.has(element)) this.#item(schema, element, [], items);
    }
  }

  /** Items that share an element are owned together, as one piece. */
  #item(schema: ListSchema, element: string, before: readonly Json[], after: readonly Json[]): void {
    if (before.length <= 1 && after.length <= 1) {
      this.#step(element, schema.items, before[0], after[0]);
      return;
    }
    const path = [...this.#path, element];
    if (before.length >= 2 && after.length >= 2) {
      if (!equalJson(before, after)) this.#modified.add(path);
      return;
    }
    if (before.length >= 2) {
      if (after.length > 0) this.#step(element, schema.items, undefined, after[0]);
      this.#removed.add(path);
      return;
    }
    if (before.length > 0) this.#step(element, schema.items, before[0], undefined);
    this.#added.add(path);
  }
}

/** The places that an applied configuration speaks about. */
export function fieldsIn(schema: Schema, value: Json): FieldSet {
  const builder = new FieldSetBuilder();
  collect(schema, value, [], builder);
  return builder.build();
}

function collect(schema: Schema, value: Json, path: string[], builder: FieldSetBuilder): void {
  const view = viewOf(schema, value);
  if (view.as === 'leaf') {
    if (path.length > 0) builder.add(path);
    return;
  }
  if (view.as === 'items') {
    if (isJsonList(value)) collectItems(view.schema, value, path, builder);
    return;
  }
  for (const [name, inner] of Object.entries(fieldsOf(value))) {
    const innerSchema = view.schemaOf(name);
    if (innerSchema === undefined) continue;
    path.push(`f:${name}`);
    collect(innerSchema, inner, path, builder);
    const named = schema.shape === 'struct' && schema.fields.has(name);
    const emptyObject = inner === null || (!isJsonList(inner) && typeof inner === 'object' && isEmptyValue(inner));
    if (!named || emptyObject) builder.add(path);
    path.pop();
  }
}

function collectItems(schema: ListSchema, items: readonly Json[], path: string[], builder: FieldSetBuilder): void {
  for (const [element, group] of itemsByElement(schema, items)) {
    path.push(element);
    const [only] = group;
    if (group.length === 1 && only !== undefined) collect(schema.items, only, path, builder);
    builder.add(path);
    path.pop();
  }
}
