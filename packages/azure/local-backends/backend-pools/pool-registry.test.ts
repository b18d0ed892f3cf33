import { requireIpAddress } from '@fairlead/control';
import type { Service } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { site } from '../testing/wanted.ts';
import { BackendTracker } from './backend-tracker.ts';
import { LocalServices } from './local-services.ts';
import { PoolRegistry } from './pool-registry.ts';

const service = (name: string, more: Partial<Service['metadata']> = {}): Service => ({
  metadata: { namespace: 'shop', name, uid: `uid-${name}`, ...more },
  spec: {},
});

/** A registry for `shop/small` and `shop/large`, which both have a pod on the only node. */
function registered(current: readonly Service[]) {
  const backends = new BackendTracker();
  backends.setNode({ metadata: { name: 'a' }, status: { addresses: [{ type: 'InternalIP', address: '10.0.1.1' }] } });
  for (const name of ['small', 'large']) {
    backends.setSlice({
      metadata: { namespace: 'shop', name, labels: { 'kubernetes.io/service-name': name }, resourceVersion: '1' },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.244.0.1'], nodeName: 'a' }],
    });
  }
  const registry = new PoolRegistry({
    site,
    services: new LocalServices(),
    backends,
    serviceOf: (key) => current.find(({ metadata }) => `${metadata.namespace}/${metadata.name}` === key),
    updater: { addOperation: () => {}, removeOperation: () => {} },
    reporter: { leftOut: () => {} },
  });
  const expectPools = (name: string, rules: number) => {
    const info = { service: `shop/${name}`, rules, createdAt: '', loadBalancer: 'one', pools: [] } as const;
    registry.expect(service(name), info);
  };
  return { expectPools, nodes: () => backends.addresses('shop/large', 'IPv4') };
}

describe('a Service that is about to get its pools', () => {
  it('takes room on a node that others are about to need', () => {
    const { expectPools, nodes } = registered([service('small'), service('large')]);
    expectPools('small', 100);
    expectPools('large', 200);
    expect(nodes()).toEqual([]);
  });

  it.each([
    ['is gone', []],
    ['is being deleted', [service('small', { deletionTimestamp: '2026-01-01T00:00:00Z' })]],
    ['is another by now', [service('small', { uid: 'uid-other' })]],
  ])('takes no room on a node from others when it %s', (_, left) => {
    const { expectPools, nodes } = registered([...left, service('large')]);
    expectPools('small', 100);
    expectPools('large', 200);
    expect(nodes()).toEqual([requireIpAddress('10.0.1.1')]);
  });
});
