import type { Service } from '@fairlead/kube';
import { type ClaimRules, claimService } from '@fairlead/service';
import { markOf, type ServiceMark } from '../names.ts';
import { type AzureSite, serviceOfName, serviceOfTags } from '../site.ts';
import { childOwner, servicesIn } from './request-bodies/load-balancer-body.ts';
import type { ObservedAzure } from './observed.ts';

export const LEFTOVER_BRAKE = { things: 'Services in Azure', minimumCount: 5 };

export interface ServicesInAzure {
  /** Those of this cluster that have anything there. */
  readonly all: readonly ServiceMark[];
  /** Those of them that no longer exist, or are no longer ours. */
  readonly leftovers: readonly ServiceMark[];
}

/** `cluster` has all Services that exist, and must be at least as old as what was observed. */
export function servicesInAzure(
  site: AzureSite,
  observed: ObservedAzure,
  cluster: readonly Service[],
  rules: ClaimRules,
): ServicesInAzure {
  const ownerOf = childOwner(site, new Map());
  const securityRules = observed.securityGroup?.properties.securityRules ?? [];
  const there = new Set([
    ...[...observed.loadBalancers.values()].flatMap((body) => [...servicesIn(body, ownerOf)]),
    ...[...observed.publicIps.values()].flatMap(({ tags }) => serviceOfTags(site, tags) ?? []),
    ...securityRules.flatMap(({ name }) => serviceOfName(site, name) ?? []),
  ]);
  const existing = new Set(
    cluster.filter((service) => claimService(service, rules).state !== 'foreign').map((service) => markOf(service)),
  );
  return { all: [...there], leftovers: [...there].filter((mark) => !existing.has(mark)) };
}
