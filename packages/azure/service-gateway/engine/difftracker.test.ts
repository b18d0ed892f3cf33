import { VirtualClock } from '@fairlead/control';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressKey, endpoints, inbound, ip, outbound, pod } from '../testing/keys.ts';
import { action, egresses, pods, services, TrackerComparison } from '../testing/tracker-comparison.ts';
import { textOf } from '../testing/tracker-model.ts';
import type { AddressKey } from './address-table.ts';
import { type AddressUpdate, DiffTracker } from './difftracker.ts';
import type { OutboundKey } from './nrp-key.ts';

// Edge cases are numbered as in docs/azure-service-gateway.md.

const web = inbound('web');
const shop = inbound('shop');
const blue = outbound('blue');
const green = outbound('green');
const red = outbound('red');

function newTracker(): DiffTracker {
  return new DiffTracker(new VirtualClock());
}

/** Sends all differences, as NRP would take them. */
function sync(tracker: DiffTracker): readonly string[] {
  const updates = tracker.beginUpdate(tracker.locationChanges());
  tracker.confirmUpdate(updates);
  return updates.map(lineOf).sort();
}

const lineOf = ({ entry, services }: AddressUpdate): string => `${textOf(entry)} = ${services.join(',')}`;

describe('DiffTracker', () => {
  it('finds the addresses that appear and vanish, and nothing else', () => {
    const tracker = newTracker();
    tracker.updateK8sEndpoints(web, endpoints('10.1.0.1@10.0.0.1', '10.1.0.2@10.0.0.2'));
    expect(sync(tracker)).toEqual(['10.1.0.1@10.0.0.1 = inbound/web', '10.1.0.2@10.0.0.2 = inbound/web']);
    tracker.updateK8sEndpoints(web, endpoints('10.1.0.1@10.0.0.1', '10.1.0.3@10.0.0.2'));
    expect(sync(tracker)).toEqual(['10.1.0.2@10.0.0.2 = ', '10.1.0.3@10.0.0.2 = inbound/web']);
    expect(tracker.isInSync).toBe(true);
  });

  it('edge case 2: an endpoint that comes and goes before it was sent leaves no difference', () => {
    const tracker = newTracker();
    tracker.updateK8sEndpoints(web, endpoints('10.1.0.1@10.0.0.1'));
    tracker.updateK8sEndpoints(web, endpoints());
    expect(tracker.locationChanges()).toEqual([]);
  });

  it('edge case 13: one address stands behind several Services and an egress gateway at once', () => {
    const tracker = newTracker();
    tracker.updateK8sEndpoints(web, endpoints('10.1.0.1@10.0.0.1'));
    tracker.updateK8sEndpoints(shop, endpoints('10.1.0.1@10.0.0.1'));
    tracker.updateK8sPod(
      { uid: pod('a'), createdAt: 'a', egress: blue, addressKeys: [addressKey('10.1.0.1@10.0.0.1')] },
      true,
    );
    expect(sync(tracker)).toEqual(['10.1.0.1@10.0.0.1 = inbound/shop,inbound/web,outbound/blue']);
    tracker.updateK8sEndpoints(shop, endpoints());
    expect(sync(tracker)).toEqual(['10.1.0.1@10.0.0.1 = inbound/web,outbound/blue']);
    expect(tracker.hasLocations(shop)).toBe(false);
    expect(tracker.hasLocations(blue)).toBe(true);
  });

  it('edge case 8: an address whose node gets another IP moves in one round', () => {
    const tracker = newTracker();
    tracker.updateK8sEndpoints(web, endpoints('10.1.0.1@10.0.0.1'));
    sync(tracker);
    tracker.updateK8sEndpoints(web, endpoints('10.1.0.1@10.0.0.9'));
    expect(sync(tracker)).toEqual(['10.1.0.1@10.0.0.1 = ', '10.1.0.1@10.0.0.9 = inbound/web']);
  });

  it('counts an address as under both services while it is not known whether the update arrived', () => {
    const tracker = newTracker();
    tracker.updateK8sEndpoints(web, endpoints('10.1.0.1@10.0.0.1'));
    sync(tracker);
    tracker.updateK8sEndpoints(web, endpoints());
    tracker.updateK8sEndpoints(shop, endpoints('10.1.0.1@10.0.0.1'));
    tracker.beginUpdate(tracker.locationChanges());
    expect([tracker.hasLocations(web), tracker.hasLocations(shop)]).toEqual([true, true]);
    expect(sync(tracker)).toEqual(['10.1.0.1@10.0.0.1 = inbound/shop']);
    expect(tracker.hasLocations(web)).toBe(false);
  });

  it('sends again what may or may not be there, even when it is no longer wanted', () => {
    const tracker = newTracker();
    tracker.updateK8sEndpoints(web, endpoints('10.1.0.1@10.0.0.1'));
    tracker.beginUpdate(tracker.locationChanges());
    tracker.updateK8sEndpoints(web, endpoints());
    expect(sync(tracker)).toEqual(['10.1.0.1@10.0.0.1 = ']);
  });

  it('leaves a refused address alone until something else is wanted of it', () => {
    const tracker = newTracker();
    tracker.updateK8sEndpoints(web, endpoints('10.1.0.1@10.0.0.1'));
    const updates = tracker.beginUpdate(tracker.locationChanges());
    tracker.refuseUpdate(updates);
    const [update] = updates;
    if (update === undefined) throw new Error('nothing was to be updated');
    expect(tracker.quarantine(update.entry)).toEqual([web]);
    expect(tracker.locationChanges()).toEqual([]);
    tracker.updateK8sEndpoints(shop, endpoints('10.1.0.1@10.0.0.1'));
    expect(tracker.locationChanges().map(textOf)).toEqual(['10.1.0.1@10.0.0.1']);
  });

  it('gives a refused address another chance when asked to', () => {
    const tracker = newTracker();
    tracker.updateK8sEndpoints(web, endpoints('10.1.0.1@10.0.0.1'));
    const updates = tracker.beginUpdate(tracker.locationChanges());
    tracker.refuseUpdate(updates);
    for (const { entry } of updates) tracker.quarantine(entry);
    tracker.clearQuarantine();
    expect(sync(tracker)).toEqual(['10.1.0.1@10.0.0.1 = inbound/web']);
  });

  it('keeps the services of others on an address that is also theirs', () => {
    const tracker = newTracker();
    tracker.foreign.add(shop);
    tracker.restoreNrp(addressKey('10.1.0.1@10.0.0.1'), [shop], 0);
    tracker.updateK8sEndpoints(web, endpoints('10.1.0.1@10.0.0.1'));
    expect(sync(tracker)).toEqual(['10.1.0.1@10.0.0.1 = inbound/shop,inbound/web']);
    tracker.updateK8sEndpoints(web, endpoints());
    expect(sync(tracker)).toEqual(['10.1.0.1@10.0.0.1 = inbound/shop']);
  });

  it('compares both sides for initialization', () => {
    const tracker = newTracker();
    tracker.wanted.set(web, true);
    tracker.wanted.set(blue, true);
    tracker.existing.set(shop, true);
    tracker.existing.set(blue, true);
    tracker.restoreNrp(addressKey('10.1.0.1@10.0.0.1'), [shop], 0);
    const { create, delete: unwanted, locations } = tracker.getSyncOperations();
    expect({ create, unwanted }).toEqual({ create: [web], unwanted: [shop] });
    expect(locations.map(textOf)).toEqual(['10.1.0.1@10.0.0.1']);
    expect(tracker.k8sResources).toEqual({ services: new Set([web]), egresses: new Set([blue]), nodes: new Map() });
    expect(tracker.nrpResources).toEqual({
      loadBalancers: new Set([shop]),
      natGateways: new Set([blue]),
      locations: new Map([[ip('10.0.0.1'), new Map([[ip('10.1.0.1'), [shop]]])]]),
    });
  });

  it('believes its own request more than a list that was begun before it', async () => {
    const clock = new VirtualClock();
    const tracker = new DiffTracker(clock);
    const listBegunAt = clock.monotonic();
    await clock.advance(10);
    tracker.updateK8sEndpoints(web, endpoints('10.1.0.1@10.0.0.1'));
    sync(tracker);
    tracker.restoreNrp(addressKey('10.1.0.1@10.0.0.1'), [], listBegunAt);
    expect(tracker.isInSync).toBe(true);
    // In the same moment: which of the two Azure heard first is not known.
    tracker.restoreNrp(addressKey('10.1.0.1@10.0.0.1'), [], clock.monotonic());
    expect(tracker.isInSync).toBe(true);
    await clock.advance(10);
    tracker.restoreNrp(addressKey('10.1.0.1@10.0.0.1'), [], clock.monotonic());
    expect(sync(tracker)).toEqual(['10.1.0.1@10.0.0.1 = inbound/web']);
  });

  it('forgets a service that is gone where an answer was lost, but not where one may still come', async () => {
    const clock = new VirtualClock();
    const tracker = new DiffTracker(clock);
    tracker.updateK8sEndpoints(web, endpoints('10.1.0.1@10.0.0.1'));
    const updates = tracker.beginUpdate(tracker.locationChanges());
    const look = async () => {
      await clock.advance(10);
      for (const { entry } of updates) tracker.forgetServices(entry, (key) => key === web, clock.monotonic());
    };
    await look();
    expect(tracker.hasLocations(web)).toBe(true);
    tracker.loseUpdate(updates);
    await look();
    expect(tracker.hasLocations(web)).toBe(false);
  });
});

