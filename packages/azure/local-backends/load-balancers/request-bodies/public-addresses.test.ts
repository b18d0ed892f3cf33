import { codeOf, verdictOf } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { armId, childArmId, type ProvisioningState, type PublicIpAddress, serviceTags } from '../../../arm/index.ts';
import { loadBalancerId, publicIpId } from '../../site.ts';
import { present, site, wantedService } from '../../testing/wanted.ts';
import type { ObservedAzure } from '../observed.ts';
import { obstacleTo } from '../plan.ts';
import { nameFor } from './child-resources.ts';

const web = wantedService('shop/web', { ownAddresses: { IPv4: { name: 'mine' } } });

/** As its owner has made it. */
function observed(
  provisioningState: ProvisioningState,
  used: Pick<PublicIpAddress['properties'], 'ipConfiguration' | 'natGateway'> = {},
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

  it('is not taken from who uses it, be it a NAT gateway', () => {
    const id = armId('natGateways', site.group, 'out');
    const theirs = childArmId('frontendIPConfigurations', loadBalancerId(site, 'theirs'), 'front');
    for (const used of [{ natGateway: { id } }, { ipConfiguration: { id: theirs } }]) {
      expect(codeOf(obstacleTo(site, observed('Succeeded', used), present(web)))).toBe('address-in-use');
    }
  });
});

describe('an address from a prefix', () => {
  const prefix = '/subscriptions/sub/resourceGroups/cluster/providers/Microsoft.Network/publicIPPrefixes/range';
  const wanted = wantedService('shop/web', { prefixIds: { IPv4: prefix } });
  const from = (id: string): ObservedAzure => {
    const name = nameFor(site, wanted, 'IPv4');
    const made: PublicIpAddress = {
      id: publicIpId(site, name),
      name,
      location: 'westeurope',
      sku: { name: 'Standard' },
      tags: serviceTags(site, wanted.uid),
      properties: {
        publicIPAllocationMethod: 'Static',
        publicIPAddressVersion: 'IPv4',
        publicIPPrefix: { id },
      },
    };
    return { ...observed('Succeeded'), publicIps: new Map([[name, made]]) };
  };

  it('is known by it, however Azure spells that, and is never moved to another', () => {
    expect(obstacleTo(site, from(prefix.toUpperCase()), present(wanted))).toBeUndefined();
    expect(codeOf(obstacleTo(site, from(`${prefix}-2`), present(wanted)))).toBe('address-of-another-prefix');
  });
});
