import { FairleadError } from '@fairlead/control';
import type { KubeClient, WriteOptions } from '../api/client.ts';
import { type JsonPatchStep, pointer } from '../api/patch.ts';
import { keyText, type Resource } from '../api/resource.ts';
import type { KubeObject } from '../types/meta.ts';
import { appendSteps, patchGuarded, removeSteps } from './guarded-patch.ts';

const PATH = pointer('metadata', 'finalizers');

/** Whether the object is held by this finalizer. */
export function hasFinalizer(object: KubeObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

/**
 * Keeps the object from vanishing until we agree; no write when it is there already. Undefined when the object is
 * gone. Rejects with a stale error when it is being deleted, for then nothing may be created for it any more.
 */
export async function addFinalizer<Kind extends KubeObject>(
  client: KubeClient,
  resource: Resource<Kind>,
  object: Kind,
  finalizer: string,
  options?: WriteOptions,
): Promise<Kind | undefined> {
  return patchGuarded(client, resource, object, (current) => additionSteps(current, finalizer), options);
}

/** Agrees to the object's end; no write when it is not there. Undefined when the object is gone. */
export async function removeFinalizer<Kind extends KubeObject>(
  client: KubeClient,
  resource: Resource<Kind>,
  object: Kind,
  finalizer: string,
  options?: WriteOptions,
): Promise<Kind | undefined> {
  return patchGuarded(client, resource, object, (current) => removalSteps(current, finalizer), options);
}

function additionSteps(object: KubeObject, finalizer: string): readonly JsonPatchStep[] {
  if (hasFinalizer(object, finalizer)) return [];
  if (object.metadata.deletionTimestamp !== undefined) {
    throw new FairleadError(`${keyText(object.metadata)} is being deleted: it gets no finalizer any more`, {
      verdict: 'stale',
      code: 'object-being-deleted',
    });
  }
  return appendSteps(PATH, object.metadata.finalizers, finalizer);
}

/** One removal for each time it is listed, from the end: each step moves what comes after it. */
function removalSteps(object: KubeObject, finalizer: string): readonly JsonPatchStep[] {
  return (object.metadata.finalizers ?? [])
    .flatMap((listed, index) => (listed === finalizer ? [removeSteps(PATH, index, finalizer)] : []))
    .reverse()
    .flat();
}
