import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../random.ts';
import { sleep } from '../time/clock.ts';
import { VirtualClock } from '../time/virtual-clock.ts';
import { Lanes } from './lanes.ts';

function setUp(slots: number) {
  const clock = new VirtualClock();
  const lanes = new Lanes(slots);
  const log: string[] = [];
  /** A task that takes 10 ms and notes when it starts. */
  const work = (name: string) => async () => {
    log.push(`${name} at ${clock.monotonic()}`);
    await sleep(clock, 10);
  };
  return { clock, lanes, log, work };
}

describe('lanes', () => {
  it('runs at most so many tasks at once', async () => {
    const { clock, lanes, log, work } = setUp(2);
    const done = ['a', 'b', 'c', 'd', 'e'].map((key) => lanes.run(key, work(key)));
    expect([lanes.running, lanes.waiting]).toEqual([2, 3]);
    await clock.advance(30);
    await Promise.all(done);
    expect(log).toEqual(['a at 0', 'b at 0', 'c at 10', 'd at 10', 'e at 20']);
    expect([lanes.running, lanes.waiting]).toEqual([0, 0]);
  });

  it('runs tasks of one key in order and never together', async () => {
    const { clock, lanes, log, work } = setUp(5);
    for (const name of ['first', 'second', 'third']) void lanes.run('a', work(name));
    await clock.advance(30);
    expect(log).toEqual(['first at 0', 'second at 10', 'third at 20']);
  });

  it('lets keys take turns', async () => {
    const { clock, lanes, log, work } = setUp(1);
    for (const name of ['a1', 'a2', 'a3']) void lanes.run('a', work(name));
    void lanes.run('b', work('b1'));
    await clock.advance(40);
    expect(log).toEqual(['a1 at 0', 'b1 at 10', 'a2 at 20', 'a3 at 30']);
  });

  it('settles as the task does, and goes on after a failure', async () => {
    const lanes = new Lanes(1);
    const failing = lanes.run('a', () => Promise.reject(new Error('refused')));
    const throwing = lanes.run('a', () => {
      throw new Error('a defect');
    });
    const answer = lanes.run('a', () => Promise.resolve(42));
    await expect(failing).rejects.toThrow('refused');
    await expect(throwing).rejects.toThrow('a defect');
    expect(await answer).toBe(42);
  });

  it('takes back a task that has not started when its signal aborts', async () => {
    const { clock, lanes, log, work } = setUp(1);
    void lanes.run('a', work('a1'));
    const controllers = ['a', 'b'].map((key) => {
      const controller = new AbortController();
      return { controller, promise: lanes.run(key, work(`${key} aborted`), controller.signal) };
    });
    void lanes.run('a', work('a2'));
    void lanes.run('b', work('b1'));
    for (const { controller, promise } of controllers) {
      controller.abort(new Error('not wanted'));
      await expect(promise).rejects.toThrow('not wanted');
    }
    await clock.advance(100);
    expect(log).toEqual(['a1 at 0', 'b1 at 10', 'a2 at 20']);
  });

  it('leaves a running task to its own devices when its signal aborts', async () => {
    const { clock, lanes } = setUp(1);
    const controller = new AbortController();
    const running = lanes.run('a', () => sleep(clock, 10).then(() => 'finished'), controller.signal);
    controller.abort();
    await clock.advance(10);
    expect(await running).toBe('finished');
    await expect(lanes.run('a', () => Promise.resolve(), AbortSignal.abort(new Error('late')))).rejects.toThrow('late');
  });

  it('drains when it closes: running tasks finish, the rest is refused, nothing new starts', async () => {
    const { clock, lanes, log, work } = setUp(1);
    const running = lanes.run('a', work('a1'));
    const aside = lanes.run('b', work('b1'));
    const behind = lanes.run('a', work('a2'));
    let closed = false;
    const closing = lanes.close().then(() => {
      closed = true;
      return closed;
    });
    const refusal = { verdict: 'retriable', code: 'lanes-closed' };
    await expect(behind).rejects.toMatchObject(refusal);
    await expect(aside).rejects.toMatchObject(refusal);
    await expect(lanes.run('c', work('c'))).rejects.toMatchObject(refusal);
    expect(closed).toBe(false);
    await clock.advance(10);
    await running;
    await closing;
    await lanes.close();
    expect(log).toEqual(['a1 at 0']);
  });

  it('closes at once when there is nothing to do', async () => {
    await expect(new Lanes(3).close()).resolves.toBeUndefined();
  });

  it.each([0, -1, 1.5, Number.NaN])('refuses to be made with %d slots', (slots) => {
    expect(() => new Lanes(slots)).toThrow('at least one slot');
  });

  it('keeps every promise under random load: limits, order within a key, no task lost', async () => {
    const task = fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd'),
      delay: fc.integer({ min: 0, max: 20 }),
      abortsAt: fc.option(fc.integer({ min: 0, max: 60 })),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(task, { maxLength: 40, size: 'max' }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer(),
        async (tasks, slots, seed) => {
          const clock = new VirtualClock({ tiebreak: seededRandom(seed) });
          const lanes = new Lanes(slots);
          const started: Record<string, number[]> = {};
          const activeKeys = new Set<string>();
          const faults: string[] = [];
          let active = 0;
          const settled = tasks.map(({ key, delay, abortsAt }, index) => {
            const controller = new AbortController();
            if (abortsAt !== null) clock.setTimer(abortsAt, () => controller.abort());
            const run = lanes.run(
              key,
              async () => {
                if (activeKeys.has(key)) faults.push(`two of ${key} together`);
                activeKeys.add(key);
                (started[key] ??= []).push(index);
                active += 1;
                if (active > slots) faults.push(`${active} at once`);
                await sleep(clock, delay);
                active -= 1;
                activeKeys.delete(key);
              },
              controller.signal,
            );
            return run.then(
              () => 'finished',
              () => 'aborted',
            );
          });
          await clock.advance(5000);
          const outcomes = await Promise.all(settled);
          expect(faults).toEqual([]);
          for (const order of Object.values(started)) expect(order).toEqual(order.toSorted((x, y) => x - y));
          expect(outcomes.filter((outcome) => outcome === 'finished')).toHaveLength(
            Object.values(started).flat().length,
          );
          expect([lanes.running, lanes.waiting]).toEqual([0, 0]);
        },
      ),
    );
  });
});
