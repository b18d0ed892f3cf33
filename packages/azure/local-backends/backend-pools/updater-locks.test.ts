import { describe, expect, it } from 'vitest';
import { INTERVAL, UPDATED, UpdaterWorld } from '../testing/updater-world.ts';

describe('the locks of the updater', () => {
  it('takes no lock of the cluster when there is nothing to do', async () => {
    const world = new UpdaterWorld();
    await world.tick();
    expect(world.api.requests).toEqual([]);
  });

  it('leaves everything queued, uncounted and untold, while another component holds the resources', async () => {
    const world = new UpdaterWorld();
    world.holdElsewhere();
    world.change('shop/web', ['10.0.0.1']);
    for (let tick = 0; tick < 10; tick += 1) await world.tick();
    expect(world.queue).toEqual(['web shop/web #0']);
    expect([world.takeCalls(), world.takeEvents(), world.results]).toEqual([[], [], []]);
    await world.clock.advance(900_000 - 10 * INTERVAL);
    await world.tick();
    expect(world.takeReasons()).toEqual([`shop/web ${UPDATED}`]);
    expect(world.lease()).toMatchObject({ spec: { holderIdentity: '' } });
  });

  it('puts back what it could not get to when the lock is lost in the middle, without a retry used up', async () => {
    const world = new UpdaterWorld();
    for (const service of ['shop/web', 'shop/api', 'shop/shared'] as const) world.change(service, ['10.0.0.1']);
    world.change('shop/last', ['10.0.0.1'], 'nowhere');
    world.emulator.behave({ operationTime: { minimum: 200_000, maximum: 200_000 } });
    const processing = world.updater.process(world.stop.signal);
    await world.clock.advance(1_000);
    world.holdElsewhere();
    await world.clock.advance(600_000);
    await processing;
    expect(world.queue).toEqual(['shared shop/shared #0', 'nowhere shop/last #0']);
    expect(world.takeReasons()).toEqual([`shop/web ${UPDATED}`, `shop/api ${UPDATED}`]);
    expect(world.lease()).toMatchObject({ spec: { holderIdentity: 'aks-resource-provider' } });
  });

  it('waits for the reconciler of Services, while changes go on being queued', async () => {
    const world = new UpdaterWorld();
    const reconciling = Promise.withResolvers<void>();
    const other = world.serviceReconcileLock.run('services', () => reconciling.promise);
    world.change('shop/web', ['10.0.0.1']);
    const processing = world.updater.process(world.stop.signal);
    await world.clock.advance(INTERVAL);
    expect([world.takeCalls(), world.api.requests]).toEqual([[], []]);
    world.change('shop/web', ['10.0.0.2']);
    world.change('shop/api', ['10.0.0.3']);
    expect(world.queue).toEqual(['web shop/web #0', 'api shop/api #0']);
    // What the main path takes back is never tried.
    world.updater.removeOperation('shop/api');
    reconciling.resolve();
    await Promise.all([other, processing]);
    expect(world.pool('web')).toEqual(['10.0.0.2']);
    expect(world.pool('api')).toEqual([]);
  });

  it('lets no Service be reconciled while it is at it, and takes changes meanwhile', async () => {
    const world = new UpdaterWorld();
    world.change('shop/web', ['10.0.0.1']);
    world.emulator.faults.next({ method: 'PUT' }, { kind: 'delay', milliseconds: 5_000 });
    const processing = world.updater.process(world.stop.signal);
    await world.clock.advance(1_000);
    const other = world.serviceReconcileLock.run('services', async () => world.pool('web'));
    world.change('shop/web', ['10.0.0.2']);
    expect(world.queue).toEqual(['web shop/web #0']);
    await world.clock.advance(5_000);
    await processing;
    expect(await other).toEqual(['10.0.0.1']);
    await world.tick();
    expect(world.pool('web')).toEqual(['10.0.0.2']);
  });

  it('works on several load balancers at once, and on one of them one pool after the other', async () => {
    const world = new UpdaterWorld();
    world.emulator.behave({ latency: { minimum: 1_000, maximum: 1_000 } });
    world.change('shop/web', ['10.0.0.1']);
    world.change('shop/api', ['10.0.0.1']);
    world.change('else/web', ['10.0.0.1'], 'web', 'lb-2');
    const processing = world.updater.process(world.stop.signal);
    await world.clock.advance(4_000);
    await processing;
    expect(world.takeTimeline().filter((line) => line.includes('PUT'))).toEqual([
      '1.5s PUT lb/web 200',
      '1.5s PUT lb-2/web 200',
      '3.5s PUT lb/api 200',
    ]);
  });
});
