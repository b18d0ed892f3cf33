import { isRecord } from '@fairlead/control';

/**
 * Whether two values are the same JSON: the order of fields, fields that are undefined and how the objects were made
 * do not count. An object from a cache and one made here must not differ for these, or a write would follow.
 */
export function jsonEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => jsonEqual(item, right[index]));
  }
  if (!isRecord(left) || !isRecord(right)) return false;
  return (
    Object.keys(left).every((field) => jsonEqual(left[field], ownField(right, field))) &&
    Object.keys(right).every((field) => right[field] === undefined || Object.hasOwn(left, field))
  );
}

/** JSON may name a field as something every object inherits. */
function ownField(record: Readonly<Record<string, unknown>>, field: string): unknown {
  return Object.hasOwn(record, field) ? record[field] : undefined;
}
