import type { ObjectKey } from '@fairlead/kube';

/** `namespace/name` of a Service: the key of queues, caches and journals, and what people call it. */
export type ServiceKey = `${string}/${string}`;

export function serviceKey({ namespace = 'default', name }: ObjectKey): ServiceKey {
  return `${namespace}/${name}`;
}

/** A key as queues and caches hand it out, which is plain text. */
export function toServiceKey(text: string): ServiceKey {
  return serviceKey(objectKeyOf(text));
}

/** Namespace and name of a key. */
export function objectKeyOf(key: string): Required<ObjectKey> {
  const [namespace = '', name = ''] = key.split('/');
  return { namespace, name };
}
