import { objectOf } from '../../json.ts';
import type { ManagedFieldsEntry } from '../object.ts';
import { type FieldSet, isEmptySet, union } from './field-set.ts';

/** Who owns which fields since when: one entry of managedFields. */
export interface Ownership {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  readonly fields: FieldSet;
  readonly time?: string;
}

const MAXIMUM_UPDATERS = 10;
const OLD_UPDATES = 'ancient-changes';

/** An applier is the same in every version of the API; an updater is not. */
export function isSameManager(left: Ownership, right: Ownership): boolean {
  return (
    left.manager === right.manager &&
    left.operation === right.operation &&
    left.subresource === right.subresource &&
    (left.operation === 'Apply' || left.apiVersion === right.apiVersion)
  );
}

/** Undefined when the entries do not make sense: they are then ignored. */
export function readManagedFields(entries: readonly ManagedFieldsEntry[]): readonly Ownership[] | undefined {
  const owners: Ownership[] = [];
  for (const entry of entries) {
    const { manager = '', operation, apiVersion = '', subresource = '', fieldsType, fieldsV1, time } = entry;
    if (operation !== 'Apply' && operation !== 'Update') return undefined;
    if (apiVersion === '' || fieldsType !== 'FieldsV1') return undefined;
    const fields = objectOf(fieldsV1);
    owners.push({ manager, operation, apiVersion, subresource, fields, ...(time !== undefined && { time }) });
  }
  return owners;
}

/** Entries in the order in which the API lists them; an owner of nothing is left out. */
export function writeManagedFields(owners: readonly Ownership[]): readonly ManagedFieldsEntry[] {
  return owners
    .filter((owner) => !isEmptySet(owner.fields))
    .sort(byOperationTimeAndName)
    .map(({ manager, operation, apiVersion, subresource, fields, time }) => ({
      ...(manager !== '' && { manager }),
      operation,
      apiVersion,
      ...(time !== undefined && { time }),
      fieldsType: 'FieldsV1',
      fieldsV1: fields,
      ...(subresource !== '' && { subresource }),
    }));
}

function byOperationTimeAndName(left: Ownership, right: Ownership): number {
  return (
    ascending(left.operation, right.operation) ||
    ascending(left.time ?? '', right.time ?? '') ||
    ascending(left.manager, right.manager) ||
    ascending(left.apiVersion, right.apiVersion) ||
    ascending(left.subresource, right.subresource)
  );
}

function ascending(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Only so many updaters are remembered: the oldest of each version are thrown together. */
export function capUpdaters(owners: readonly Ownership[]): readonly Ownership[] {
  const updaters = owners.filter((owner) => owner.operation === 'Update').sort(byOperationTimeAndName);
  if (updaters.length <= MAXIMUM_UPDATERS) return owners;
  const merged = new Set<Ownership>();
  const buckets = new Map<string, Ownership[]>();
  let remaining = updaters.length;
  for (const updater of updaters) {
    if (remaining <= MAXIMUM_UPDATERS) break;
    const bucket = buckets.get(updater.apiVersion);
    if (bucket === undefined) buckets.set(updater.apiVersion, [updater]);
    else {
      bucket.push(updater);
      remaining -= 1;
    }
  }
  const replacements: Ownership[] = [];
  for (const bucket of buckets.values()) {
    const latest = bucket.at(-1);
    if (bucket.length < 2 || latest === undefined) continue;
    for (const updater of bucket) merged.add(updater);
    const fields = bucket.reduce((all, { fields }) => union(all, fields), bucket[0]?.fields ?? {});
    replacements.push({ ...latest, manager: OLD_UPDATES, subresource: '', fields });
  }
  return [...owners.filter((owner) => !merged.has(owner)), ...replacements];
}
