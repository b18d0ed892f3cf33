import { VirtualClock } from '@fairlead/control';
import type { Node, Pod } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { EGRESS_LABEL } from '../engine/nrp-key.ts';
import { EngineBench } from '../testing/engine-bench.ts';
import { addressKey, outbound, pod as podUid } from '../testing/keys.ts';
import { POD_FINALIZER } from './egress-pod.ts';
import { NodeDirectory } from './node-directory.ts';
import { PodFeed } from './pod-feed.ts';

const node: Node = {
  metadata: { name: 'node-1' },
  status: { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] },
};
const pod: Pod = {
  metadata: { namespace: 'shop', name: 'p', uid: 'p', labels: { [EGRESS_LABEL]: 'blue' } },
  spec: { nodeName: 'node-1', containers: [] },
  status: { phase: 'Running', podIPs: [{ ip: '10.1.0.1' }] },
};

function newFeed(isSynced = true) {
  const clock = new VirtualClock();
  const { engine } = new EngineBench();
  const nodes = new NodeDirectory();
  nodes.set(node);
  const asked: string[] = [];
  const feed = new PodFeed({
    engine,
    nodes,
    clock,
    pods: { list: () => [pod] },
    policy: new Map(),
    queue: { add: (uid) => asked.push(uid) },
  });
  feed.begin();
  if (isSynced) feed.onInitialSync();
  return { feed, asked };
}

const uid = podUid('p');
const held: Pod = { ...pod, metadata: { ...pod.metadata, finalizers: [POD_FINALIZER] } };
/** The pod is no longer among those with the label, as far as the cache had followed it. */
const unlabelled = { type: 'delete', key: 'shop/p', before: pod, initial: false } as const;

describe('the feed of pods', () => {
  it('asks for a look at a pod that is to be held, and not again by that very look', () => {
    const { feed, asked } = newFeed();
    expect(asked).toEqual(['p']);
    // A look that ends in a failure is repeated after a while; one that asks for the next would never let time pass.
    feed.lookAt(uid);
    expect(feed.finalizerChange(uid)).toBe('add');
    expect(asked).toEqual(['p']);
    feed.onNode('pod p');
    expect(asked).toEqual(['p', 'p']);
  });

  it('lets go of a pod that lost its label before the cache saw that we hold it', () => {
    const { feed } = newFeed();
    feed.onFinalizerAttempted(uid);
    feed.onFinalizerWritten(uid, held);
    feed.onPod(unlabelled);
    expect(feed.finalizerChange(uid)).toBe('remove');
    expect(feed.podOf(uid)).toBe(held);
  });

  it('lets go of a pod that asks for what it cannot have', () => {
    const { feed } = newFeed();
    feed.onFinalizerWritten(uid, held);
    const labels = { [EGRESS_LABEL]: 'default-natgw' };
    const after = { ...held, metadata: { ...held.metadata, labels } };
    feed.onPod({ type: 'update', key: 'shop/p', before: held, after, initial: false });
    expect(feed.finalizerChange(uid)).toBe('remove');
  });

  it('lets go of a pod that lost its label while it was being held, whatever became of that', () => {
    const { feed } = newFeed();
    feed.onFinalizerAttempted(uid);
    feed.onPod(unlabelled);
    expect(feed.finalizerChange(uid)).toBe('remove');
    feed.onFinalizerWritten(uid, held);
    expect(feed.finalizerChange(uid)).toBe('remove');
    feed.onFinalizerWritten(uid, undefined);
    expect(feed.finalizerChange(uid)).toBe('nothing');
  });

  it('lets no pod go before all addresses that no pod wants have left: it may have had others before we came', () => {
    const { feed, asked } = newFeed(false);
    feed.onFinalizerWritten(uid, held);
    feed.onPod(unlabelled);
    expect(feed.finalizerChange(uid)).toBe('nothing');
    asked.length = 0;
    feed.onInitialSync();
    expect(asked).toEqual(['p']);
    expect(feed.finalizerChange(uid)).toBe('remove');
  });

  it('has nothing to do with a pod that lost its label and was never held', () => {
    const { feed } = newFeed();
    feed.onPod(unlabelled);
    expect(feed.finalizerChange(uid)).toBe('nothing');
  });
});

