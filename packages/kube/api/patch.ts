import type { KubeObject, ObjectMeta } from '../types/meta.ts';

/** Some fields of an object; `null` removes one, and a list replaces the whole list. */
export type MergePatch<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { readonly [Field in keyof Value]?: MergePatch<Value[Field]> | null }
    : Value;

/** One step of a JSON patch. The steps happen all or not at all. */
export type JsonPatchStep =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/** The fields that a manager wants to own: the name, and any others, but each list item as a whole. */
export type Applied<Kind extends KubeObject> = {
  readonly metadata: Pick<ObjectMeta, 'name'> & Partial<ObjectMeta>;
} & PartialFields<Omit<Kind, 'metadata'>>;

type PartialFields<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { readonly [Field in keyof Value]?: PartialFields<Value[Field]> }
    : Value;

/** A JSON pointer: `pointer('metadata', 'labels', 'app/name')` is `/metadata/labels/app~1name`. */
export function pointer(...fields: readonly (string | number)[]): string {
  return fields.map((field) => `/${String(field).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