describe('DiffTracker, for pods with an egress gateway', () => {
  const at = addressKey('10.1.0.1@10.0.0.1');

  it('edge case 6: a pod that changes its gateway keeps the old one until it moves in one update', () => {
    const tracker = newTracker();
    tracker.updateK8sPod({ uid: pod('a'), createdAt: 'a', egress: blue, addressKeys: [at] }, true);
    sync(tracker);
    tracker.removeK8sPod(pod('a'));
    tracker.updateK8sPod({ uid: pod('a'), createdAt: 'a', egress: green, addressKeys: [at] }, false);
    expect(tracker.locationChanges()).toEqual([]);
    expect(tracker.takeDrainedPods()).toEqual([]);
    tracker.setPodsPromoted(green, true);
    expect(sync(tracker)).toEqual(['10.1.0.1@10.0.0.1 = outbound/green']);
    expect(tracker.hasLocations(blue)).toBe(false);
  });

  it('edge case 5: an address that is reused at once passes on no gateway to its new owner', () => {
    const tracker = newTracker();
    tracker.updateK8sPod({ uid: pod('old'), createdAt: '1', egress: blue, addressKeys: [at] }, true);
    sync(tracker);
    tracker.removeK8sPod(pod('old'));
    tracker.updateK8sPod({ uid: pod('new'), createdAt: '2', egress: green, addressKeys: [at] }, false);
    expect(sync(tracker)).toEqual(['10.1.0.1@10.0.0.1 = ']);
    expect(tracker.takeDrainedPods()).toEqual([pod('old')]);
  });

  it('edge case 5: lets the old pod go at once when the new owner of its address has the same gateway', () => {
    const tracker = newTracker();
    tracker.updateK8sPod({ uid: pod('old'), createdAt: '1', egress: blue, addressKeys: [at] }, true);
    sync(tracker);
    tracker.updateK8sPod({ uid: pod('new'), createdAt: '2', egress: blue, addressKeys: [at] }, true);
    tracker.removeK8sPod(pod('old'));
    expect(tracker.takeDrainedPods()).toEqual([pod('old')]);
    expect(tracker.isInSync).toBe(true);
  });

  it('edge case 5: gives an address that two pods claim to the younger, whatever their UIDs and whichever came last', () => {
    const tracker = newTracker();
    const young = { uid: pod('a'), createdAt: '2', egress: green, addressKeys: [at] };
    const old = { uid: pod('b'), createdAt: '1', egress: blue, addressKeys: [at] };
    for (const claimant of [young, old]) tracker.updateK8sPod(claimant, true);
    expect(tracker.wantedAt(at)).toEqual([green]);
  });

  it('edge case 7: holds a dual-stack pod until the last of its addresses has left', () => {
    const tracker = newTracker();
    const six = addressKey('2001:db8::5@2001:db8:ffff::1');
    tracker.updateK8sPod({ uid: pod('a'), createdAt: 'a', egress: blue, addressKeys: [at, six] }, true);
    sync(tracker);
    tracker.removeK8sPod(pod('a'));
    const [first, second] = tracker.locationChanges();
    tracker.confirmUpdate(tracker.beginUpdate(first === undefined ? [] : [first]));
    expect(tracker.takeDrainedPods()).toEqual([]);
    tracker.confirmUpdate(tracker.beginUpdate(second === undefined ? [] : [second]));
    expect(tracker.takeDrainedPods()).toEqual([pod('a')]);
  });

  it('edge case 6: a pod that got another address is held until the former one has left as well', () => {
    const tracker = newTracker();
    tracker.updateK8sPod({ uid: pod('a'), createdAt: 'a', egress: blue, addressKeys: [at] }, true);
    sync(tracker);
    tracker.updateK8sPod(
      { uid: pod('a'), createdAt: 'a', egress: blue, addressKeys: [addressKey('10.1.0.2@10.0.0.1')] },
      true,
    );
    expect(tracker.pods.counter(blue)).toBe(1);
    tracker.removeK8sPod(pod('a'));
    expect(tracker.takeDrainedPods()).toEqual([]);
    sync(tracker);
    expect(tracker.takeDrainedPods()).toEqual([pod('a')]);
  });

  it('edge case 6: a pod whose address changed twice is held until the first of them has left, too', () => {
    const tracker = newTracker();
    const put = (...addressKeys: readonly AddressKey[]) =>
      tracker.updateK8sPod({ uid: pod('a'), createdAt: 'a', egress: blue, addressKeys }, true);
    put(at);
    sync(tracker);
    put(addressKey('10.1.0.2@10.0.0.1'));
    put(addressKey('10.1.0.3@10.0.0.1'));
    tracker.removeK8sPod(pod('a'));
    expect(tracker.takeDrainedPods()).toEqual([]);
    sync(tracker);
    expect(tracker.takeDrainedPods()).toEqual([pod('a')]);
  });

  it('edge case 6: a pod that goes takes nothing from who has had its former address since', () => {
    const tracker = newTracker();
    const putOther = (egress: OutboundKey, promoted: boolean) =>
      tracker.updateK8sPod({ uid: pod('b'), createdAt: 'b', egress, addressKeys: [at] }, promoted);
    tracker.updateK8sPod({ uid: pod('a'), createdAt: 'a', egress: blue, addressKeys: [at] }, true);
    sync(tracker);
    tracker.updateK8sPod(
      { uid: pod('a'), createdAt: 'a', egress: blue, addressKeys: [addressKey('10.1.0.1@10.0.0.2')] },
      true,
    );
    putOther(red, true);
    sync(tracker);
    putOther(green, false);
    tracker.removeK8sPod(pod('a'));
    expect(sync(tracker)).toEqual(['10.1.0.1@10.0.0.2 = ']);
    expect(tracker.takeDrainedPods()).toEqual([pod('a')]);
    expect(tracker.hasLocations(red)).toBe(true);
  });

  it('edge case 6: nor from who has it again since another that claimed it is gone', () => {
    const tracker = newTracker();
    const put = (name: string, egress: OutboundKey, promoted: boolean, addressKey: AddressKey) =>
      tracker.updateK8sPod({ uid: pod(name), createdAt: name, egress, addressKeys: [addressKey] }, promoted);
    put('a', blue, true, at);
    put('b', blue, true, at);
    sync(tracker);
    put('c', green, false, at);
    put('a', blue, true, addressKey('10.1.0.1@10.0.0.2'));
    tracker.removeK8sPod(pod('c'));
    sync(tracker);
    put('b', green, false, at);
    tracker.removeK8sPod(pod('a'));
    expect(sync(tracker)).toEqual(['10.1.0.1@10.0.0.2 = ']);
  });

  it('edge case 5: a pod that is told to be gone twice is drained once', () => {
    const tracker = newTracker();
    tracker.updateK8sPod({ uid: pod('a'), createdAt: 'a', egress: blue, addressKeys: [at] }, true);
    sync(tracker);
    tracker.removeK8sPod(pod('a'));
    tracker.removeK8sPod(pod('a'));
    sync(tracker);
    expect(tracker.takeDrainedPods()).toEqual([pod('a')]);
    expect(tracker.pods.hasPods(blue)).toBe(false);
  });

  it('counts the pods of a gateway that is there, and buffers those of one that is not', () => {
    const tracker = newTracker();
    tracker.updateK8sPod({ uid: pod('a'), createdAt: 'a', egress: blue, addressKeys: [at] }, false);
    expect([tracker.pods.counter(blue), [...tracker.pods.pendingPods(blue)]]).toEqual([0, [pod('a')]]);
    tracker.setPodsPromoted(blue, true);
    expect(tracker.pods.localServiceNameToNRPServiceMap).toEqual(new Map([[blue, 1]]));
    expect(tracker.pods.pendingPods(blue).size).toBe(0);
  });
});

