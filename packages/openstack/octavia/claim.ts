import type { ClaimRules } from '@fairlead/service';
import type { OctaviaConfiguration } from './configuration.ts';
import { ANNOTATION_PREFIXES } from './handlers/annotations.ts';
import { FINALIZER } from './resource/types.ts';

export const OCTAVIA_CLASS = 'fairlead.dev/octavia';

/** Which Services are ours: those of our class, and the ClusterIP ones that the configuration selects by label. */
export function claimRules(
  { clusterIPServices }: Pick<OctaviaConfiguration, 'clusterIPServices'>,
  defaultClass: string | undefined,
): ClaimRules {
  return {
    loadBalancerClass: OCTAVIA_CLASS,
    finalizer: FINALIZER,
    isDefault: defaultClass === OCTAVIA_CLASS,
    annotationPrefixes: ANNOTATION_PREFIXES,
    ...(clusterIPServices === undefined ? {} : { otherTypesByLabel: clusterIPServices.labels }),
  };
}
