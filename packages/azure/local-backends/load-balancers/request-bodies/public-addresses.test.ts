import { verdictOf } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { childArmId, type ProvisioningState, type PublicIpAddress } from '../../../arm/index.ts';
import { loadBalancerId, publicIpId } from '../../site.ts';
import { present, site, wantedService } from '../../testing/wanted.ts';
import type { ObservedAzure } from '../observed.ts';
import { obstacleTo } from '../plan.ts';
import { nameFor } from './child-resources.ts';

const web = wantedService('shop/web', { ownAddresses: { IPv4: { name: 'mine' } } });

/** As its owner has made it. */
function observed(
  provisioningState: ProvisioningState,
  used: Pick<PublicIpAddress['properties'], 'ipConfiguration'> = {},
): ObservedAzure {
  const mine: PublicIpAddress = {
    id: publicIpId(site, 'mine'),
    name: 'mine',
    location: 'westeurope',
    sku: { name: 'Standard' },
    properties: { publicIPAllocationMethod: 'Static', publicIPAddressVersion: 'IPv4', provisioningState, ...used },
  };
  const nothing = { loadBalancers: new Map(), publicIpsElsewhere: new Map(), securityGroup: undefined };
  return { ...nothing, publicIps: new Map([['mine', mine]]) };
}

describe('an address of one’s own', () => {
  it('is used when Azure has made it, and keeps nobody else waiting until then', () => {
    expect(obstacleTo(site, observed('Succeeded'), present(web))).toBeUndefined();
    for (const state of ['Failed', 'Updating'] as const) {
      expect(verdictOf(obstacleTo(site, observed(state), present(web)))).toBe('retriable');
    }
  });

  it('is no obstacle in any state once the Service has it', () => {
    const frontends = childArmId('frontendIPConfigurations', loadBalancerId(site, 'one'), nameFor(site, web, 'IPv4'));
    const used = { ipConfiguration: { id: frontends } };
    expect(obstacleTo(site, observed('Updating', used), present(web))).toBeUndefined();
  });
});
