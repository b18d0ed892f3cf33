import { sleep, VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { AzureBench, newAzure, scope } from './testing/azure-bench.ts';
import { GatewayCluster } from './testing/cluster.ts';
import { endpoints, inbound } from './testing/keys.ts';
import { Replica } from './testing/replica.ts';
import { inboundSpec } from './testing/specs.ts';

const NODES = 20;
const ADDRESSES = 2_000;
const MINUTE = 60_000;

/** A Service that is served, and then gets 2,000 endpoints. */
async function newWorld(section: object = {}) {
  const clock = new VirtualClock();
  const azure = newAzure(clock);
  const cluster = new GatewayCluster(clock);
  await cluster.setUp();
  for (let node = 0; node < NODES; node += 1) await cluster.putNode(`node-${node}`, `10.0.0.${node + 1}`);
  await cluster.createService('web');
  const replica = new Replica(cluster, azure, section);
  await replica.settle();
  await clock.advance(5_000);
  azure.log.clear();
  const addEndpoints = async () => {
    const endpoints = Array.from({ length: ADDRESSES }, (_, index) => {
      return `10.1.${index >> 8}.${index & 255}@node-${index % NODES}`;
    });
    await cluster.putSlice('web', 'web-1', endpoints.slice(0, ADDRESSES / 2));
    await cluster.putSlice('web', 'web-2', endpoints.slice(ADDRESSES / 2));
  };
  const located = () => [...azure.gateway(scope.gatewayId).locations.values()].reduce((sum, { size }) => sum + size, 0);
  return { clock, azure, cluster, replica, addEndpoints, located };
}

describe('an Azure that refuses everything for a reason of its own', () => {
  it.each([
    ['a feature that is not registered', 400, 'SubscriptionNotRegisteredForFeature'],
    ['a permission that is missing', 403, 'AuthorizationFailed'],
    ['words that nobody has heard before', 400, 'SomethingOfTheFuture'],
  ])('is asked once a minute, told of, and recovered from: %s', async (_, status, code) => {
    const { clock, azure, cluster, replica, addEndpoints, located } = await newWorld();
    for (const method of ['PUT', 'POST', 'DELETE'] as const) {
      azure.faults.next({ method }, { kind: 'refuse', status, code, message: 'No.' }, 1_000_000);
    }
    await addEndpoints();
    await clock.advance(10 * MINUTE);
    expect(azure.log.writes.length).toBeLessThanOrEqual(12);
    expect(replica.readiness).toMatchObject({ ready: false, reason: expect.stringContaining(code) });
    expect(located()).toBe(0);
    azure.faults.clear();
    await clock.advance(MINUTE);
    expect(located()).toBe(ADDRESSES);
    expect(replica.readiness).toEqual({ ready: true });
    const told = (await cluster.events()).filter(({ reason }) => reason === 'AzureRefuses');
    expect(told.map(({ regarding }) => regarding.name)).toEqual(['kube-system']);
    await replica.stop();
  });

  it('is asked once a minute about all registrations together, and no Service is blamed', async () => {
    const bench = new AzureBench();
    const kind = 'updateServices';
    bench.azure.faults.next({ kind }, { kind: 'refuse', status: 400, code: 'SomethingOfTheFuture' }, 1_000_000);
    for (let number = 0; number < 40; number += 1) bench.engine.addService(inboundSpec(`web-${number}`));
    await bench.clock.advance(10 * MINUTE);
    expect(bench.azure.log.count('POST', kind)).toBeLessThanOrEqual(12);
    expect(new Set(Object.values(bench.kinds))).toEqual(new Set(['NotStarted']));
    bench.azure.faults.clear();
    await bench.clock.advance(MINUTE);
    expect(bench.registered).toHaveLength(40);
  });

  it('is asked once a minute for all Services together, whose creation it refuses', async () => {
    const bench = new AzureBench();
    const match = { method: 'PUT', kind: 'publicIPAddresses' } as const;
    bench.azure.faults.next(match, { kind: 'refuse', status: 403, code: 'AuthorizationFailed' }, 1_000_000);
    for (let number = 0; number < 40; number += 1) bench.engine.addService(inboundSpec(`web-${number}`));
    await bench.clock.advance(10 * MINUTE);
    // Ten are on their way before the first is refused.
    expect(bench.azure.log.count('PUT', 'publicIPAddresses')).toBeLessThanOrEqual(10 + 11);
    bench.azure.faults.clear();
    await bench.clock.advance(MINUTE);
    expect(bench.registered).toHaveLength(40);
  });

  it('is told from one that refuses one entry of many', async () => {
    const bench = new AzureBench();
    const bad = '10.1.0.77';
    const send = bench.azure.send.bind(bench.azure);
    bench.azure.send = (request) => {
      const isBad = request.url.includes('/updateAddressLocations') && (request.body ?? '').includes(`"${bad}"`);
      if (isBad)
        bench.azure.faults.next({ kind: 'updateAddressLocations' }, { kind: 'refuse', status: 400, code: 'Odd' });
      return send(request);
    };
    bench.engine.addService(inboundSpec('web'));
    await bench.settle();
    bench.azure.log.clear();
    const places = Array.from({ length: 200 }, (_, index) => `10.1.0.${index}@10.0.0.1`);
    bench.engine.updateEndpoints(inbound('web'), endpoints(...places));
    await bench.settle(300_000);
    expect(bench.refused.map(({ entry }) => entry.address)).toEqual([bad]);
    expect(bench.located).toHaveLength(199);
    expect(bench.azure.log.count('POST', 'updateAddressLocations')).toBeLessThanOrEqual(1 + 2 * 8);
  });
});

describe('an Azure that is slow', () => {
  it('gets all addresses in when each answer takes 12 seconds', async () => {
    const { clock, azure, replica, addEndpoints, located } = await newWorld();
    azure.faults.next({ kind: 'updateAddressLocations' }, { kind: 'delay', milliseconds: 12_000 }, 1_000_000);
    await addEndpoints();
    await clock.advance(MINUTE);
    expect(located()).toBe(ADDRESSES);
    expect(replica.readiness).toEqual({ ready: true });
    await replica.stop();
  });

  it('that never answers within the deadline makes us not ready, with the key that allows for more', async () => {
    const { clock, azure, replica, addEndpoints, located } = await newWorld();
    azure.faults.next({ kind: 'updateAddressLocations' }, { kind: 'delay', milliseconds: 22_000 }, 1_000_000);
    await addEndpoints();
    await clock.advance(5 * MINUTE);
    const { reason } = { reason: '', ...replica.readiness };
    expect(reason).toContain('updateAddressLocations');
    expect(reason).toContain('not done within 20 s; if this stays, raise deadlines.actionSeconds');
    azure.faults.clear();
    await clock.advance(2 * MINUTE);
    expect([located(), replica.readiness]).toEqual([ADDRESSES, { ready: true }]);
    await replica.stop();
  });

  it('is sent less at a time when it does not answer in time, and more again when it does', async () => {
    const bench = new AzureBench();
    let each = 20;
    const sizes: number[] = [];
    const send = bench.azure.send.bind(bench.azure);
    bench.azure.send = async (request) => {
      const count = (request.body ?? '').split('"address":').length - 1;
      if (count > 0) sizes.push(count);
      await sleep(bench.clock, count * each, request.signal);
      return send(request);
    };
    bench.engine.addService(inboundSpec('web'));
    await bench.settle();
    const places = (third: number) =>
      Array.from({ length: 2_000 }, (_, at) => `10.${third}.${at >> 8}.${at & 255}@10.0.0.1`);
    bench.engine.updateEndpoints(inbound('web'), endpoints(...places(1)));
    await bench.settle(30 * MINUTE);
    expect(bench.located).toHaveLength(2_000);
    expect(Math.min(...sizes)).toBeLessThanOrEqual(500);
    each = 1;
    sizes.length = 0;
    bench.engine.updateEndpoints(inbound('web'), endpoints(...places(2)));
    await bench.settle(30 * MINUTE);
    bench.engine.updateEndpoints(inbound('web'), endpoints(...places(3)));
    await bench.settle(30 * MINUTE);
    expect(Math.max(...sizes)).toBeGreaterThan(1_000);
  });
});
