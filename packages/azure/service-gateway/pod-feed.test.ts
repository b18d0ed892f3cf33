import { VirtualClock } from '@fairlead/control';
import type { Node, Pod } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { Inventory } from './inventory.ts';
import { NodeDirectory } from './node-directory.ts';
import { PodFeed } from './pod-feed.ts';
import { EGRESS_LABEL } from './service-key.ts';
import { EngineBench } from './testing/engine-bench.ts';
import { pod as podUid } from './testing/spots.ts';

const node: Node = {
  metadata: { name: 'node-1' },
  status: { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] },
};
const pod: Pod = {
  metadata: { namespace: 'shop', name: 'p', uid: 'p', labels: { [EGRESS_LABEL]: 'blue' } },
  spec: { nodeName: 'node-1', containers: [] },
  status: { phase: 'Running', podIPs: [{ ip: '10.1.0.1' }] },
};
const NOTHING = {
  begunAt: 0,
  services: [],
  locations: [],
  publicIPAddresses: [],
  loadBalancers: [],
  natGateways: [],
};

describe('the feed of pods', () => {
  it('asks for a look at a pod that is to be held, and not again by that very look', () => {
    const clock = new VirtualClock();
    const { engine } = new EngineBench();
    const nodes = new NodeDirectory();
    nodes.set(node);
    const asked: string[] = [];
    const feed = new PodFeed({
      engine,
      nodes,
      clock,
      inventory: new Inventory(clock),
      pods: { list: () => [pod] },
      policy: new Map(),
      lookAgain: (uid) => asked.push(uid),
      onRefused: () => {},
      onVanished: () => {},
    });
    feed.begin(NOTHING);
    expect(asked).toEqual(['p']);
    // A look that ends in a failure is repeated after a while; one that asks for the next would never let time pass.
    feed.lookAt(podUid('p'));
    expect(feed.finalizerWish(podUid('p'))).toBe('add');
    expect(asked).toEqual(['p']);
    feed.onNode('pod p');
    expect(asked).toEqual(['p', 'p']);
  });
});
