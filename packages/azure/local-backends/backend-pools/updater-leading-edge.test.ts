import { describe, expect, it } from 'vitest';
import { RETRYING, UPDATED, UpdaterWorld } from '../testing/updater-world.ts';

const put = { method: 'PUT', kind: 'backendAddressPools' } as const;
const leading = () => new UpdaterWorld({ leadingEdge: true });
/** An Azure that is at each write for so long. */
function slow(seconds = 5): UpdaterWorld {
  const world = leading();
  world.emulator.behave({ operationTime: { minimum: seconds * 1000, maximum: seconds * 1000 } });
  return world;
}

/** Runs the updater until the end of the test. */
async function running(world: UpdaterWorld, play: (at: (seconds: number) => Promise<void>) => Promise<void>) {
  const run = world.updater.run(world.stop.signal);
  await play((seconds) => world.clock.advance(seconds * 1000 - world.clock.monotonic()));
  world.stop.abort(new Error('the test is over'));
  await run;
}
const writes = (world: UpdaterWorld) => world.takeTimeline().filter((line) => line.includes('PUT'));

describe('the leading edge', () => {
  it('sends the first change of a quiet pool at once, together with those of the same pool that come with it', async () => {
    const world = leading();
    await running(world, async (at) => {
      await at(7);
      world.change('shop/web', ['10.0.0.1']);
      await at(7.2);
      world.change('shop/web', ['10.0.0.1', '10.0.0.2']);
      world.change('shop/api', ['10.0.0.3']);
      await at(8);
      expect(world.takeTimeline()).toEqual([
        '7.6s GET lb/web 200',
        '7.6s PUT lb/web 200',
        `7.6s shop/web ${UPDATED}`,
        '7.8s GET lb/api 200',
        '7.8s PUT lb/api 200',
        `7.8s shop/api ${UPDATED}`,
      ]);
      expect(world.pool('web')).toEqual(['10.0.0.1', '10.0.0.2']);
    });
  });

  it('gathers what follows for an interval, so that a pool is written at most once in each', async () => {
    const world = leading();
    await running(world, async (at) => {
      for (let second = 5; second < 120; second += 1) {
        await at(second);
        world.change('shop/web', [`10.0.0.${second}`]);
      }
      await at(200);
      expect(writes(world)).toEqual(['5.6s', '36s', '66s', '96s', '126s'].map((time) => `${time} PUT lb/web 200`));
      expect(world.pool('web')).toEqual(['10.0.0.119']);
    });
  });

  it('begins at once with a load balancer that is idle, while another is written', async () => {
    const world = slow();
    await running(world, async (at) => {
      await at(1);
      world.change('shop/web', ['10.0.0.1']);
      await at(2);
      world.change('shop/api', ['10.0.0.1']);
      await at(3);
      world.change('shop/other', ['10.0.0.1'], 'web', 'lb-2');
      await at(60);
      const [web, other, api] = writes(world).map((line) => line.replace(' 200', '').split(' PUT '));
      expect([web, other]).toEqual([
        ['1.6s', 'lb/web'],
        ['3.6s', 'lb-2/web'],
      ]);
      expect(api).toEqual([expect.toSatisfy((time: string) => Number.parseFloat(time) < 10), 'lb/api']);
    });
  });

  it('lets a pool gather its changes while another is written', async () => {
    const world = slow();
    await running(world, async (at) => {
      await at(1);
      world.change('shop/web', ['10.0.0.1']);
      await at(8.6);
      world.change('shop/api', ['10.0.0.1']);
      await at(9);
      world.change('shop/api', ['10.0.0.2']);
      await at(25);
      expect(writes(world)).toEqual(['1.6s PUT lb/web 200', '9.2s PUT lb/api 200']);
      expect(world.pool('api')).toEqual(['10.0.0.2']);
    });
  });

  it('has a first change go before pools that change all the time and have not waited twice as long', async () => {
    const world = slow();
    const reconciling = Promise.withResolvers<void>();
    await running(world, async (at) => {
      await at(1);
      for (const service of ['shop/web', 'shop/shared'] as const) world.change(service, ['10.0.0.1']);
      await at(29);
      const other = world.serviceReconcileLock.run('services', () => reconciling.promise);
      await at(30);
      for (const service of ['shop/web', 'shop/shared'] as const) world.change(service, ['10.0.0.2']);
      await at(42);
      world.change('shop/api', ['10.0.0.3']);
      await at(59);
      reconciling.resolve();
      await other;
      await at(90);
      expect(writes(world).map((line) => line.split(' ')[2])).toEqual([
        'lb/web',
        'lb/shared',
        'lb/api',
        'lb/web',
        'lb/shared',
      ]);
    });
  });

  it('lets the reconciler of Services have its turn after a while, and goes on afterwards', async () => {
    const world = slow(20);
    await running(world, async (at) => {
      await at(1);
      for (const service of ['shop/web', 'shop/api', 'shop/shared'] as const) world.change(service, ['10.0.0.1']);
      await at(5);
      const services = world.serviceReconcileLock.run('services', async () => {
        expect([world.pool('web'), world.pool('api'), world.pool('shared')]).toEqual([['10.0.0.1'], ['10.0.0.1'], []]);
        expect(world.lease()).toMatchObject({ spec: { holderIdentity: '' } });
      });
      await at(58);
      await services;
      expect(writes(world).map((line) => line.split(' ')[2])).toEqual(['lb/web', 'lb/api', 'lb/shared']);
    });
  });

  it('gives the lock of the resources back after five minutes, however much there is to do', async () => {
    const world = slow(160);
    await running(world, async (at) => {
      await at(1);
      for (const service of ['shop/web', 'shop/api', 'shop/shared'] as const) world.change(service, ['10.0.0.1']);
      await at(600);
      const givenBack = world.api.requests.filter(({ body }) => JSON.stringify(body ?? '').includes('previous-holder'));
      expect([givenBack.length, world.pool('shared')]).toEqual([2, ['10.0.0.1']]);
    });
  });

  it('leads again once the pool was quiet for a whole interval', async () => {
    const world = leading();
    await running(world, async (at) => {
      await at(1);
      world.change('shop/web', ['10.0.0.1']);
      await at(31);
      world.change('shop/web', ['10.0.0.2']);
      await at(62);
      world.change('shop/web', ['10.0.0.3']);
      await at(100);
      expect(writes(world)).toEqual(['1.6s', '32s', '62.6s'].map((time) => `${time} PUT lb/web 200`));
      await at(120);
      world.change('shop/web', ['10.0.0.4']);
      await at(121);
      expect(writes(world)).toEqual(['120.6s PUT lb/web 200']);
    });
  });

  it('repeats an attempt an interval later, together with a fresh change of the pool', async () => {
    const world = leading();
    world.emulator.faults.next(put, { kind: 'refuse', status: 409, code: 'Conflict' });
    await running(world, async (at) => {
      await at(2);
      world.change('shop/web', ['10.0.0.1']);
      await at(20);
      world.change('shop/web', ['10.0.0.2']);
      expect(world.queue).toEqual(['web shop/web #1', 'web shop/web #0']);
      await at(40);
      expect(world.takeTimeline().filter((line) => !line.includes('GET'))).toEqual([
        '2.6s PUT lb/web 409 Conflict',
        `2.6s shop/web ${RETRYING}`,
        '33s PUT lb/web 200',
        `33s shop/web ${UPDATED}`,
      ]);
    });
  });

  it('takes out of the queue only the pools it leads with', async () => {
    const world = leading();
    world.emulator.faults.next({ ...put, name: 'lb/web' }, { kind: 'refuse', status: 412, code: 'Changed' });
    await running(world, async (at) => {
      await at(1);
      world.change('shop/web', ['10.0.0.1']);
      await at(2);
      world.change('shop/api', ['10.0.0.1']);
      await at(3);
      expect(world.queue).toEqual(['web shop/web #1']);
      expect(world.pool('api')).toEqual(['10.0.0.1']);
    });
  });

  it('leaves a throttled pool alone until it may be asked again, whatever changes meanwhile', async () => {
    const world = leading();
    const headers = { 'retry-after': '100' };
    world.emulator.faults.next(
      { ...put, method: 'GET' },
      { kind: 'refuse', status: 429, code: 'TooManyRequests', headers },
    );
    await running(world, async (at) => {
      await at(2);
      world.change('shop/web', ['10.0.0.1']);
      await at(60);
      world.change('shop/web', ['10.0.0.2']);
      await at(200);
      expect(world.takeTimeline().filter((line) => line.includes('lb/web'))).toEqual([
        '2.6s GET lb/web 429 TooManyRequests',
        '103s GET lb/web 200',
        '103s PUT lb/web 200',
      ]);
      expect(world.pool('web')).toEqual(['10.0.0.2']);
    });
  });

  it('gives a pool its interval when it changes again while it is written', async () => {
    const world = leading();
    world.emulator.faults.next(put, { kind: 'delay', milliseconds: 3_000 });
    await running(world, async (at) => {
      await at(2);
      world.change('shop/web', ['10.0.0.1']);
      await at(4);
      world.change('shop/web', ['10.0.0.2']);
      await at(60);
      expect(writes(world)).toEqual(['5.6s PUT lb/web 200', '33s PUT lb/web 200']);
      expect(world.pool('web')).toEqual(['10.0.0.2']);
    });
  });

  it('gives a fresh change its own interval when the attempt it came too late for is given up', async () => {
    const world = new UpdaterWorld({ leadingEdge: true, maxRetries: 0 });
    world.emulator.behave({ latency: { minimum: 2_000, maximum: 2_000 } });
    // A delay that is asked for this pool alone: the throttle gate stays open.
    const headers = { 'retry-after': '600' };
    world.emulator.faults.next(put, { kind: 'refuse', status: 429, code: 'RetryableError', headers });
    await running(world, async (at) => {
      await at(2);
      world.change('shop/web', ['10.0.0.1']);
      await at(4);
      world.change('shop/web', ['10.0.0.2']);
      await at(55);
      expect(writes(world)).toEqual(['5.6s PUT lb/web 429 RetryableError', '36s PUT lb/web 200']);
    });
  });

  it('leaves a pool to the tick when the lock of the resources is taken', async () => {
    const world = leading();
    world.holdElsewhere(20);
    await running(world, async (at) => {
      await at(2);
      world.change('shop/web', ['10.0.0.1']);
      await at(29);
      expect(world.takeCalls()).toEqual([]);
      await at(31);
      expect(writes(world)).toEqual(['30s PUT lb/web 200']);
    });
  });

  it('waits until the updater runs', async () => {
    const world = leading();
    world.change('shop/web', ['10.0.0.1']);
    await world.clock.advance(60_000);
    expect(world.takeCalls()).toEqual([]);
    await running(world, async (at) => {
      await at(61);
      expect(writes(world)).toEqual(['60s PUT lb/web 200']);
    });
  });

  it('waits for the tick when it is switched off', async () => {
    const world = new UpdaterWorld({ leadingEdge: false });
    await running(world, async (at) => {
      await at(1);
      world.change('shop/web', ['10.0.0.1']);
      await at(29.9);
      expect(world.takeCalls()).toEqual([]);
      await at(30);
      expect(writes(world)).toEqual(['30s PUT lb/web 200']);
    });
  });
});
