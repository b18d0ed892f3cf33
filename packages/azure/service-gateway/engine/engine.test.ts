import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EngineBench, retriable, terminal } from '../testing/engine-bench.ts';
import { addressKey, endpoints, inbound, outbound, pod } from '../testing/keys.ts';
import { changedSpec, inboundSpec, outboundSpec } from '../testing/specs.ts';
import type { Endpoints } from './difftracker.ts';
import type { OutboundSpec } from './service-spec.ts';

// Edge cases are numbered as in docs/azure-service-gateway.md.

const web = inbound('web');
const blue = outbound('blue');
const green = outbound('green');
const one = '10.1.0.1@10.0.0.1';
const two = '10.1.0.2@10.0.0.2';

describe('Engine, inbound', () => {
  it('creates a Service, buffering its endpoints until it is there', () => {
    const bench = new EngineBench();
    bench.engine.addService(inboundSpec('web'));
    expect(bench.engine.state(web)?.kind).toBe('NotStarted');
    expect([...bench.triggered]).toEqual([web]);
    bench.engine.updateEndpoints(web, endpoints(one));
    expect(bench.begin(web)).toBe('create');
    bench.engine.updateEndpoints(web, endpoints(one, two));
    expect(bench.sync()).toEqual([]);
    expect(bench.engine.pendingEndpoints(web)).toEqual(endpoints(one, two));
    bench.complete(web);
    expect(bench.engine.state(web)?.kind).toBe('Created');
    expect(bench.engine.pendingEndpoints(web)).toBeUndefined();
    expect(bench.sync()).toEqual([`${one} = inbound/web`, `${two} = inbound/web`]);
    expect(bench.tracker.nrpResources.loadBalancers).toEqual(new Set([web]));
  });

  it('edge case 2: the buffer holds the latest endpoints, not a log of them', () => {
    const bench = new EngineBench();
    bench.engine.addService(inboundSpec('web'));
    bench.engine.updateEndpoints(web, endpoints(one));
    bench.engine.updateEndpoints(web, endpoints());
    bench.run(web);
    expect(bench.sync()).toEqual([]);
  });

  it('applies endpoints of a Service that is there at once', () => {
    const bench = new EngineBench();
    bench.engine.addService(inboundSpec('web'));
    bench.run(web);
    bench.engine.updateEndpoints(web, endpoints(one));
    expect(bench.sync()).toEqual([`${one} = inbound/web`]);
  });

  it('deletes a Service only when no address is under it any more', () => {
    const bench = new EngineBench();
    bench.engine.addService(inboundSpec('web'));
    bench.run(web);
    bench.engine.updateEndpoints(web, endpoints(one));
    bench.sync();
    bench.engine.deleteService(web);
    expect(bench.engine.state(web)?.kind).toBe('DeletionPending');
    expect([...bench.engine.pendingDeletions]).toEqual([web]);
    expect(bench.begin(web)).toBe('nothing');
    bench.triggered.clear();
    expect(bench.sync()).toEqual([`${one} = `]);
    expect([...bench.triggered]).toEqual([web]);
    expect(bench.run(web)).toBe('delete');
    expect(bench.engine.state(web)).toBeUndefined();
    expect(bench.tracker.nrpResources.loadBalancers.size).toBe(0);
    expect(bench.states).toEqual([
      'inbound/web NotStarted',
      'inbound/web CreationInProgress',
      'inbound/web Created',
      'inbound/web DeletionPending',
      'inbound/web DeletionInProgress',
      'inbound/web gone',
    ]);
  });

  it('edge case 3: locations republished after the delete gate do not reach a Service that goes', () => {
    const bench = new EngineBench();
    bench.engine.addService(inboundSpec('web'));
    bench.run(web);
    bench.engine.deleteService(web);
    bench.engine.updateEndpoints(web, endpoints(one));
    expect(bench.sync()).toEqual([]);
    expect(bench.begin(web)).toBe('delete');
    bench.engine.updateEndpoints(web, endpoints(one));
    expect(bench.sync()).toEqual([]);
  });

  it('edge case 3: an update of unknown outcome that names the Service keeps the gate shut', () => {
    const bench = new EngineBench();
    bench.engine.addService(inboundSpec('web'));
    bench.run(web);
    bench.engine.updateEndpoints(web, endpoints(one));
    bench.tracker.beginUpdate(bench.tracker.locationChanges());
    bench.engine.deleteService(web);
    expect(bench.begin(web)).toBe('nothing');
    expect(bench.sync()).toEqual([`${one} = `]);
    expect(bench.begin(web)).toBe('delete');
  });

  it('edge case 1: a delete during creation deletes what was made', () => {
    const bench = new EngineBench();
    bench.engine.addService(inboundSpec('web'));
    bench.engine.updateEndpoints(web, endpoints(one));
    bench.begin(web);
    bench.engine.deleteService(web);
    bench.complete(web);
    expect(bench.sync()).toEqual([]);
    expect(bench.run(web)).toBe('delete');
    expect(bench.engine.state(web)).toBeUndefined();
  });

  it('edge case 1: a recreation during deletion follows it with the endpoints that came meanwhile', () => {
    const bench = new EngineBench();
    bench.engine.addService(inboundSpec('web'));
    bench.run(web);
    bench.engine.deleteService(web);
    bench.begin(web);
    bench.engine.addService(changedSpec('web', 81));
    bench.engine.updateEndpoints(web, endpoints(one));
    bench.complete(web);
    expect(bench.run(web)).toBe('create');
    expect(bench.sync()).toEqual([`${one} = inbound/web`]);
  });

  it('edge case 1: a flap cancels the recreation', () => {
    const bench = new EngineBench();
    bench.engine.addService(inboundSpec('web'));
    bench.run(web);
    bench.engine.deleteService(web);
    bench.begin(web);
    bench.engine.addService(inboundSpec('web'));
    bench.engine.updateEndpoints(web, endpoints(one));
    bench.engine.deleteService(web);
    bench.complete(web);
    expect(bench.engine.state(web)).toBeUndefined();
    expect(bench.engine.pendingEndpoints(web)).toBeUndefined();
  });

  it('edge case 4: the same name with a new UID is another Service', () => {
    const bench = new EngineBench();
    const again = inbound('web-again');
    bench.engine.addService(inboundSpec('web'));
    bench.run(web);
    bench.engine.updateEndpoints(web, endpoints(one));
    bench.sync();
    bench.engine.deleteService(web);
    bench.engine.addService(inboundSpec('web-again'));
    bench.engine.updateEndpoints(again, endpoints(one));
    bench.run(again);
    expect(bench.sync()).toEqual([`${one} = inbound/web-again`]);
    expect(bench.run(web)).toBe('delete');
  });

  it('updates a Service that is there while it goes on serving', () => {
    const bench = new EngineBench();
    bench.engine.addService(inboundSpec('web'));
    bench.run(web);
    bench.engine.addService(changedSpec('web', 81));
    expect(bench.begin(web)).toBe('update');
    bench.engine.updateEndpoints(web, endpoints(one));
    expect(bench.sync()).toEqual([`${one} = inbound/web`]);
    bench.complete(web);
    expect(bench.engine.state(web)).toEqual({ kind: 'Created', spec: changedSpec('web', 81) });
  });

  it('edge case 16: waits longer after each failure, slows down after twelve, and never gives up', async () => {
    const bench = new EngineBench();
    bench.engine.addService(inboundSpec('web'));
    const delays: number[] = [];
    for (let failures = 1; failures <= 14; failures += 1) {
      expect(bench.run(web, retriable)).toBe('create');
      const start = bench.engine.begin(web);
      if (start.kind !== 'later') throw new Error('it should wait');
      delays.push(start.until - bench.clock.monotonic());
      await bench.clock.advance(start.until - bench.clock.monotonic());
    }
    expect(delays[0]).toBeGreaterThanOrEqual(800);
    expect(delays[0]).toBeLessThanOrEqual(1_000);
    expect(Math.max(...delays.slice(0, 12))).toBeLessThanOrEqual(30_000);
    expect(delays.slice(12)).toEqual([300_000, 300_000]);
    expect(bench.run(web)).toBe('create');
    expect(bench.engine.state(web)?.kind).toBe('Created');
  });

  it('tries a new request at once, however long the old one has been failing', () => {
    const bench = new EngineBench();
    bench.engine.addService(inboundSpec('web'));
    bench.run(web, retriable);
    expect(bench.begin(web)).toBe('later');
    bench.engine.addService(changedSpec('web', 81));
    expect(bench.begin(web)).toBe('create');
  });

  it('parks what the cloud refuses for good until it changes or a comparison comes', () => {
    const bench = new EngineBench();
    bench.engine.addService(inboundSpec('web'));
    bench.run(web, terminal);
    bench.engine.addService(inboundSpec('web'));
    expect(bench.begin(web)).toBe('nothing');
    expect(bench.engine.state(web)).toMatchObject({ kind: 'Parked', failure: { code: 'invalid' } });
    bench.engine.retryParked();
    expect(bench.begin(web)).toBe('create');
  });

  it('never gives up a deletion', () => {
    const bench = new EngineBench();
    bench.engine.addService(inboundSpec('web'));
    bench.run(web);
    bench.engine.deleteService(web);
    bench.run(web, terminal);
    expect(bench.engine.state(web)?.kind).toBe('DeletionPending');
    expect(bench.begin(web)).toBe('later');
  });

  it('edge case 14: a refused spec keeps what is there serving, endpoints included, and stays deletable', () => {
    const bench = new EngineBench();
    bench.tracker.existing.set(web, true);
    bench.engine.refuseService(web, terminal);
    bench.engine.updateEndpoints(web, endpoints(one));
    expect(bench.begin(web)).toBe('nothing');
    expect(bench.sync()).toEqual([`${one} = inbound/web`]);
    bench.engine.deleteService(web);
    expect(bench.sync()).toEqual([`${one} = `]);
    expect(bench.run(web)).toBe('delete');
  });

  it('does not begin to serve a refused Service that was registered and never served', () => {
    const bench = new EngineBench();
    bench.tracker.existing.set(web, true);
    bench.engine.refuseService(web, terminal, false);
    bench.engine.updateEndpoints(web, endpoints(one));
    expect(bench.sync()).toEqual([]);
    bench.engine.addService(inboundSpec('web'));
    expect(bench.run(web)).toBe('create');
    expect(bench.sync()).toEqual([`${one} = inbound/web`]);
  });

  it('lets no traffic in to a Service that is refused while it is being made', () => {
    const bench = new EngineBench();
    bench.engine.addService(inboundSpec('web'));
    bench.engine.updateEndpoints(web, endpoints(one));
    bench.begin(web);
    bench.engine.refuseService(web, terminal, false);
    bench.complete(web);
    bench.engine.refuseService(web, terminal, false);
    expect(bench.sync()).toEqual([]);
    expect(bench.engine.state(web)?.kind).toBe('Parked');
    bench.engine.addService(inboundSpec('web'));
    expect(bench.run(web)).toBe('create');
    expect(bench.sync()).toEqual([`${one} = inbound/web`]);
  });

  it('goes on serving a Service that is refused while NRP is told of it again', () => {
    const bench = new EngineBench();
    bench.engine.addService(inboundSpec('web'));
    bench.engine.updateEndpoints(web, endpoints(one));
    bench.run(web);
    bench.engine.onDrift(web, false);
    bench.begin(web);
    bench.engine.refuseService(web, terminal);
    bench.complete(web);
    expect(bench.engine.state(web)?.kind).toBe('Parked');
    expect(bench.sync()).toEqual([`${one} = inbound/web`]);
  });

  it('serves a Service that was there when we came at once, and compares it with what is wanted', () => {
    const bench = new EngineBench();
    bench.tracker.existing.set(web, true);
    bench.tracker.restoreNrp(addressKey(one), [web], 0);
    bench.engine.addService(inboundSpec('web'));
    bench.engine.updateEndpoints(web, endpoints(one));
    expect(bench.sync()).toEqual([]);
    expect(bench.run(web)).toBe('update');
    expect(bench.engine.state(web)?.kind).toBe('Created');
  });

  it('takes down what it does not know of when told to: something may have been left behind', () => {
    const bench = new EngineBench();
    bench.engine.deleteService(web);
    expect(bench.run(web)).toBe('delete');
    expect(bench.engine.state(web)).toBeUndefined();
  });

  it('keeps what vanished from the list until a comparison confirms it, and forgets about it when it comes back', () => {
    const bench = new EngineBench();
    bench.engine.addService(inboundSpec('web'));
    bench.run(web);
    bench.engine.abandonService(web);
    expect(bench.engine.state(web)?.kind).toBe('Created');
    expect(bench.tracker.getSyncOperations().delete).toEqual([web]);
    bench.engine.addService(inboundSpec('web'));
    expect(bench.tracker.getSyncOperations().delete).toEqual([]);
    expect(bench.begin(web)).toBe('nothing');
  });

  it('takes down what vanished before it was made', () => {
    const bench = new EngineBench();
    bench.engine.addService(inboundSpec('web'));
    bench.begin(web);
    bench.engine.abandonService(web);
    bench.complete(web);
    expect(bench.run(web)).toBe('delete');
  });

  it('takes the addresses of a Service back into the buffer when NRP has lost it', () => {
    const bench = new EngineBench();
    bench.engine.addService(inboundSpec('web'));
    bench.run(web);
    bench.engine.updateEndpoints(web, endpoints(one));
    bench.sync();
    bench.engine.onDrift(web, false);
    expect(bench.engine.pendingEndpoints(web)).toEqual(endpoints(one));
    expect(bench.sync()).toEqual([`${one} = `]);
    expect(bench.run(web)).toBe('create');
    expect(bench.sync()).toEqual([`${one} = inbound/web`]);
  });

  it('knows how many services are in each state and who has been waiting longest', async () => {
    const bench = new EngineBench();
    bench.engine.addService(inboundSpec('web'));
    await bench.clock.advance(500);
    bench.engine.addService(inboundSpec('shop'));
    bench.run(inbound('shop'));
    expect(Object.fromEntries(bench.engine.counts)).toMatchObject({ NotStarted: 1, Created: 1, CreationInProgress: 0 });
    expect(bench.engine.oldestUnsettledSince).toBe(0);
    bench.run(web);
    expect(bench.engine.oldestUnsettledSince).toBeUndefined();
  });
});

