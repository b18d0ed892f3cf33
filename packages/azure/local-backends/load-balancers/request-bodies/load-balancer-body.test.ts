import { describe, expect, it } from 'vitest';
import { clusterTags, type LoadBalancer } from '../../../arm/index.ts';
import { loadBalancerId } from '../../site.ts';
import { site } from '../../testing/wanted.ts';
import { isAbandoned } from './load-balancer-body.ts';

function balancer(
  properties: LoadBalancer['properties'],
  tags: LoadBalancer['tags'] = clusterTags(site),
): LoadBalancer {
  const id = loadBalancerId(site, 'one');
  return { id, name: 'one', location: 'westeurope', sku: { name: 'Standard' }, tags, properties };
}

describe('isAbandoned', () => {
  it('is so for what we have made, and has nothing on it any more', () => {
    expect(isAbandoned(site, balancer({ frontendIPConfigurations: [], probes: [] }))).toBe(true);
    expect(isAbandoned(site, balancer({}, {}))).toBe(false);
    expect(isAbandoned(site, balancer({}, clusterTags({ ...site, part: 'other' })))).toBe(false);
  });

  it('is not so while anything is on it, also of a kind that we know nothing of', () => {
    const properties = { frontendIPConfigurations: [], backendAddressPools: [], probes: [], loadBalancingRules: [] };
    expect(
      isAbandoned(
        site,
        balancer({ ...properties, probes: [{ name: 'theirs', properties: { protocol: 'Tcp', port: 1 } }] }),
      ),
    ).toBe(false);
    const unknown: LoadBalancer['properties'] & { readonly inboundNatPools: readonly object[] } = {
      ...properties,
      inboundNatPools: [{}],
    };
    expect(isAbandoned(site, balancer(unknown))).toBe(false);
  });
});
