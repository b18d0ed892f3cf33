import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  type ArmId,
  armId,
  armIdKey,
  armName,
  type ChildArmKind,
  childArmId,
  isArmId,
  parseArmId,
  requireArmId,
  sameArmId,
} from './arm-id.ts';

const group = { subscriptionId: '00000000-0000-0000-0000-000000000001', resourceGroup: 'cluster' };
const loadBalancer = armId('loadBalancers', group, 'web');

describe('ArmId', () => {
  it('names a resource and what is inside it', () => {
    expect(loadBalancer).toBe(
      '/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/cluster' +
        '/providers/Microsoft.Network/loadBalancers/web',
    );
    expect(childArmId('backendAddressPools', loadBalancer, 'pool')).toBe(`${loadBalancer}/backendAddressPools/pool`);
  });

  it('is read back into the parts it was made of', () => {
    const name = fc.stringMatching(/^[A-Za-z0-9_.-]{1,20}$/);
    fc.assert(
      fc.property(name, name, name, (resourceGroup, network, subnet) => {
        const parent = armId('virtualNetworks', { ...group, resourceGroup }, network);
        expect(parseArmId(parent)).toEqual({ ...group, resourceGroup, kind: 'virtualNetworks', name: network });
        const child = childArmId('subnets', parent, subnet);
        expect(parseArmId(child)).toEqual({
          ...group,
          resourceGroup,
          kind: 'subnets',
          name: subnet,
          parentName: network,
        });
        expect(armName(child)).toBe(subnet);
      }),
    );
  });

  it('is the same in any case', () => {
    const shouted = loadBalancer.toUpperCase();
    expect(isArmId('loadBalancers', shouted)).toBe(true);
    expect(parseArmId(shouted)?.kind).toBe('loadBalancers');
    expect(sameArmId(loadBalancer, shouted)).toBe(true);
    expect(armIdKey(loadBalancer)).toBe(armIdKey(shouted));
    expect(sameArmId(loadBalancer, armId('loadBalancers', group, 'web2'))).toBe(false);
  });

  it.each([
    '',
    'web',
    '/subscriptions/1/resourceGroups/cluster',
    '/subscriptions/1/resourceGroups/cluster/providers/Microsoft.Compute/loadBalancers/web',
    '/subscriptions/1/resourceGroups/cluster/providers/Microsoft.Network/teapots/web',
    '/subscriptions/1/resourceGroups/cluster/providers/Microsoft.Network/virtualNetworks/a/backendAddressPools/b',
    '/subscriptions/1/resourceGroups/cluster/providers/Microsoft.Network/loadBalancers/web?x=1',
    '/subscriptions/1/resourceGroups/cluster/providers/Microsoft.Network/loadBalancers/web/probes',
  ])('does not take %j for one', (text) => {
    expect(parseArmId(text)).toBeUndefined();
  });

  it('refuses an id of another kind and shows what one looks like', () => {
    expect(() => requireArmId('natGateways', loadBalancer)).toThrowError(
      expect.objectContaining({ verdict: 'terminal', code: 'invalid-resource-id' }),
    );
    expect(() => requireArmId('subnets', 'x')).toThrowError(/virtualNetworks\/NAME\/subnets\/NAME$/);
    expect(() => armId('publicIPAddresses', group, 'a/b')).toThrowError(/"[^"]*a\/b" is not the id/);
  });

  it('cannot be swapped for one of another kind', () => {
    expectTypeOf(loadBalancer).toExtend<ArmId>();
    expectTypeOf(loadBalancer).not.toExtend<ArmId<'publicIPAddresses'>>();
    expectTypeOf<ChildArmKind<'virtualNetworks'>>().toEqualTypeOf<'subnets'>();
  });
});