const BLUE = outbound('blue');
const node2: Node = {
  metadata: { name: 'node-2' },
  status: { addresses: [{ type: 'InternalIP', address: '10.0.0.2' }] },
};
/** It has ended and is still held. */
const ended: Pod = {
  metadata: { ...held.metadata, name: 'ended', uid: 'ended' },
  spec: { nodeName: 'node-2', containers: [] },
  status: { phase: 'Succeeded', podIPs: [{ ip: '10.1.0.1' }] },
};
/** It runs at 10.1.0.1@10.0.0.1, and its gateway is not there yet. */
const moving: Pod = { ...held, metadata: { ...held.metadata, labels: { [EGRESS_LABEL]: 'green' } } };

/** A leader that finds these pods, and in NRP these places under the gateway blue. */
function restartOver(pods: readonly Pod[], nodes: readonly Node[], ...places: readonly string[]) {
  const { engine, tracker } = new EngineBench();
  const directory = new NodeDirectory();
  for (const each of nodes) directory.set(each);
  tracker.existing.set(BLUE, true);
  for (const place of places) tracker.restoreNrp(addressKey(place), [BLUE], 0);
  const clock = new VirtualClock();
  const queue = { add: () => {} };
  const feed = new PodFeed({ engine, clock, nodes: directory, pods: { list: () => pods }, policy: new Map(), queue });
  feed.begin();
  const waitsFor = [...(tracker.pods.drainingEntries(podUid('ended')) ?? [])];
  return {
    wantedAt: (place: string) => tracker.wantedAt(addressKey(place)),
    waitsFor: waitsFor.map(({ address, location }) => `${address}@${location}`),
  };
}

describe('the feed of pods of a new leader, where a pod has ended whose address another one has', () => {
  it.each([
    ['before', [ended, moving]],
    ['after', [moving, ended]],
  ])('leaves a pod on another node the gateway that it has, listed %s it', (_, pods) => {
    const { wantedAt, waitsFor } = restartOver(pods, [node, node2], '10.1.0.1@10.0.0.1', '10.1.0.1@10.0.0.2');
    expect(wantedAt('10.1.0.1@10.0.0.1')).toEqual([BLUE]);
    expect(wantedAt('10.1.0.1@10.0.0.2')).toEqual([]);
    expect(waitsFor).toEqual(['10.1.0.1@10.0.0.2']);
  });

  it('passes its gateway on to no pod on the same node', () => {
    const onSameNode: Pod = { ...ended, spec: { ...ended.spec, nodeName: 'node-1' } };
    const { wantedAt, waitsFor } = restartOver([onSameNode, moving], [node, node2], '10.1.0.1@10.0.0.1');
    expect(wantedAt('10.1.0.1@10.0.0.1')).toEqual([]);
    expect(waitsFor).toEqual(['10.1.0.1@10.0.0.1']);
  });

  it('passes its gateway on to no pod while its own node is not known: another may have taken over its IP', () => {
    const { wantedAt, waitsFor } = restartOver([ended, moving], [node], '10.1.0.1@10.0.0.1');
    expect(wantedAt('10.1.0.1@10.0.0.1')).toEqual([]);
    expect(waitsFor).toEqual(['10.1.0.1@10.0.0.1']);
  });

  it('holds it until its address has left the IP that its node had before', () => {
    const { wantedAt, waitsFor } = restartOver([ended], [node, node2], '10.1.0.1@10.0.0.9');
    expect(wantedAt('10.1.0.1@10.0.0.9')).toEqual([]);
    expect(waitsFor).toEqual(['10.1.0.1@10.0.0.9']);
  });
});
