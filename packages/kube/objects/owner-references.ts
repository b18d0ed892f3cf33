import { FairleadError } from '@fairlead/control';
import type { KubeClient, WriteOptions } from '../api/client.ts';
import { jsonEqual } from '../api/json-equal.ts';
import { type JsonPatchStep, pointer } from '../api/patch.ts';
import { apiVersionOf, keyText, type Resource } from '../api/resource.ts';
import type { KubeObject, OwnerReference } from '../types/meta.ts';
import { appendSteps, patchGuarded, removeSteps, replaceSteps } from './guarded-patch.ts';

const PATH = pointer('metadata', 'ownerReferences');

/** A reference that makes the owner the object's controller. The owner must have been read from the server. */
export function controllerReference<Kind extends KubeObject>(resource: Resource<Kind>, owner: Kind): OwnerReference {
  const { name, uid } = owner.metadata;
  if (uid === undefined) throw new TypeError(`${keyText(owner.metadata)} has no uid: it was not read from the server`);
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** The reference to the one owner that manages the object. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/** Has the object deleted with its owner; no write when it is so already. Undefined when the object is gone. */
export async function addOwnerReference<Kind extends KubeObject, Owner extends KubeObject>(
  client: KubeClient,
  resource: Resource<Kind>,
  object: Kind,
  owner: { readonly resource: Resource<Owner>; readonly object: Owner },
  options?: WriteOptions,
): Promise<Kind | undefined> {
  refuseOtherNamespace(object, owner.object);
  const reference = controllerReference(owner.resource, owner.object);
  return patchGuarded(client, resource, object, (current) => additionSteps(current, reference), options);
}

/** Lets the object outlive its owner; no write when it is so already. Undefined when the object is gone. */
export async function removeOwnerReference<Kind extends KubeObject>(
  client: KubeClient,
  resource: Resource<Kind>,
  object: Kind,
  ownerUid: string,
  options?: WriteOptions,
): Promise<Kind | undefined> {
  const change = (current: Kind) => {
    const references = current.metadata.ownerReferences ?? [];
    const index = references.findIndex((reference) => reference.uid === ownerUid);
    return index < 0 ? [] : removeSteps(PATH, index, references[index]);
  };
  return patchGuarded(client, resource, object, change, options);
}

function additionSteps(object: KubeObject, wanted: OwnerReference): readonly JsonPatchStep[] {
  const references = object.metadata.ownerReferences;
  const index = references?.findIndex((reference) => reference.uid === wanted.uid) ?? -1;
  if (index < 0) return appendSteps(PATH, references, wanted);
  const before = references?.[index];
  return jsonEqual(before, wanted) ? [] : replaceSteps(PATH, index, before, wanted);
}

/** The garbage collector does not find an owner in another namespace, and deletes what refers to it. */
function refuseOtherNamespace(object: KubeObject, owner: KubeObject): void {
  const { namespace } = owner.metadata;
  if (namespace === undefined || namespace === object.metadata.namespace) return;
  throw new FairleadError(
    `${keyText(object.metadata)} cannot belong to ${keyText(owner.metadata)}: owners are in the same namespace or none`,
    { verdict: 'terminal', code: 'owner-in-other-namespace' },
  );
}