describe('Engine, outbound', () => {
  const at = addressKey(one);

  it('is brought in step with what has changed since its last pod vanished when another comes', () => {
    const bench = new EngineBench();
    bench.engine.addPod(outboundSpec('blue'), { uid: pod('a'), createdAt: 'a', addressKeys: [] });
    bench.run(blue);
    bench.engine.deletePod(pod('a'), 'vanished');
    const spec: OutboundSpec = { ...outboundSpec('blue'), families: ['IPv4', 'IPv6'] };
    bench.engine.addPod(spec, { uid: pod('b'), createdAt: 'b', addressKeys: [] });
    expect(bench.run(blue)).toBe('update');
  });

  it('makes a gateway for its first pod, which waits for it, and counts those that follow', () => {
    const bench = new EngineBench();
    bench.engine.addPod(outboundSpec('blue'), { uid: pod('a'), createdAt: 'a', addressKeys: [at] });
    expect(bench.engine.state(blue)?.kind).toBe('NotStarted');
    expect([...bench.tracker.pods.pendingPods(blue)]).toEqual([pod('a')]);
    expect(bench.tracker.pods.counter(blue)).toBe(0);
    expect(bench.run(blue)).toBe('create');
    expect(bench.tracker.pods.counter(blue)).toBe(1);
    bench.engine.addPod(outboundSpec('blue'), { uid: pod('b'), createdAt: 'b', addressKeys: [addressKey(two)] });
    expect(bench.tracker.pods.counter(blue)).toBe(2);
    expect(bench.sync()).toEqual([`${one} = outbound/blue`, `${two} = outbound/blue`]);
  });

  it('takes the gateway away with its last pod, and lets pods go when their addresses have left', () => {
    const bench = new EngineBench();
    bench.engine.addPod(outboundSpec('blue'), { uid: pod('a'), createdAt: 'a', addressKeys: [at] });
    bench.engine.addPod(outboundSpec('blue'), { uid: pod('b'), createdAt: 'b', addressKeys: [addressKey(two)] });
    bench.run(blue);
    bench.sync();
    bench.engine.deletePod(pod('b'));
    expect(bench.engine.state(blue)?.kind).toBe('Created');
    bench.engine.deletePod(pod('a'));
    expect(bench.engine.state(blue)?.kind).toBe('DeletionPending');
    expect(bench.begin(blue)).toBe('nothing');
    expect(bench.drained).toEqual([]);
    expect(bench.sync()).toEqual([`${one} = `, `${two} = `]);
    expect(bench.drained.toSorted()).toEqual([pod('a'), pod('b')]);
    expect(bench.run(blue)).toBe('delete');
  });

  it('edge case 6: a label change moves the address in one update, then deletes the old gateway', () => {
    const bench = new EngineBench();
    bench.engine.addPod(outboundSpec('blue'), { uid: pod('a'), createdAt: 'a', addressKeys: [at] });
    bench.run(blue);
    bench.sync();
    bench.engine.deletePod(pod('a'));
    bench.engine.addPod(outboundSpec('green'), { uid: pod('a'), createdAt: 'a', addressKeys: [at] });
    expect(bench.sync()).toEqual([]);
    expect(bench.begin(blue)).toBe('nothing');
    bench.run(green);
    expect(bench.sync()).toEqual([`${one} = outbound/green`]);
    expect(bench.run(blue)).toBe('delete');
    expect(bench.drained).toEqual([]);
  });

  it('edge case 6: a label that goes back before the new gateway is there leaves the address where it is', () => {
    const bench = new EngineBench();
    bench.engine.addPod(outboundSpec('blue'), { uid: pod('a'), createdAt: 'a', addressKeys: [at] });
    bench.run(blue);
    bench.sync();
    bench.engine.deletePod(pod('a'));
    bench.engine.addPod(outboundSpec('green'), { uid: pod('a'), createdAt: 'a', addressKeys: [at] });
    bench.begin(green);
    bench.engine.deletePod(pod('a'));
    bench.engine.addPod(outboundSpec('blue'), { uid: pod('a'), createdAt: 'a', addressKeys: [at] });
    expect(bench.sync()).toEqual([]);
    bench.complete(green);
    expect([bench.run(green), bench.run(blue)]).toEqual(['delete', 'create']);
    expect(bench.sync()).toEqual([]);
    expect(bench.engine.state(blue)?.kind).toBe('Created');
  });

  it('edge case 6: the only pod that changes its address keeps the gateway', () => {
    const bench = new EngineBench();
    bench.engine.addPod(outboundSpec('blue'), { uid: pod('a'), createdAt: 'a', addressKeys: [at] });
    bench.run(blue);
    bench.sync();
    bench.engine.addPod(outboundSpec('blue'), { uid: pod('a'), createdAt: 'a', addressKeys: [addressKey(two)] });
    expect(bench.engine.state(blue)?.kind).toBe('Created');
    expect(bench.sync()).toEqual([`${one} = `, `${two} = outbound/blue`]);
  });

  it('edge case 5: a pod that is deleted twice is counted once', () => {
    const bench = new EngineBench();
    bench.engine.addPod(outboundSpec('blue'), { uid: pod('a'), createdAt: 'a', addressKeys: [at] });
    bench.engine.addPod(outboundSpec('blue'), { uid: pod('b'), createdAt: 'b', addressKeys: [addressKey(two)] });
    bench.run(blue);
    bench.engine.deletePod(pod('a'));
    bench.engine.deletePod(pod('a'));
    expect(bench.tracker.pods.counter(blue)).toBe(1);
    expect(bench.engine.state(blue)?.kind).toBe('Created');
  });

  it('edge case 11: gateways whose names differ in case are one', () => {
    expect(outbound('Blue')).toBe(blue);
  });

  it('recreates a gateway whose pods come back while it is being deleted', () => {
    const bench = new EngineBench();
    bench.engine.addPod(outboundSpec('blue'), { uid: pod('a'), createdAt: 'a', addressKeys: [at] });
    bench.run(blue);
    bench.engine.deletePod(pod('a'));
    bench.begin(blue);
    bench.engine.addPod(outboundSpec('blue'), { uid: pod('b'), createdAt: 'b', addressKeys: [at] });
    bench.complete(blue);
    expect(bench.run(blue)).toBe('create');
    expect(bench.sync()).toEqual([`${one} = outbound/blue`]);
  });
});

