import { CLOUD_PROVIDER_FINALIZER, type ClaimRules } from '@fairlead/service';
import type { OctaviaConfiguration } from './configuration.ts';
import { ANNOTATION_PREFIXES } from './handlers/annotations.ts';
import { FINALIZER, KURYR_SERVICE_FINALIZER } from './resource/types.ts';

export const OCTAVIA_CLASS = 'fairlead.dev/octavia';

/** Which Services are ours: those of our class, and the ClusterIP ones that the configuration selects by label. */
export function claimRules(
  { clusterIPServices, adopt }: Pick<OctaviaConfiguration, 'clusterIPServices' | 'adopt'>,
  defaultClass: string | undefined,
): ClaimRules {
  return {
    loadBalancerClass: OCTAVIA_CLASS,
    finalizer: FINALIZER,
    isDefault: defaultClass === OCTAVIA_CLASS,
    annotationPrefixes: ANNOTATION_PREFIXES,
    predecessors: [KURYR_SERVICE_FINALIZER, CLOUD_PROVIDER_FINALIZER],
    takesOver: adopt !== undefined,
    ...(clusterIPServices === undefined ? {} : { otherTypesByLabel: clusterIPServices.labels }),
  };
}
