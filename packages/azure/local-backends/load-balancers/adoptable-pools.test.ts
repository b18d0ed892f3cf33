import type { Service } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { childArmId, type LoadBalancer } from '../../arm/index.ts';
import { loadBalancerId, poolId } from '../site.ts';
import { site, wantedService } from '../testing/wanted.ts';
import { AdoptablePools } from './placement.ts';
import { nameFor } from './request-bodies/child-resources.ts';

const web = wantedService('shop/web');
const service: Service = {
  metadata: { namespace: 'shop', name: 'web' },
  spec: { type: 'LoadBalancer', ipFamilies: ['IPv4'] },
};

/** What of these pools the Service can take over. */
function adoptable(names: readonly string[], properties: LoadBalancer['properties'] = {}) {
  const backendAddressPools = names.map((name) => ({ name, properties: {} }));
  const one: LoadBalancer = {
    id: loadBalancerId(site, 'one'),
    name: 'one',
    location: 'westeurope',
    sku: { name: 'Standard' },
    properties: { backendAddressPools, ...properties },
  };
  return new AdoptablePools(site, [service], new Map([['one', one]])).on('one', web);
}

describe('a pool under the name that another controller gives it', () => {
  it('can be taken over while nothing uses it', () => {
    expect(adoptable(['shop-web'])).toEqual({ IPv4: 'shop-web' });
  });

  it('cannot when a rule of others leads to it, be it as one of several', () => {
    const reference = { id: poolId(site, 'one', 'Shop-Web') };
    const frontendIPConfiguration = {
      id: childArmId('frontendIPConfigurations', loadBalancerId(site, 'one'), 'theirs'),
    };
    const rule = { protocol: 'Tcp', frontendPort: 80, backendPort: 80, frontendIPConfiguration } as const;
    for (const used of [{ backendAddressPool: reference }, { backendAddressPools: [reference] }]) {
      const loadBalancingRules = [{ name: 'theirs', properties: { ...rule, ...used } }];
      expect(adoptable(['shop-web'], { loadBalancingRules })).toEqual({});
    }
  });

  it('cannot when the Service has one of its own: its clients would lose the nodes in that', () => {
    expect(adoptable(['shop-web', nameFor(site, web, 'IPv4')])).toEqual({});
  });
});