type Act =
  | { readonly do: 'add'; readonly uid: string; readonly port: number }
  | { readonly do: 'delete' | 'begin' | 'succeed' | 'fail' | 'park' | 'drift'; readonly uid: string }
  | { readonly do: 'endpoints'; readonly uid: string; readonly at: readonly string[] }
  | { readonly do: 'sync' };

const uids = ['a', 'b'];
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ do: fc.constant('add'), uid: fc.constantFrom(...uids), port: fc.constantFrom(80, 81) } as const),
  fc.record({
    do: fc.constantFrom('delete', 'begin', 'succeed', 'fail', 'park', 'drift'),
    uid: fc.constantFrom(...uids),
  } as const),
  fc.record({
    do: fc.constant('endpoints'),
    uid: fc.constantFrom(...uids),
    at: fc.uniqueArray(fc.constantFrom(one, two)),
  } as const),
  fc.constant({ do: 'sync' } as const),
);

/** Carries out what is asked, and remembers what was wanted last. */
class Play {
  readonly bench = new EngineBench();
  readonly ports = new Map<string, number>();
  readonly endpoints = new Map<string, Endpoints>();
  readonly deletedWhileMapped: string[] = [];

  apply(act: Act): void {
    const { bench } = this;
    if (act.do === 'sync') {
      bench.sync();
      return;
    }
    const key = inbound(act.uid);
    switch (act.do) {
      case 'add':
        this.ports.set(act.uid, act.port);
        bench.engine.addService(changedSpec(act.uid, act.port));
        return bench.engine.updateEndpoints(key, this.endpoints.get(act.uid) ?? new Map());
      case 'delete':
        this.ports.delete(act.uid);
        return bench.engine.deleteService(key);
      case 'endpoints':
        this.endpoints.set(act.uid, endpoints(...act.at));
        return bench.engine.updateEndpoints(key, endpoints(...act.at));
      case 'begin': {
        const mapped = bench.tracker.hasLocations(key);
        if (bench.begin(key) === 'delete' && mapped) this.deletedWhileMapped.push(key);
        return;
      }
      case 'succeed':
        return bench.complete(key);
      case 'fail':
        return bench.complete(key, retriable);
      case 'park':
        return bench.complete(key, terminal);
      case 'drift':
        return bench.engine.onDrift(key, false);
    }
  }

