import { readField } from '../harness/untyped.ts';

/** Words of our own, and what the simulation does not check. */
const LEFT_OUT = new Set(['description', 'default', 'enum', 'x-kubernetes-unions']);
/** Lists that the simulated API does not split. */
const UNKNOWN_TYPES = /\.ListMeta$/;

/** The types that an OpenAPI document defines, as far as clients act on them. */
export function typesIn(document: string): ReadonlyMap<string, unknown> {
  const schemas = readField(readField(JSON.parse(document), 'components'), 'schemas');
  const named = Object.entries(schemas ?? {}).filter(([name]) => !UNKNOWN_TYPES.test(name));
  return new Map(named.map(([name, schema]) => [name, comparable(schema)]));
}

function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([name, inner]) => !isLeftOut(name, inner));
  const kept = Object.fromEntries(
    entries.map(([name, inner]) => [name, name === 'required' ? sorted(inner) : comparable(inner)]),
  );
  // A reference stands alone, or in a list of its own where it is described.
  return entries.length === 1 && Array.isArray(kept.allOf) ? kept.allOf[0] : kept;
}

function sorted(names: unknown): unknown {
  return Array.isArray(names) ? names.map(String).sort() : comparable(names);
}

/** A field may be called as a keyword is: then it holds a schema. A list is atomic unless it says otherwise. */
function isLeftOut(name: string, value: unknown): boolean {
  if (name === 'x-kubernetes-list-type') return value === 'atomic';
  return LEFT_OUT.has(name) && (name !== 'description' || typeof value === 'string');
}