describe('DiffTracker, whatever happens', () => {
  it('says the same as a recomputation from scratch, and its dirty set misses no difference', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
        const comparison = new TrackerComparison();
        for (const act of actions) {
          await comparison.run(act);
          const { tracker, model } = comparison.views();
          expect(tracker).toEqual(model);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is in sync after one round in which NRP takes everything, and then forgets what is not wanted', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 30 }), async (actions) => {
        const comparison = new TrackerComparison();
        for (const act of actions) await comparison.run(act);
        const { tracker } = comparison;
        for (const key of services) tracker.updateK8sEndpoints(key, new Map());
        for (const uid of pods) tracker.removeK8sPod(uid);
        sync(tracker);
        expect(tracker.isInSync).toBe(true);
        for (const key of [...services, ...egresses]) expect(tracker.hasLocations(key)).toBe(false);
        expect([...tracker.pods.draining]).toEqual([]);
      }),
    );
  });

  it('edge case 11: two spellings of an IPv6 address are one entry', () => {
    const tracker = newTracker();
    tracker.updateK8sEndpoints(web, new Map([[ip('2001:DB8::0:5'), ip('2001:db8:0::1')]]));
    sync(tracker);
    tracker.updateK8sEndpoints(web, new Map([[ip('2001:db8:0:0::5'), ip('2001:db8::1')]]));
    expect(tracker.isInSync).toBe(true);
  });
});
