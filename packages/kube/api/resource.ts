import { compareTexts, FairleadError } from '@fairlead/control';
import type { KubeObject } from '../types/meta.ts';

/**
 * A kind of object and where the API serves it. The type parameter is what a client gets back, so that
 * `client.get(services, …)` is a Service without a cast.
 */
export interface Resource<Kind extends KubeObject> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Set when this is a part of the object with a path of its own, such as `status`. */
  readonly subresource?: string;
  /** Carries the type only; never set. */
  readonly kindType?: Kind;
}

/** Which object: a namespace (absent for cluster-wide kinds) and a name. */
export interface ObjectKey {
  readonly namespace?: string;
  readonly name: string;
}

/** `v1` or `discovery.k8s.io/v1`. */
export function apiVersionOf(resource: Resource<KubeObject>): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** The path of the collection, in one namespace or across all. */
export function collectionPath(resource: Resource<KubeObject>, namespace?: string): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  if (!resource.namespaced || namespace === undefined) return `${root}/${resource.plural}`;
  return `${root}/namespaces/${pathSegment(namespace)}/${resource.plural}`;
}

/** The path of one object, or of the subresource. */
export function objectPath(resource: Resource<KubeObject>, key: ObjectKey): string {
  // The server knows no such path, and its 404 would read as: there is no such object.
  const namespace = resource.namespaced ? (key.namespace ?? '') : undefined;
  const path = `${collectionPath(resource, namespace)}/${pathSegment(key.name)}`;
  return resource.subresource === undefined ? path : `${path}/${resource.subresource}`;
}

/** Without a name, or with one that a URL resolves away, a call about one object becomes one about all of them. */
function pathSegment(name: string): string {
  if (name !== '' && name !== '.' && name !== '..') return encodeURIComponent(name);
  throw new FairleadError(`"${name}" cannot be the name of an object or a namespace: give its whole name`, {
    verdict: 'terminal',
    code: 'invalid-object-name',
  });
}

/** The status of the objects: reads the whole object, writes only what is under `status`. */
export function statusOf<Kind extends KubeObject>(resource: Resource<Kind>): Resource<Kind> {
  return { ...resource, subresource: 'status' };
}

/** `namespace/name`, or `name` for a cluster-wide object: the key of caches, queues, journals and logs. */
export function keyText(key: ObjectKey): string {
  return key.namespace === undefined ? key.name : `${key.namespace}/${key.name}`;
}

/** Sorts the oldest object first, and those of the same second by key. */
export function byAge({ metadata: left }: KubeObject, { metadata: right }: KubeObject): number {
  const { creationTimestamp: leftTime = '' } = left;
  const { creationTimestamp: rightTime = '' } = right;
  return compareTexts(leftTime, rightTime) || compareTexts(keyText(left), keyText(right));
}
