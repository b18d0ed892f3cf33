import { describe, expect, it } from 'vitest';
import { RETRYING, UPDATED, UpdaterWorld } from '../testing/updater-world.ts';

const put = { method: 'PUT', kind: 'backendAddressPools' } as const;
const leading = () => new UpdaterWorld({ leadingEdge: true });

/** Runs the updater until the end of the test. */
async function running(world: UpdaterWorld, play: (at: (seconds: number) => Promise<void>) => Promise<void>) {
  const run = world.updater.run(world.stop.signal);
  await play((seconds) => world.clock.advance(seconds * 1000 - world.clock.monotonic()));
  world.stop.abort(new Error('the test is over'));
  await run;
}
const writes = (world: UpdaterWorld) => world.takeTimeline().filter((line) => line.includes('PUT'));

describe('the leading edge', () => {
  it('sends the first change of a quiet pool at once, together with those that come with it', async () => {
    const world = leading();
    await running(world, async (at) => {
      await at(7);
      world.change('shop/web', ['10.0.0.1']);
      await at(7.2);
      world.change('shop/web', ['10.0.0.1', '10.0.0.2']);
      world.change('shop/api', ['10.0.0.3']);
      await at(8);
      expect(world.takeTimeline()).toEqual([
        '7.3s GET lb/web 200',
        '7.3s PUT lb/web 200',
        '7.3s GET lb/api 200',
        '7.3s PUT lb/api 200',
        `7.3s shop/web ${UPDATED}`,
        `7.3s shop/api ${UPDATED}`,
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
      expect(writes(world)).toEqual(
        ['5.3s', '35.5s', '65.5s', '95.5s', '125.5s'].map((time) => `${time} PUT lb/web 200`),
      );
      expect(world.pool('web')).toEqual(['10.0.0.119']);
    });
  });

  it('takes along what came due while it waited for its turn, load balancers side by side', async () => {
    const world = leading();
    world.emulator.behave({ operationTime: { minimum: 5_000, maximum: 5_000 } });
    await running(world, async (at) => {
      await at(1);
      world.change('shop/web', ['10.0.0.1']);
      await at(2);
      world.change('shop/api', ['10.0.0.1']);
      await at(3);
      world.change('shop/shared', ['10.0.0.1']);
      await at(4);
      world.change('shop/other', ['10.0.0.1'], 'web', 'lb-2');
      await at(60);
      const lines = writes(world);
      const secondOf = (pool: string) => Number.parseInt(lines.find((line) => line.includes(`PUT ${pool}`)) ?? '', 10);
      expect(lines).toHaveLength(4);
      expect(secondOf('lb-2/web ')).toBe(secondOf('lb/api '));
      expect(secondOf('lb/shared ')).toBeLessThan(secondOf('lb/api ') + 10);
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
      expect(writes(world)).toEqual(['1.3s', '31.5s', '62.3s'].map((time) => `${time} PUT lb/web 200`));
      await at(120);
      world.change('shop/web', ['10.0.0.4']);
      await at(121);
      expect(writes(world)).toEqual(['120.3s PUT lb/web 200']);
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
        '2.3s PUT lb/web 409 Conflict',
        `2.3s shop/web ${RETRYING}`,
        '32.5s PUT lb/web 200',
        `32.5s shop/web ${UPDATED}`,
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
        '2.3s GET lb/web 429 TooManyRequests',
        '102.5s GET lb/web 200',
        '102.5s PUT lb/web 200',
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
      expect(writes(world)).toEqual(['5.3s PUT lb/web 200', '32.5s PUT lb/web 200']);
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
      expect(writes(world)).toEqual(['5.3s PUT lb/web 429 RetryableError', '35.5s PUT lb/web 200']);
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
      expect(writes(world)).toEqual(['60.3s PUT lb/web 200']);
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
