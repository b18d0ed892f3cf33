import { apiVersionOf, keyText, type Resource } from '../api/resource.ts';
import type { KubeObject, OwnerReference } from '../types/meta.ts';

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
