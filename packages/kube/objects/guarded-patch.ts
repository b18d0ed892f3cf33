import { isConflict, isInvalid, isNotFound } from '../api/api-error.ts';
import type { KubeClient, WriteOptions } from '../api/client.ts';
import { jsonEqual } from '../api/json-equal.ts';
import { type JsonPatchStep, pointer } from '../api/patch.ts';
import type { Resource } from '../api/resource.ts';
import type { KubeObject } from '../types/meta.ts';

/** Each attempt starts from what is there now; only a controller that writes without pause makes more of them fail. */
const MAXIMUM_ATTEMPTS = 5;

/**
 * Makes an object as `change` wants it: with no write when it is so already, and without touching what others wrote.
 * The steps must test what they rest upon; when a test fails, the object is read again and `change` asked again.
 * The object given may be stale. Resolves with undefined when that very object (not a namesake) is no longer there.
 */
export async function patchGuarded<Kind extends KubeObject>(
  client: KubeClient,
  resource: Resource<Kind>,
  object: Kind,
  change: (object: Kind) => readonly JsonPatchStep[],
  options: WriteOptions = {},
): Promise<Kind | undefined> {
  const { uid } = object.metadata;
  const identity: JsonPatchStep[] =
    uid === undefined ? [] : [{ op: 'test', path: pointer('metadata', 'uid'), value: uid }];
  let current = object;
  for (let attempt = 1; ; attempt += 1) {
    const steps = change(current);
    if (steps.length === 0) return current;
    try {
      return await client.patchJson(resource, object.metadata, [...identity, ...steps], options);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (!isInvalid(error) && !isConflict(error)) throw error;
      const found = await client.find(resource, object.metadata, options);
      if (found === undefined || (uid !== undefined && found.metadata.uid !== uid)) return undefined;
      // The same steps would be refused again: it was not the tests, but what they lead to.
      if (attempt === MAXIMUM_ATTEMPTS || jsonEqual(change(found), steps)) throw error;
      current = found;
    }
  }
}

/** Steps that add an item to the end of a list, provided the list is as it was read (undefined: not there at all). */
export function appendSteps(
  path: string,
  list: readonly unknown[] | undefined,
  item: unknown,
): readonly [JsonPatchStep, JsonPatchStep] {
  const test: JsonPatchStep = { op: 'test', path, value: list ?? null };
  if (list === undefined) return [test, { op: 'add', path, value: [item] }];
  return [test, { op: 'add', path: `${path}/-`, value: item }];
}

/** Steps that replace an item of a list, provided it is still in its place. */
export function replaceSteps(path: string, index: number, before: unknown, after: unknown): readonly JsonPatchStep[] {
  const itemPath = `${path}/${index}`;
  return [
    { op: 'test', path: itemPath, value: before },
    { op: 'replace', path: itemPath, value: after },
  ];
}

/** Steps that take an item out of a list, provided it is still in its place. */
export function removeSteps(path: string, index: number, before: unknown): readonly JsonPatchStep[] {
  const itemPath = `${path}/${index}`;
  return [
    { op: 'test', path: itemPath, value: before },
    { op: 'remove', path: itemPath },
  ];
}
