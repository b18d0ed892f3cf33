import { isRecord } from '@fairlead/control';
import { isDeepStrictEqual } from 'node:util';
import type { JsonPatchStep } from '../api/patch.ts';

/** RFC 7396: what an object is after a merge patch. */
export function patchedMerge(current: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result: Record<string, unknown> = isRecord(current) ? { ...current } : {};
  for (const [field, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    if (value === null) delete result[field];
    else result[field] = patchedMerge(result[field], value);
  }
  return result;
}

/** RFC 6902: what an object is after a JSON patch; undefined when a step does not fit. */
export function patchedJson(current: unknown, steps: readonly JsonPatchStep[]): unknown {
  const document: unknown = structuredClone(current);
  return steps.every((step) => take(document, step)) ? document : undefined;
}

function take(document: unknown, step: JsonPatchStep): boolean {
  const fields = step.path
    .split('/')
    .slice(1)
    .map((field) => field.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = fields.pop() ?? '';
  let parent = document;
  for (const field of fields) {
    if (!isContainer(parent)) return false;
    parent = Reflect.get(parent, field);
  }
  if (!isContainer(parent)) return false;
  const exists = Object.hasOwn(parent, last);
  if (step.op === 'test') return isDeepStrictEqual(exists ? Reflect.get(parent, last) : null, step.value ?? null);
  if (step.op !== 'add' && !exists) return false;
  if (step.op === 'remove' && Array.isArray(parent)) return parent.splice(Number(last), 1).length === 1;
  if (step.op === 'remove') return Reflect.deleteProperty(parent, last);
  if (step.op === 'replace' || !Array.isArray(parent)) return Reflect.set(parent, last, step.value);
  parent.splice(last === '-' ? parent.length : Number(last), 0, step.value);
  return true;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
