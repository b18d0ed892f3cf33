import type { ObjectWrite } from '@fairlead/kube';
import { FINALIZER, KURYR_FINALIZER, type KuryrLoadBalancer } from '../resource/types.ts';

export type ResourceWrite = ObjectWrite<KuryrLoadBalancer>;

/** What stood there in an older shape goes, when what stands there now has taken its place. */
export function holdWrites({ metadata, spec }: KuryrLoadBalancer): readonly ResourceWrite[] {
  const { finalizers = [] } = metadata;
  const isHeld = finalizers.includes(FINALIZER);
  const isOld = spec?.subsets !== undefined;
  if (isHeld && !isOld) return [];
  const ifItDiesHere = 'The finalizer holds the resource: the next pass goes on.';
  const held = isHeld ? {} : { metadata: { finalizers: [...finalizers, FINALIZER] } };
  return [{ name: 'hold-resource', ifItDiesHere, patch: { ...held, ...(isOld ? { spec: { subsets: null } } : {}) } }];
}

/** Kuryr's own finalizer ends with ours. */
export function releaseWrites(resource: KuryrLoadBalancer): readonly ResourceWrite[] {
  const left = (resource.metadata.finalizers ?? []).filter((one) => one !== FINALIZER && one !== KURYR_FINALIZER);
  const ifItDiesHere = 'Nothing of it is left in OpenStack, and nothing holds it.';
  const finalizers = left.length === 0 ? null : left;
  return [{ name: 'release-resource', ifItDiesHere, patch: { metadata: { finalizers } } }];
}
