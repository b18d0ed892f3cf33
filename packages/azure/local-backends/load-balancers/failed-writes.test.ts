import { serviceUid } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { armId, type LoadBalancer, type ProvisioningState } from '../../arm/index.ts';
import { serviceMark } from '../names.ts';
import { group, ids } from '../../arm/testing/emulated.ts';
import { FailedWrites } from './failed-writes.ts';

const [web, api] = [serviceMark(serviceUid('web')), serviceMark(serviceUid('api'))];

describe('the writes that Azure failed at', () => {
  it('are remembered for all that they were for, until one of the same resource succeeds', () => {
    const writes = new FailedWrites();
    writes.failed(ids.loadBalancer('one'), [web]);
    writes.failed(ids.loadBalancer('one'), [api]);
    writes.failed(ids.loadBalancer('two'), [api]);
    const isFor = (name: string) => [web, api].map((mark) => writes.isFor(ids.loadBalancer(name), mark));
    expect([isFor('one'), isFor('two'), isFor('three')]).toEqual([
      [true, true],
      [false, true],
      [false, false],
    ]);
    writes.succeeded(ids.loadBalancer('one'));
    expect([isFor('one'), isFor('two')]).toEqual([
      [false, false],
      [false, true],
    ]);
  });

  const id = ids.loadBalancer('one');
  const body = (etag: string, provisioningState: ProvisioningState): LoadBalancer => {
    const sku = { name: 'Standard' } as const;
    return { id, name: 'one', location: 'westeurope', sku, etag, properties: { provisioningState } };
  };

  it('are forgotten when the resource is seen in order, and not before', () => {
    const writes = new FailedWrites();
    const isRemembered = (state: ProvisioningState) => {
      writes.observed(body('2', state));
      return [writes.isFor(id, web), writes.inOrder(id) !== undefined];
    };
    writes.failed(id, [web], body('1', 'Succeeded'));
    expect([isRemembered('Failed'), isRemembered('Updating'), isRemembered('Succeeded')]).toEqual([
      [true, true],
      [true, true],
      [false, false],
    ]);
  });

  it('are known in whatever case Azure spells the id', () => {
    const writes = new FailedWrites();
    const capitals = {
      ...body('2', 'Succeeded'),
      id: armId('loadBalancers', { ...group, resourceGroup: 'CLUSTER' }, 'one'),
    };
    writes.failed(id, [web], body('1', 'Succeeded'));
    expect([writes.isFor(capitals.id, web), writes.inOrder(capitals.id)?.etag]).toEqual([true, '1']);
    writes.observed(capitals);
    expect([writes.isFor(id, web), writes.inOrder(id)]).toEqual([false, undefined]);
  });

  it('are kept with the load balancer as it was before, when it was last in order', () => {
    const writes = new FailedWrites();
    writes.failed(id, [web], body('0', 'Updating'));
    expect(writes.inOrder(id)).toBeUndefined();
    writes.failed(id, [web], body('1', 'Succeeded'));
    writes.failed(id, [api], body('2', 'Failed'));
    expect(writes.inOrder(id)?.etag).toBe('1');
    writes.failed(id, [api], body('3', 'Succeeded'));
    expect(writes.inOrder(id)?.etag).toBe('3');
    writes.succeeded(id);
    expect(writes.inOrder(id)).toBeUndefined();
  });
});
