import { REPEATED_STATUSES } from '@fairlead/cloud';
import type { ScriptedFault } from '@fairlead/sim/azure';
import { describe, expect, it } from 'vitest';
import { parseCloudConfiguration } from '../../arm/index.ts';
import { updaterSettings } from '../configuration.ts';
import { ids } from '../../arm/testing/emulated.ts';
import {
  FAILED,
  FAILED_ONCE,
  INTERVAL,
  RETRYING,
  SUCCEEDED_ONCE,
  UPDATED,
  UpdaterWorld,
} from '../testing/updater-world.ts';

const GET = 'GET backendAddressPools/lb/web';
const PUT = 'PUT backendAddressPools/lb/web';
const get = { method: 'GET', kind: 'backendAddressPools' } as const;
const put = { method: 'PUT', kind: 'backendAddressPools' } as const;
const throttled = (seconds?: number): ScriptedFault => ({
  kind: 'refuse',
  status: 429,
  code: 'TooManyRequests',
  ...(seconds === undefined ? {} : { headers: { 'retry-after': String(seconds) } }),
});
const refused = (status: number) => ({ kind: 'refuse', status, code: `Status${status}` }) as const;

// The numbers are those of the updater's test plan, which stands here whole: the titles are its words.

describe('the local service backend pool updater', () => {
  it('1. ARM wire 429 from Get with a parseable Retry-After sets nextEligibleAt and emits LoadBalancerBackendPoolUpdateRetrying; subsequent ticks before nextEligibleAt requeue quietly without ARM calls, retry events, retry-count increments, or metrics', async () => {
    const world = new UpdaterWorld();
    world.change('shop/web', ['10.0.0.1']);
    world.emulator.faults.next(get, throttled(75));
    await world.tick();
    expect(world.takeCalls()).toEqual([`${GET} 429 TooManyRequests`]);
    expect(world.takeEvents()).toEqual([
      expect.stringMatching(/^shop\/web Warning LoadBalancerBackendPoolUpdateRetrying: .*TooManyRequests/),
    ]);
    expect(world.queue).toEqual(['web shop/web #1 +75s']);
    for (const left of [45, 15]) {
      await world.tick();
      expect(world.queue).toEqual([`web shop/web #1 +${left}s`]);
    }
    expect([world.takeCalls(), world.takeEvents(), world.results]).toEqual([[], [], []]);
    await world.tick();
    expect(world.takeCalls()).toEqual([`${GET} 200`, `${PUT} 200`]);
    expect(world.takeReasons()).toEqual([`shop/web ${UPDATED}`]);
    expect([world.queue, world.results]).toEqual([[], SUCCEEDED_ONCE]);
  });

  it('2. ARM wire 429 from CreateOrUpdate follows the same Retry-After, LoadBalancerBackendPoolUpdateRetrying, and requeue behavior', async () => {
    const world = new UpdaterWorld();
    world.change('shop/web', ['10.0.0.1']);
    world.emulator.faults.throttle(put, 75_000, 'date');
    await world.tick();
    expect(world.takeCalls()).toEqual([`${GET} 200`, `${PUT} 429 TooManyRequests`]);
    expect(world.takeReasons()).toEqual([`shop/web ${RETRYING}`]);
    expect(world.queue).toEqual(['web shop/web #1 +45s']);
    await world.tick();
    expect(world.queue).toEqual(['web shop/web #1 +15s']);
    expect([world.takeCalls(), world.takeEvents(), world.results]).toEqual([[], [], []]);
    await world.tick();
    expect(world.takeCalls()).toEqual([`${GET} 200`, `${PUT} 200`]);
    expect(world.takeReasons()).toEqual([`shop/web ${UPDATED}`]);
    expect([world.queue, world.results, world.pool('web')]).toEqual([[], SUCCEEDED_ONCE, ['10.0.0.1']]);
  });

  it.each(['absent', 'garbage'] as const)(
    '3. ARM wire 429 without a parseable Retry-After requeues, emits LoadBalancerBackendPoolUpdateRetrying, then succeeds on the next eligible tick (%s)',
    async (form) => {
      const world = new UpdaterWorld();
      world.change('shop/web', ['10.0.0.1']);
      world.emulator.faults.throttle(put, INTERVAL + 1, form);
      await world.tick();
      expect(world.takeCalls()).toEqual([`${GET} 200`, `${PUT} 429 TooManyRequests`]);
      expect(world.takeReasons()).toEqual([`shop/web ${RETRYING}`]);
      expect([world.queue, world.results]).toEqual([['web shop/web #1'], []]);
      await world.tick();
      expect(world.takeCalls()).toEqual([`${GET} 200`, `${PUT} 200`]);
      expect(world.takeReasons()).toEqual([`shop/web ${UPDATED}`]);
      expect([world.queue, world.results]).toEqual([[], SUCCEEDED_ONCE]);
    },
  );

  it('4. Local-gate ErrTooManyRequest without a raw response falls back to the next updater tick and does not panic on nil response', async () => {
    const world = new UpdaterWorld();
    world.change('shop/web', ['10.0.0.1']);
    world.change('shop/api', ['10.0.0.1']);
    world.emulator.faults.next({ ...get, name: 'lb/web' }, throttled());
    await world.tick();
    // The first pool met the server's refusal; the gate it closed refuses the second, without a time.
    expect(world.takeCalls()).toEqual([`${GET} 429 TooManyRequests`]);
    expect(world.queue).toEqual(['web shop/web #1', 'api shop/api #1']);
    expect(world.takeEvents()).toEqual([
      expect.stringContaining(`shop/web Warning ${RETRYING}: `),
      expect.stringMatching(/^shop\/api Warning \w+: .*Azure reads of sub has asked us to slow down/),
    ]);
    expect(world.results).toEqual([]);
    await world.tick();
    expect(world.takeReasons()).toEqual([`shop/web ${UPDATED}`, `shop/api ${UPDATED}`]);
    expect([world.queue, world.pool('web'), world.pool('api')]).toEqual([[], ['10.0.0.1'], ['10.0.0.1']]);
    expect(world.results).toEqual(['services_local update_backend_pool succeeded 2']);
  });

  it('keeps all pools parked through a long throttle, at the cost of one retry and one Event each', async () => {
    const world = new UpdaterWorld();
    for (const name of ['web', 'api', 'shared']) world.change(`shop/${name}`, ['10.0.0.1']);
    world.emulator.faults.throttle({}, 600_000);
    await world.tick();
    expect(world.takeReasons()).toEqual(['web', 'api', 'shared'].map((name) => `shop/${name} ${RETRYING}`));
    for (let tick = 0; tick < 18; tick += 1) await world.tick();
    expect(world.takeReasons()).toEqual([]);
    expect(world.queue).toEqual(['web', 'api', 'shared'].map((name) => `${name} shop/${name} #1 +30s`));
    await world.tick();
    expect(world.takeReasons()).toEqual(['web', 'api', 'shared'].map((name) => `shop/${name} ${UPDATED}`));
  });

  it.each([409, 412])(
    '5. ARM 409 or 412 from CreateOrUpdate requeues, emits LoadBalancerBackendPoolUpdateRetrying, then succeeds on the next tick after a fresh Get (%i)',
    async (status) => {
      const world = new UpdaterWorld();
      world.change('shop/web', ['10.0.0.1']);
      world.emulator.faults.next(put, refused(status));
      await world.tick();
      expect(world.takeCalls()).toEqual([`${GET} 200`, `${PUT} ${status} Status${status}`]);
      expect(world.takeReasons()).toEqual([`shop/web ${RETRYING}`]);
      expect([world.queue, world.results]).toEqual([['web shop/web #1'], []]);
      await world.tick();
      expect(world.takeCalls()).toEqual([`${GET} 200`, `${PUT} 200`]);
      expect(world.takeReasons()).toEqual([`shop/web ${UPDATED}`]);
      expect([world.queue, world.results, world.pool('web')]).toEqual([[], SUCCEEDED_ONCE, ['10.0.0.1']]);
    },
  );

  it('6. If any operation in a lbName/backendPoolName group is waiting for nextEligibleAt, the whole group is preserved and no same-group operation is processed early', async () => {
    const world = new UpdaterWorld();
    world.change('shop/web', ['10.0.0.1']);
    world.emulator.faults.next(put, throttled(90));
    await world.tick();
    world.takeCalls();
    world.takeEvents();
    world.change('shop/web', ['10.0.0.1', '10.0.0.2']);
    world.change('shop/api', ['10.0.0.3']);
    await world.tick();
    await world.tick();
    // All writes are throttled: the other pool hears of it once, and then waits, too.
    expect(world.takeCalls()).toEqual(['GET backendAddressPools/lb/api 200']);
    expect(world.takeReasons()).toEqual([`shop/api ${RETRYING}`]);
    expect(world.queue).toEqual(['web shop/web #1 +30s', 'web shop/web #0', 'api shop/api #1 +30s']);
    await world.tick();
    expect(world.takeCalls()).toEqual([
      `${GET} 200`,
      `${PUT} 200`,
      'GET backendAddressPools/lb/api 200',
      'PUT backendAddressPools/lb/api 200',
    ]);
    expect(world.takeReasons()).toEqual([`shop/web ${UPDATED}`, `shop/api ${UPDATED}`]);
    expect([world.queue, world.pool('web')]).toEqual([[], ['10.0.0.1', '10.0.0.2']]);
    expect(world.results).toEqual(['services_local update_backend_pool succeeded 2']);
  });

  it('7. A fresh operation merged with a requeued operation keeps its own retry counter; on group failure, all operations in the group consume one retry', async () => {
    const world = new UpdaterWorld();
    world.change('shop/web', ['10.0.0.1']);
    world.emulator.faults.next(put, refused(409), 2);
    await world.tick();
    world.change('shop/web', ['10.0.0.2']);
    expect(world.queue).toEqual(['web shop/web #1', 'web shop/web #0']);
    world.takeCalls();
    await world.tick();
    expect(world.takeCalls()).toEqual([`${GET} 200`, `${PUT} 409 Status409`]);
    expect(world.queue).toEqual(['web shop/web #2', 'web shop/web #1']);
    expect(world.takeReasons()).toEqual([`shop/web ${RETRYING}`, `shop/web ${RETRYING}`]);
    expect(world.results).toEqual([]);
    await world.tick();
    expect([world.queue, world.pool('web'), world.results]).toEqual([[], ['10.0.0.2'], SUCCEEDED_ONCE]);
    expect(world.takeReasons()).toEqual([`shop/web ${UPDATED}`]);
  });

  it('8. A group with mixed retry budgets (one operation at max retries, one fresh): the exhausted operation is dropped and reported while the fresh operation is requeued', async () => {
    const world = new UpdaterWorld({ maxRetries: 1 });
    world.change('shop/old', ['10.0.0.1'], 'shared');
    world.emulator.faults.next(put, refused(412), 2);
    await world.tick();
    world.change('shop/new', ['10.0.0.2'], 'shared');
    expect(world.queue).toEqual(['shared shop/old #1', 'shared shop/new #0']);
    world.takeCalls();
    world.takeEvents();
    await world.tick();
    expect(world.takeCalls()).toEqual([
      'GET backendAddressPools/lb/shared 200',
      'PUT backendAddressPools/lb/shared 412 Status412',
    ]);
    expect(world.takeReasons()).toEqual([`shop/old ${FAILED}`, `shop/new ${RETRYING}`]);
    expect([world.queue, world.results]).toEqual([['shared shop/new #1'], FAILED_ONCE]);
    await world.tick();
    expect(world.takeReasons()).toEqual([`shop/new ${UPDATED}`]);
    // What the pool gets is what it should hold, whichever operation was given up.
    expect([world.queue, world.pool('shared')]).toEqual([[], ['10.0.0.1', '10.0.0.2']]);
    expect(world.results).toEqual([...FAILED_ONCE, ...SUCCEEDED_ONCE]);
  });

  it('says so when newer changes of a Service that is given up are still being tried', async () => {
    const world = new UpdaterWorld({ maxRetries: 1 });
    world.change('shop/web', ['10.0.0.1']);
    world.emulator.faults.next(put, refused(412), 2);
    await world.tick();
    world.change('shop/web', ['10.0.0.2']);
    world.takeEvents();
    await world.tick();
    expect(world.takeEvents()).toEqual([
      expect.stringMatching(/^shop\/web Warning \w+Failed: .* Newer changes of this Service are still being tried\.$/),
    ]);
    expect(world.queue).toEqual(['web shop/web #1']);
  });

  it('9. Retry budget exhaustion emits LoadBalancerBackendPoolUpdateFailed with guidance text and leaves the queue empty', async () => {
    const world = new UpdaterWorld();
    world.change('shop/web', ['10.0.0.1']);
    world.emulator.faults.next(put, refused(409), 4);
    for (const retry of [1, 2, 3]) {
      await world.tick();
      expect(world.queue).toEqual([`web shop/web #${retry}`]);
    }
    expect(world.takeReasons()).toEqual(Array.from({ length: 3 }, () => `shop/web ${RETRYING}`));
    expect(world.results).toEqual([]);
    await world.tick();
    const [event, ...others] = world.takeEvents();
    expect(others).toEqual([]);
    expect(event).toMatch(
      /^shop\/web Warning LoadBalancerBackendPoolUpdateFailed: Backend pool update failed: PUT backendAddressPools\/web: .*Status409.*\. To retrigger, cause an endpoint change for the Service \(e\.g\., restart or scale a backing pod\)\.$/,
    );
    expect([world.queue, world.results]).toEqual([[], FAILED_ONCE]);
    expect(world.takeCalls()).toEqual(Array.from({ length: 4 }, () => [`${GET} 200`, `${PUT} 409 Status409`]).flat());
    await world.tick();
    expect([world.takeCalls(), world.takeEvents()]).toEqual([[], []]);
  });

  it.each(REPEATED_STATUSES.flatMap((status) => [[status, get] as const, [status, put] as const]))(
    '10. Statuses from GetRetriableStatusCode() do not requeue and emit LoadBalancerBackendPoolUpdateFailed (%i from %o)',
    async (status, match) => {
      const world = new UpdaterWorld();
      world.change('shop/web', ['10.0.0.1']);
      world.emulator.faults.next(match, refused(status));
      await world.tick();
      const refusal = `backendAddressPools/lb/web ${status} Status${status}`;
      expect(world.takeCalls()).toEqual(match === get ? [`GET ${refusal}`] : [`${GET} 200`, `PUT ${refusal}`]);
      expect(world.takeReasons()).toEqual([`shop/web ${FAILED}`]);
      expect([world.queue, world.results]).toEqual([[], FAILED_ONCE]);
    },
  );

  it.each([
    ['a bad request', refused(400), `${PUT} 400 Status400`],
    ['a missing permission', refused(403), `${PUT} 403 Status403`],
    ['an operation that failed', { kind: 'fail-operation', code: 'Odd' } as const, `${PUT} 200`],
    ['a connection that broke', { kind: 'lose-response' } as const, `${PUT} lost`],
  ])(
    '11. Other non-retriable errors do not requeue and emit LoadBalancerBackendPoolUpdateFailed: %s',
    async (_, fault, call) => {
      const world = new UpdaterWorld();
      world.change('shop/web', ['10.0.0.1']);
      world.emulator.faults.next(put, fault);
      await world.tick();
      expect(world.takeCalls().slice(0, 2)).toEqual([`${GET} 200`, call]);
      expect(world.takeReasons()).toEqual([`shop/web ${FAILED}`]);
      expect([world.queue, world.results]).toEqual([[], FAILED_ONCE]);
    },
  );

  it.each([
    ['the pool', '/backendAddressPools/web', 'NotFound'],
    ['the load balancer', '', 'ResourceNotFound'],
  ] as const)('12. ARM resource-not-found does not requeue and emits no event: %s is gone', async (_, below, code) => {
    const world = new UpdaterWorld();
    world.change('shop/web', ['10.0.0.1']);
    const path = '/subscriptions/sub/resourceGroups/cluster/providers/Microsoft.Network/loadBalancers/lb';
    world.emulator.byHand({ method: 'DELETE', path: `${path}${below}` });
    await world.tick();
    expect(world.takeCalls()).toEqual([`${GET} 404 ${code}`]);
    expect([world.takeEvents(), world.queue, world.results]).toEqual([[], [], []]);
    expect(world.missingPools).toEqual(['shop/web']);
  });

  it('12. ARM resource-not-found does not requeue and emits no event: it goes between Get and CreateOrUpdate', async () => {
    const world = new UpdaterWorld();
    world.change('shop/web', ['10.0.0.1']);
    world.emulator.faults.next(put, { kind: 'refuse', status: 404, code: 'NotFound' });
    await world.tick();
    expect(world.takeCalls()).toEqual([`${GET} 200`, `${PUT} 404 NotFound`]);
    expect([world.takeEvents(), world.queue, world.results]).toEqual([[], [], []]);
    expect(world.missingPools).toEqual(['shop/web']);
  });

  it('loses nothing that another program writes to the pool between Get and CreateOrUpdate', async () => {
    const world = new UpdaterWorld();
    world.change('shop/web', ['10.0.0.1']);
    world.emulator.behave({ latency: { minimum: 1_000, maximum: 1_000 } });
    const theirs = { name: 'theirs', properties: { ipAddress: '10.0.9.9' } };
    // The pool is read within a second, and the write arrives half a second later.
    world.clock.setTimer(INTERVAL + 1_200, () => {
      const path =
        '/subscriptions/sub/resourceGroups/cluster/providers/Microsoft.Network/loadBalancers/lb/backendAddressPools/web';
      const body = { properties: { loadBalancerBackendAddresses: [theirs] } };
      world.emulator.byHand({ method: 'PUT', path, body });
    });
    await world.tick();
    expect(world.takeCalls()).toEqual([`${GET} 200`, `${PUT} 412 PreconditionFailed`]);
    expect(world.takeReasons()).toEqual([`shop/web ${RETRYING}`]);
    await world.tick();
    expect(world.pool('web')).toEqual(['theirs=10.0.9.9', '10.0.0.1']);
    expect(world.emulator.overwrites).toEqual([]);
  });

  it('leaves the network of a pool as it was read, however that is spelled', async () => {
    const world = new UpdaterWorld();
    const virtualNetwork = { id: ids.network.toUpperCase() };
    const backendAddressPools = [{ name: 'web', properties: { virtualNetwork } }];
    const body = { location: 'westeurope', sku: { name: 'Standard' }, properties: { backendAddressPools } };
    world.emulator.byHand({ method: 'PUT', path: ids.loadBalancer('lb'), body });
    world.change('shop/web', ['10.0.0.1']);
    await world.tick();
    const [written] = world.emulator.log.calls.filter(({ method }) => method === 'PUT');
    expect(written?.body).toMatchObject({ properties: { virtualNetwork } });
  });

  it('goes on with other pools while one of them waits for its time', async () => {
    const world = new UpdaterWorld();
    world.change('shop/web', ['10.0.0.1']);
    const headers = { 'retry-after': '75' };
    world.emulator.faults.next(put, { kind: 'refuse', status: 429, code: 'RetryableError', headers });
    await world.tick();
    world.change('shop/api', ['10.0.0.2']);
    await world.tick();
    expect(world.takeReasons()).toEqual([`shop/web ${RETRYING}`, `shop/api ${UPDATED}`]);
    expect(world.queue).toEqual(['web shop/web #1 +45s']);
    expect(world.pool('api')).toEqual(['10.0.0.2']);
  });

  it.each([
    ['the Service is gone', (world: UpdaterWorld) => world.services.delete('shop/web')],
    ['it is on another load balancer', (world: UpdaterWorld) => world.place('shop/web', 'web', 'lb-2')],
  ])('13. Stale service or changed load balancer before requeue is dropped quietly: %s', async (_, happens) => {
    for (const fault of [refused(409), refused(400)]) {
      const world = new UpdaterWorld();
      world.change('shop/web', ['10.0.0.1']);
      world.emulator.behave({ latency: { minimum: 1_000, maximum: 1_000 } });
      world.emulator.faults.next(put, fault);
      const processing = world.updater.process(world.stop.signal);
      await world.clock.advance(1_900);
      happens(world);
      await world.clock.advance(100);
      await processing;
      expect(world.takeCalls()).toEqual([`${GET} 200`, `${PUT} ${fault.status} ${fault.code}`]);
      expect([world.takeEvents(), world.queue, world.results]).toEqual([[], [], []]);
    }
  });

  it('writes nothing to a pool whose Service went away while it was being read', async () => {
    const world = new UpdaterWorld();
    world.change('shop/web', ['10.0.0.1']);
    await world.tick();
    world.change('shop/web', ['10.0.0.2']);
    world.takeCalls();
    world.takeEvents();
    world.emulator.faults.next(get, { kind: 'delay', milliseconds: 1_000 });
    const processing = world.updater.process(world.stop.signal);
    await world.clock.advance(500);
    world.services.delete('shop/web');
    await world.clock.advance(500);
    await processing;
    expect(world.takeCalls()).toEqual([`${GET} 200`]);
    expect([world.takeEvents(), world.queue, world.results]).toEqual([[], [], SUCCEEDED_ONCE]);
    expect(world.pool('web')).toEqual(['10.0.0.1']);
  });

  it('14. A Service that disappears while its operation is parked behind nextEligibleAt is dropped quietly on the next relevance check', async () => {
    const world = new UpdaterWorld();
    world.change('shop/web', ['10.0.0.1']);
    world.emulator.faults.next(put, throttled(300));
    await world.tick();
    world.takeCalls();
    world.takeEvents();
    world.services.delete('shop/web');
    expect(world.queue).toEqual(['web shop/web #1 +300s']);
    await world.tick();
    expect([world.takeCalls(), world.takeEvents(), world.queue, world.results]).toEqual([[], [], [], []]);
  });

  it('15. Multiple operations for multiple Services in a backend-pool group emit one retry/failure event per distinct Service', async () => {
    const world = new UpdaterWorld({ maxRetries: 1 });
    for (const service of ['a/one', 'b/two', 'c/three'] as const) world.change(service, ['10.0.0.1'], 'shared');
    world.emulator.faults.next(put, refused(412), 2);
    await world.tick();
    for (const service of ['a/one', 'b/two'] as const) world.change(service, ['10.0.0.2'], 'shared');
    expect(world.updater.countOperations()).toBe(5);
    expect(world.takeReasons()).toEqual([`a/one ${RETRYING}`, `b/two ${RETRYING}`, `c/three ${RETRYING}`]);
    world.takeCalls();
    await world.tick();
    expect(world.takeReasons()).toEqual([`a/one ${FAILED}`, `b/two ${FAILED}`, `c/three ${FAILED}`]);
    expect(world.takeCalls()).toHaveLength(2);
    expect([world.queue, world.results]).toEqual([['shared a/one #1', 'shared b/two #1'], FAILED_ONCE]);
    await world.tick();
    expect(world.takeReasons()).toEqual([`a/one ${UPDATED}`, `b/two ${UPDATED}`]);
    expect(world.pool('shared')).toEqual(['10.0.0.2', '10.0.0.1']);
  });

  it('16. removeOperation(serviceName) removes parked operations whose nextEligibleAt is in the future', async () => {
    const world = new UpdaterWorld();
    world.change('shop/web', ['10.0.0.1']);
    world.emulator.faults.next(put, throttled(300));
    await world.tick();
    world.change('shop/web', ['10.0.0.2']);
    world.change('shop/api', ['10.0.0.2']);
    expect(world.queue).toEqual(['web shop/web #1 +300s', 'web shop/web #0', 'api shop/api #0']);
    world.takeCalls();
    world.takeEvents();
    world.updater.removeOperation('shop/web');
    expect(world.queue).toEqual(['api shop/api #0']);
    world.emulator.faults.clear();
    await world.tick();
    expect(world.takeCalls()).toEqual(['GET backendAddressPools/lb/api 200']);
    expect([world.takeReasons(), world.results]).toEqual([[`shop/api ${RETRYING}`], []]);
    expect(world.queue).toEqual(['api shop/api #1 +270s']);
  });

  it('17. Updater shutdown with parked operations does not emit retry/failure events and does not requeue', async () => {
    const world = new UpdaterWorld();
    const running = world.updater.run(world.stop.signal);
    world.change('shop/web', ['10.0.0.1']);
    world.emulator.faults.next({ ...put, name: 'lb/web' }, throttled(300));
    await world.clock.advance(INTERVAL);
    expect(world.queue).toEqual(['web shop/web #1 +300s']);
    expect(world.takeReasons()).toEqual([`shop/web ${RETRYING}`]);
    world.change('shop/api', ['10.0.0.1']);
    world.emulator.faults.next({ ...get, name: 'lb/api' }, { kind: 'hang' });
    await world.clock.advance(INTERVAL);
    expect(world.takeCalls().at(-1)).toBe('GET backendAddressPools/lb/api hung');
    world.stop.abort(new Error('shutting down'));
    await running;
    expect(world.takeEvents()).toEqual([]);
    expect(world.queue.filter((line) => line.includes('shop/api'))).toEqual([]);
    await world.clock.advance(10 * INTERVAL);
    expect([world.takeCalls(), world.takeEvents(), world.results]).toEqual([[], [], []]);
    // The lock is given back also then.
    expect(world.lease()).toMatchObject({ spec: { holderIdentity: '' } });
  });

  it('18. Explicit LoadBalancerBackendPoolUpdateMaxRetries: 0 remains non-nil through config load and disables updater retry', async () => {
    const written = { subscriptionId: 'sub', resourceGroup: 'cluster', location: 'westeurope' };
    const load = (retries?: number) => {
      const cloud = {
        ...written,
        ...(retries === undefined ? {} : { loadBalancerBackendPoolUpdateMaxRetries: retries }),
      };
      const loaded = parseCloudConfiguration(JSON.stringify(cloud), 'azure.json');
      return parseCloudConfiguration(JSON.stringify(loaded), 'azure.json');
    };
    expect(load(0).loadBalancerBackendPoolUpdateMaxRetries).toBe(0);
    expect(load()).not.toHaveProperty('loadBalancerBackendPoolUpdateMaxRetries');
    expect([load(0), load(-7), load(5), load()].map((cloud) => updaterSettings(cloud, false).maxRetries)).toEqual([
      0, 0, 5, 3,
    ]);
    const world = new UpdaterWorld(updaterSettings(load(0), false));
    world.change('shop/web', ['10.0.0.1']);
    world.emulator.faults.next(put, refused(409));
    await world.tick();
    expect(world.takeCalls()).toEqual([`${GET} 200`, `${PUT} 409 Status409`]);
    expect(world.takeReasons()).toEqual([`shop/web ${FAILED}`]);
    expect([world.queue, world.results]).toEqual([[], FAILED_ONCE]);
  });

  it('19. A retried-then-succeeded operation records exactly one successful metric observation and no failed metric observations', async () => {
    const world = new UpdaterWorld();
    world.change('shop/web', ['10.0.0.1']);
    world.emulator.faults.next(get, refused(409));
    world.emulator.faults.next(put, refused(412));
    world.emulator.faults.next(put, throttled());
    for (const retry of [1, 2, 3]) {
      await world.tick();
      expect([world.queue, world.results]).toEqual([[`web shop/web #${retry}`], []]);
    }
    await world.tick();
    expect([world.queue, world.results]).toEqual([[], SUCCEEDED_ONCE]);
    expect(world.takeReasons()).toEqual([
      ...Array.from({ length: 3 }, () => `shop/web ${RETRYING}`),
      `shop/web ${UPDATED}`,
    ]);
    expect(world.takeCalls()).toEqual([
      `${GET} 409 Status409`,
      `${GET} 200`,
      `${PUT} 412 Status412`,
      `${GET} 200`,
      `${PUT} 429 TooManyRequests`,
      `${GET} 200`,
      `${PUT} 200`,
    ]);
  });
});
