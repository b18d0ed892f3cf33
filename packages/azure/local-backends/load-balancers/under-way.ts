import { FairleadError } from '@fairlead/control';
import { armName, isUnderWay } from '../../arm/index.ts';
import type { AzureSite } from '../site.ts';
import type { ObservedAzure } from './observed.ts';
import { publicAddressOf } from './request-bodies/public-addresses.ts';
import type { Target } from './target.ts';

/**
 * Why it cannot be told yet what a Service has, although all looks as wanted: Azure is at work on something of it, be it
 * for a leader before us, and shows meanwhile what it may fail at. Who leaves may have been on any load balancer.
 */
export function underWayFor(site: AzureSite, observed: ObservedAzure, target: Target): FairleadError | undefined {
  const { loadBalancers, securityGroup } = observed;
  const own = target.kind === 'present' ? loadBalancers.get(target.loadBalancer.toLowerCase()) : undefined;
  const balancers = target.kind === 'present' ? [own] : [...loadBalancers.values()];
  const busy = [...balancers, securityGroup, ...madeAddresses(site, observed, target)].find(
    (resource) => resource !== undefined && isUnderWay(resource),
  );
  if (busy === undefined) return undefined;
  const message = `Azure is still at work on ${armName(busy.id)}, and how that ends is not known yet`;
  return new FairleadError(message, { verdict: 'stale', code: 'still-under-way' });
}

function madeAddresses(site: AzureSite, observed: ObservedAzure, target: Target) {
  if (target.kind !== 'present' || target.wanted.scope !== 'public') return [];
  const { wanted } = target;
  return wanted.families.map((family) => {
    const address = publicAddressOf(site, observed, wanted, family);
    return address.kind === 'made' ? address.there : undefined;
  });
}