  /** Nothing fails any more. */
  async settle(): Promise<void> {
    this.bench.engine.retryParked();
    for (let round = 0; round < 5; round += 1) {
      await this.bench.clock.advance(300_000);
      for (const uid of uids) this.bench.complete(inbound(uid));
      for (const uid of uids) this.bench.run(inbound(uid));
      this.bench.sync();
    }
  }

  get wanted() {
    const located: Record<string, string[]> = {};
    for (const uid of [...this.ports.keys()].sort()) {
      for (const [address] of this.endpoints.get(uid) ?? [])
        located[address] = [...(located[address] ?? []), inbound(uid)];
    }
    const states = uids.map((uid) => {
      const port = this.ports.get(uid);
      return port === undefined ? undefined : { kind: 'Created', spec: changedSpec(uid, port) };
    });
    return { states, located };
  }

  get found() {
    const { engine, tracker } = this.bench;
    const located = Object.fromEntries(
      [...tracker.nrpResources.locations.values()].flatMap((addresses) => [...addresses]),
    );
    return { states: uids.map((uid) => engine.state(inbound(uid))), located };
  }
}

describe('Engine, whatever happens', () => {
  it('ends with what was wanted last, and deletes nothing that an address is under', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 50 }), async (acts) => {
        const play = new Play();
        for (const next of acts) play.apply(next);
        await play.settle();
        expect(play.found).toEqual(play.wanted);
        expect(play.deletedWhileMapped).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
