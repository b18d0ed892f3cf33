import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../random.ts';
import { sleep } from './clock.ts';
import { VirtualClock } from './virtual-clock.ts';

/** The order in which 20 timers of one instant fire under a seed. */
async function orderUnder(seed: number): Promise<number[]> {
  const clock = new VirtualClock({ tiebreak: seededRandom(seed) });
  const fired: number[] = [];
  for (let number = 0; number < 20; number += 1) clock.setTimer(5, () => void fired.push(number));
  await clock.advance(5);
  return fired;
}

describe('virtual clock', () => {
  it('fires timers by due time, and equal ones in the order in which they were set', async () => {
    const clock = new VirtualClock();
    const fired: string[] = [];
    clock.setTimer(20, () => void fired.push(`late at ${clock.monotonic()}`));
    clock.setTimer(10, () => void fired.push(`first at ${clock.monotonic()}`));
    clock.setTimer(10, () => void fired.push(`second at ${clock.monotonic()}`));
    await clock.advance(15);
    expect(fired).toEqual(['first at 10', 'second at 10']);
    expect(clock.monotonic()).toBe(15);
    await clock.advance(5);
    expect(fired).toEqual(['first at 10', 'second at 10', 'late at 20']);
  });

  it('drains promise work of any depth between two timers', async () => {
    const clock = new VirtualClock();
    const log: string[] = [];
    const worker = async () => {
      await sleep(clock, 10);
      for (let depth = 0; depth < 100; depth += 1) await Promise.resolve();
      log.push('worker done');
    };
    const working = worker();
    await clock.advance(0);
    clock.setTimer(10, () => void log.push('next timer'));
    await clock.advance(10);
    await working;
    expect(log).toEqual(['worker done', 'next timer']);
  });

  it('fires timers that are set while time passes, if they come due in it', async () => {
    const clock = new VirtualClock();
    const seen: number[] = [];
    const repeat = () => {
      seen.push(clock.monotonic());
      clock.setTimer(10, repeat);
    };
    clock.setTimer(10, repeat);
    await clock.advance(35);
    expect(seen).toEqual([10, 20, 30]);
    expect(clock.untilNextTimer()).toBe(5);
  });

  it('forgets cancelled timers, and cancelling again does nothing', async () => {
    const clock = new VirtualClock();
    const timer = clock.setTimer(10, () => expect.unreachable('the timer was cancelled'));
    timer.cancel();
    timer.cancel();
    expect(clock.pendingTimers).toBe(0);
    expect(clock.untilNextTimer()).toBeUndefined();
    await clock.advance(100);
  });

  it('takes a negative delay and no number at all as no delay', async () => {
    const clock = new VirtualClock();
    const fired: string[] = [];
    clock.setTimer(-5, () => void fired.push('negative'));
    clock.setTimer(Number.NaN, () => void fired.push('no number'));
    await clock.advance(0);
    expect(fired).toEqual(['negative', 'no number']);
    expect(clock.monotonic()).toBe(0);
  });

  it('moves on by every delay, also one that is lost in rounding', async () => {
    const clock = new VirtualClock();
    await clock.advance(243_402.125);
    const deadline = clock.monotonic() + 1e-9;
    const wait = () => {
      if (clock.monotonic() < deadline) clock.setTimer(1e-11, wait);
    };
    wait();
    await clock.advance(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('never fires a timer without end', async () => {
    const clock = new VirtualClock();
    clock.setTimer(Number.POSITIVE_INFINITY, () => expect.unreachable('infinity never comes'));
    expect(await clock.runNext()).toBe(false);
  });

  it('runs one timer at a time', async () => {
    const clock = new VirtualClock();
    const fired: string[] = [];
    clock.setTimer(1000, () => void fired.push('b'));
    clock.setTimer(500, () => void fired.push('a'));
    expect(await clock.runNext()).toBe(true);
    expect(fired).toEqual(['a']);
    expect(clock.monotonic()).toBe(500);
    expect(await clock.runNext()).toBe(true);
    expect(await clock.runNext()).toBe(false);
    expect(clock.monotonic()).toBe(1000);
  });

  it('stops as soon as the condition holds', async () => {
    const clock = new VirtualClock();
    let count = 0;
    const repeat = () => {
      count += 1;
      clock.setTimer(10, repeat);
    };
    repeat();
    expect(await clock.runUntil(() => count === 4, 1000)).toBe(true);
    expect(clock.monotonic()).toBe(30);
  });

  it('gives up on a condition at the limit, with the time gone by', async () => {
    const clock = new VirtualClock();
    clock.setTimer(70, () => {});
    expect(await clock.runUntil(() => false, 50)).toBe(false);
    expect(clock.monotonic()).toBe(50);
    expect(await clock.runUntil(() => clock.monotonic() === 100, 50)).toBe(true);
  });

  it('turns without time passing, and lets timers that are due go first', async () => {
    const clock = new VirtualClock();
    const log: string[] = [];
    clock.setTimer(0, () => void log.push('due'));
    const turned = clock.turn().then(() => log.push(`turned at ${clock.monotonic()}`));
    await clock.advance(0);
    await turned;
    expect(log).toEqual(['due', 'turned at 0']);
  });

  it('lets the wall clock of a suspended process run, and nothing else of it', async () => {
    const world = new VirtualClock({ startsAt: 1_000_000 });
    const process = world.process();
    const fired: number[] = [];
    process.setTimer(100, () => void fired.push(process.monotonic()));
    await world.advance(40);
    process.suspend();
    process.suspend();
    await world.advance(500);
    expect([process.monotonic(), process.now(), process.state]).toEqual([40, 1_000_540, 'paused']);
    process.setTimer(10, () => void fired.push(process.monotonic()));
    process.wake();
    process.wake();
    await world.advance(59);
    expect(fired).toEqual([50]);
    await world.advance(1);
    expect(fired).toEqual([50, 100]);
  });

  it('stays frozen until it is neither paused nor suspended', async () => {
    const world = new VirtualClock();
    const process = world.process();
    process.setTimer(10, () => {});
    process.pause();
    process.suspend();
    process.resume();
    expect([process.state, world.pendingTimers]).toEqual(['paused', 0]);
    process.pause();
    process.wake();
    expect([process.state, world.pendingTimers]).toEqual(['paused', 0]);
    process.resume();
    process.resume();
    expect([process.state, world.pendingTimers]).toEqual(['running', 1]);
  });

  it('lets both clocks of a process run faster or slower, and its timers with them', async () => {
    const world = new VirtualClock({ startsAt: 0 });
    const process = world.process(0, 2);
    let firedAt = 0;
    process.setTimer(100, () => (firedAt = world.monotonic()));
    await world.advance(30);
    expect([process.monotonic(), process.now()]).toEqual([60, 60]);
    process.drift(0.5);
    await world.advance(79);
    expect(firedAt).toBe(0);
    await world.advance(1);
    expect(firedAt).toBe(110);
    expect([process.monotonic(), process.now(), process.wallSkew]).toEqual([100, 100, -10]);
  });

  it('jumps the wall without touching durations', async () => {
    const clock = new VirtualClock({ startsAt: 1_000_000 });
    let firedAt = 0;
    clock.setTimer(100, () => {
      firedAt = clock.now();
    });
    clock.jumpWall(-500);
    expect(clock.now()).toBe(999_500);
    expect(clock.monotonic()).toBe(0);
    await clock.advance(100);
    expect(firedAt).toBe(999_600);
  });

  it('explores other orders of equal timers under a seed, the same for the same seed', async () => {
    const orders = await Promise.all([1, 1, 2, 3].map(orderUnder));
    expect(orders[0]).toEqual(orders[1]);
    expect(new Set(orders.map((order) => order.join()))).toHaveLength(3);
    for (const order of orders)
      expect(order.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n));
  });

  it('names a livelock instead of hanging', async () => {
    const clock = new VirtualClock({ timersPerInstant: 100 });
    const spin = () => void clock.setTimer(0, spin);
    spin();
    await expect(clock.advance(1)).rejects.toThrow('100 timers fired at one instant');
  });

  it('passes on what a timer throws, and can be driven on', async () => {
    const clock = new VirtualClock();
    clock.setTimer(1, () => {
      throw new Error('a defect');
    });
    await expect(clock.advance(10)).rejects.toThrow('a defect');
    await clock.advance(10);
    expect(clock.monotonic()).toBe(11);
  });

  it('refuses to be driven twice at the same time', async () => {
    const clock = new VirtualClock();
    const first = clock.advance(10);
    await expect(clock.advance(10)).rejects.toThrow('already being driven');
    await first;
    expect(clock.monotonic()).toBe(10);
  });

  it('uses the drain it was given', async () => {
    let drains = 0;
    const clock = new VirtualClock({
      drain: () => {
        drains += 1;
        return Promise.resolve();
      },
    });
    clock.setTimer(1, () => {});
    clock.setTimer(2, () => {});
    await clock.advance(5);
    expect(drains).toBe(3);
  });

  it('fires exactly the timers that were not cancelled, in order, whatever was set and cancelled', async () => {
    const commands = fc.array(
      fc.record({ delay: fc.integer({ min: 0, max: 50 }), cancels: fc.option(fc.nat({ max: 200 })) }),
      { maxLength: 200, size: 'max' },
    );
    await fc.assert(
      fc.asyncProperty(commands, async (list) => {
        const clock = new VirtualClock({ drain: () => Promise.resolve() });
        const fired: { due: number; index: number }[] = [];
        const cancelled = new Set<number>();
        const timers = list.map(({ delay }, index) =>
          clock.setTimer(delay, () => void fired.push({ due: delay, index })),
        );
        for (const { cancels } of list) {
          if (cancels === null) continue;
          timers[cancels]?.cancel();
          cancelled.add(cancels);
        }
        await clock.advance(50);
        const expected = list
          .map(({ delay }, index) => ({ due: delay, index }))
          .filter(({ index }) => !cancelled.has(index))
          .toSorted((left, right) => left.due - right.due || left.index - right.index);
        expect(fired).toEqual(expected);
        expect(clock.pendingTimers).toBe(0);
      }),
    );
  });
});

describe('process clock', () => {
  it('has its own wall clock, and measures from its own start', async () => {
    const world = new VirtualClock({ startsAt: 5000 });
    await world.advance(100);
    const early = world.process();
    await world.advance(20);
    const skewed = world.process(-3000);
    expect([early.now(), skewed.now()]).toEqual([5120, 2120]);
    expect([early.monotonic(), skewed.monotonic()]).toEqual([20, 0]);
    skewed.jumpWall(1000);
    world.jumpWall(10);
    expect([early.now(), skewed.now()]).toEqual([5130, 3130]);
  });

  it('never fires a timer again once killed, nor resolves a turn', async () => {
    const world = new VirtualClock();
    const killed = world.process();
    const survivor = world.process();
    const log: string[] = [];
    for (const [name, process] of Object.entries({ killed, survivor })) {
      process.setTimer(10, () => void log.push(`${name} timer`));
      void process.turn().then(() => log.push(`${name} turn`));
    }
    killed.kill();
    killed.setTimer(10, () => void log.push('set after death')).cancel();
    killed.setTimer(10, () => void log.push('set after death'));
    void killed.turn().then(() => log.push('turn after death'));
    expect(killed.state).toBe('killed');
    expect(world.pendingTimers).toBe(2);
    await world.advance(100);
    expect(log).toEqual(['survivor turn', 'survivor timer']);
  });

  it('cannot be brought back by resuming', async () => {
    const world = new VirtualClock();
    const process = world.process();
    process.setTimer(1, () => expect.unreachable('it was killed'));
    process.pause();
    process.kill();
    process.resume();
    expect(process.state).toBe('killed');
    await world.advance(10);
  });

  it('can be killed by a timer of another process at the same instant', async () => {
    const world = new VirtualClock();
    const victim = world.process();
    world.process().setTimer(10, () => victim.kill());
    victim.setTimer(10, () => expect.unreachable('it was killed first'));
    await world.advance(10);
    expect(world.pendingTimers).toBe(0);
  });

  it('sleeps through a pause and then fires what came due, the earliest first, without turning time back', async () => {
    const world = new VirtualClock();
    const process = world.process();
    const log: string[] = [];
    const note = (text: string) => () => void log.push(`${text} at ${world.monotonic()}`);
    process.setTimer(20, note('due second'));
    process.setTimer(10, note('due first'));
    process.setTimer(200, note('due later'));
    const cancelled = process.setTimer(30, note('cancelled'));
    process.pause();
    process.setTimer(5, note('set while paused'));
    world.setTimer(50, note('world'));
    await world.advance(100);
    cancelled.cancel();
    expect(log).toEqual(['world at 50']);
    process.resume();
    await world.advance(100);
    expect(log).toEqual([
      'world at 50',
      'set while paused at 100',
      'due first at 100',
      'due second at 100',
      'due later at 200',
    ]);
  });

  it('lets go of timers that have fired', async () => {
    const world = new VirtualClock();
    const process = world.process();
    let fired = 0;
    process.setTimer(1, () => {
      fired += 1;
    });
    await world.advance(1);
    process.pause();
    process.resume();
    await world.advance(10);
    expect(fired).toBe(1);
  });
});
