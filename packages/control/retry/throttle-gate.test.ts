import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MetricDefinition, Metrics } from '../report/metrics.ts';
import { noMetrics } from '../report/metrics.ts';
import { VirtualClock } from '../time/virtual-clock.ts';
import { ThrottleGate, throttleGateMetrics } from './throttle-gate.ts';

function setUp() {
  const clock = new VirtualClock({ startsAt: 1_000_000 });
  return { clock, gate: new ThrottleGate('subscription a', clock, noMetrics) };
}

/** Sends so many callers to the gate and notes who got through when. */
function arrive(clock: VirtualClock, gate: ThrottleGate, count: number): { caller: number; at: number }[] {
  const through: { caller: number; at: number }[] = [];
  for (let caller = 0; caller < count; caller += 1) {
    void gate.wait().then(() => through.push({ caller, at: clock.monotonic() }));
  }
  return through;
}

describe('throttle gate', () => {
  it('lets every call through while it is open', async () => {
    const { gate } = setUp();
    await gate.wait();
    gate.refuse();
    expect(gate.state()).toEqual({ kind: 'open' });
  });

  it('holds those who wait until its time is over', async () => {
    const { clock, gate } = setUp();
    gate.closeFor(5000);
    const through = arrive(clock, gate, 1);
    await clock.advance(4999);
    expect(through).toEqual([]);
    expect(gate.state()).toEqual({ kind: 'closed', reopensAt: 1_005_000, waiting: 1 });
    await clock.advance(1);
    expect(through).toEqual([{ caller: 0, at: 5000 }]);
    expect(gate.state()).toEqual({ kind: 'open' });
  });

  it('refuses at once with a retriable error that carries no time', () => {
    const { gate } = setUp();
    gate.closeFor(5000);
    expect(() => gate.refuse()).toThrowError(
      expect.objectContaining({
        verdict: 'retriable',
        code: 'throttle-gate-closed',
        retryAfterMilliseconds: undefined,
        message: expect.not.stringMatching(/\d/),
      }),
    );
  });

  it('keeps the later end when it is closed again', async () => {
    const { clock, gate } = setUp();
    gate.closeFor(5000);
    const through = arrive(clock, gate, 1);
    gate.closeFor(1000);
    await clock.advance(2000);
    gate.closeFor(6000);
    await clock.advance(5999);
    expect(through).toEqual([]);
    await clock.advance(1);
    expect(through).toEqual([{ caller: 0, at: 8000 }]);
  });

  it.each([0, -1, Number.NaN])('is not closed by a pause of %d', (milliseconds) => {
    const { gate } = setUp();
    gate.closeFor(milliseconds);
    expect(gate.state()).toEqual({ kind: 'open' });
  });

  it('lets waiters out in order, in waves that grow', async () => {
    const { clock, gate } = setUp();
    gate.closeFor(1000);
    const through = arrive(clock, gate, 12);
    await clock.advance(1100);
    expect(gate.state()).toEqual({ kind: 'reopening', waiting: 9 });
    await clock.advance(1000);
    expect(through.map(({ caller }) => caller)).toEqual(Array.from({ length: 12 }, (_, caller) => caller));
    const waves = Map.groupBy(through, ({ at }) => at);
    expect([...waves].map(([at, callers]) => [at, callers.length])).toEqual([
      [1000, 1],
      [1100, 2],
      [1200, 4],
      [1300, 5],
    ]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('sends a single one ahead again when it is closed while it lets waiters out', async () => {
    const { clock, gate } = setUp();
    gate.closeFor(1000);
    const through = arrive(clock, gate, 10);
    await clock.advance(1150);
    expect(through).toHaveLength(3);
    gate.closeFor(2000);
    await clock.advance(1999);
    expect(through).toHaveLength(3);
    await clock.advance(1);
    expect(through).toHaveLength(4);
    await clock.advance(1000);
    expect(through).toHaveLength(10);
  });

  it('makes newcomers queue behind those who waited', async () => {
    const { clock, gate } = setUp();
    gate.closeFor(1000);
    const early = arrive(clock, gate, 3);
    await clock.advance(1000);
    const late = arrive(clock, gate, 1);
    await clock.advance(100);
    expect([early.length, late.length]).toEqual([3, 0]);
    await clock.advance(100);
    expect(late).toHaveLength(1);
  });

  it('lets a waiter go away, with the reason, and without holding up the others', async () => {
    const { clock, gate } = setUp();
    gate.closeFor(1000);
    const controller = new AbortController();
    const leaving = gate.wait(controller.signal);
    const through = arrive(clock, gate, 1);
    controller.abort(new Error('stopped'));
    await expect(leaving).rejects.toThrow('stopped');
    await clock.advance(1000);
    expect(through).toEqual([{ caller: 0, at: 1000 }]);
    await expect(gate.wait(AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
  });

  it('leaves no timer behind when the last who waited goes away, and holds those who come later', async () => {
    const { clock, gate } = setUp();
    gate.closeFor(3_600_000);
    const controller = new AbortController();
    const leaving = gate.wait(controller.signal);
    controller.abort(new Error('stopped'));
    await expect(leaving).rejects.toThrow('stopped');
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(1000);
    const through = arrive(clock, gate, 1);
    await clock.advance(3_600_000);
    expect(through).toEqual([{ caller: 0, at: 3_600_000 }]);
  });

  it('leaves no listener behind at the signal of who got through', async () => {
    const { clock, gate } = setUp();
    const { signal } = new AbortController();
    gate.closeFor(5000);
    const waiting = gate.wait(signal);
    await clock.advance(5000);
    await waiting;
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('does not care about the wall clock', async () => {
    const { clock, gate } = setUp();
    gate.closeFor(1000);
    clock.jumpWall(-3_600_000);
    await clock.advance(1000);
    expect(gate.state()).toEqual({ kind: 'open' });
  });

  it('counts what it does', () => {
    const log: string[] = [];
    const note = (word: string) => (definition: MetricDefinition) => void log.push(`${word} ${definition.name}`);
    const metrics: Metrics = {
      declare: note('declare'),
      increment: note('increment'),
      set: (definition, value, labels) => void log.push(`set ${definition.name} ${value} ${labels?.['gate']}`),
      observe: note('observe'),
    };
    const gate = new ThrottleGate('a', new VirtualClock({ startsAt: 1_000_000 }), metrics);
    expect(log.splice(0)).toEqual(throttleGateMetrics.map(({ name }) => `declare ${name}`));
    gate.closeFor(5000);
    expect(() => gate.refuse()).toThrow('asked us to slow down');
    expect(log).toEqual([
      'increment fairlead_throttle_gate_closures_total',
      'set fairlead_throttle_gate_reopens_timestamp_seconds 1005 a',
      'increment fairlead_throttle_gate_refusals_total',
    ]);
  });

  it('never lets a call through before its time, and every call after, whatever happens', async () => {
    const command = fc.oneof(
      fc.record({ kind: fc.constant('close' as const), amount: fc.integer({ min: 0, max: 3000 }) }),
      fc.record({ kind: fc.constant('arrive' as const), amount: fc.integer({ min: 1, max: 5 }) }),
      fc.record({ kind: fc.constant('advance' as const), amount: fc.integer({ min: 0, max: 2000 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 30, size: 'max' }), async (commands) => {
        const { clock, gate } = setUp();
        let closedUntil = 0;
        let arrived = 0;
        /** How long after the gate's time each caller got through. */
        const margins: number[] = [];
        for (const { kind, amount } of commands) {
          if (kind === 'close') {
            gate.closeFor(amount);
            closedUntil = Math.max(closedUntil, clock.monotonic() + amount);
          } else if (kind === 'arrive') {
            arrived += amount;
            for (let count = 0; count < amount; count += 1) {
              void gate.wait().then(() => margins.push(clock.monotonic() - closedUntil));
            }
          }
          await clock.advance(kind === 'advance' ? amount : 0);
        }
        await clock.advance(20_000);
        expect(margins).toHaveLength(arrived);
        expect(Math.min(0, ...margins)).toBe(0);
        expect(gate.state()).toEqual({ kind: 'open' });
      }),
    );
  });
});
