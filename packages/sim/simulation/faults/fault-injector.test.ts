import { describe, expect, it } from 'vitest';
import { RandomStreams } from '../kernel/random-streams.ts';
import { type Call, CallBook } from '../network/call.ts';
import { FaultInjector } from './fault-injector.ts';

const target = { streaming: false, repeatable: true, write: true, refusals: [409, 500], streamErrors: [410] };

function calls(count: number, name = 'update', more: Partial<typeof target> = {}): Call[] {
  const book = new CallBook();
  return Array.from({ length: count }, () => book.enter('a', 'b', { name, subject: 'x' }, { ...target, ...more }));
}

/** Over many seeds, since each of them has only some of the kinds. */
function strike(list: readonly Call[], rates: Record<string, number>): number {
  let struck = 0;
  for (let seed = 0; seed < 1000; seed += 1) {
    const injector = new FaultInjector(new RandomStreams(seed), [{ rates }]);
    struck += list.filter((call) => injector.decide(call) !== undefined).length;
  }
  return struck / 1000 / list.length;
}

describe('the fault injector', () => {
  it('strikes about as often as the rate says, over all seeds', () => {
    const share = strike(calls(50), { 'lose-request': 0.02 });
    expect(share).toBeGreaterThan(0.017);
    expect(share).toBeLessThan(0.023);
    expect(strike(calls(50), {})).toBe(0);
  });

  it('gives each seed only some of the kinds', () => {
    const rates = { 'lose-request': 0.05, 'lose-response': 0.05, delay: 0.05, refuse: 0.05 };
    const sets = Array.from({ length: 50 }, (_, seed) => {
      const injector = new FaultInjector(new RandomStreams(seed), [{ rates }]);
      for (const call of calls(500)) injector.decide(call);
      return new Set(injector.injected.map(({ fault }) => fault.kind)).size;
    });
    expect(new Set(sets)).toEqual(new Set([0, 1, 2, 3, 4]));
  });

  it('decides the same for a call whatever other calls there were', () => {
    const injector = () => new FaultInjector(new RandomStreams(9), [{ rates: { delay: 0.3, refuse: 0.3 } }]);
    const alone = injector();
    const list = calls(100);
    const expected = list.map((call) => alone.decide(call));
    const crowded = injector();
    const found = list.map((call) => {
      for (const other of calls(3, `other ${call.ordinal}`)) crowded.decide(other);
      return crowded.decide(call);
    });
    expect(found).toEqual(expected);
    expect(found.some((fault) => fault !== undefined)).toBe(true);
  });

  it('takes the first rule that matches', () => {
    const policy = [{ matches: (call: Call) => call.name === 'renew', rates: {} }, { rates: { 'lose-request': 1 } }];
    const struck = Array.from({ length: 20 }, (_, seed) => {
      const injector = new FaultInjector(new RandomStreams(seed), policy);
      expect(calls(20, 'renew').every((call) => injector.decide(call) === undefined)).toBe(true);
      return calls(20).filter((call) => injector.decide(call) !== undefined).length;
    });
    expect(struck.some((count) => count > 10)).toBe(true);
  });

  it('asks of a call only what makes sense for it', () => {
    const rates = { cut: 0.1, stall: 0.1, 'stream-error': 0.1, duplicate: 0.1, refuse: 0.1, misreport: 0.1 };
    const kindsFor = (more: Partial<typeof target>) => {
      const kinds = new Set<string>();
      for (let seed = 0; seed < 100; seed += 1) {
        const injector = new FaultInjector(new RandomStreams(seed), [{ rates }]);
        for (const call of calls(50, 'any', more)) injector.decide(call);
        for (const { fault } of injector.injected) kinds.add(fault.kind);
      }
      return [...kinds].sort();
    };
    expect(kindsFor({})).toEqual(['cut', 'duplicate', 'misreport', 'refuse']);
    expect(kindsFor({ write: false, repeatable: false, refusals: [] })).toEqual(['cut']);
    expect(kindsFor({ streaming: true, write: false })).toEqual([
      'cut',
      'duplicate',
      'refuse',
      'stall',
      'stream-error',
    ]);
  });

  it('strikes where it was told to, whatever the rates, even after it stopped', () => {
    const fault = { kind: 'lose-request' } as const;
    const injector = new FaultInjector(new RandomStreams(1), [], [{ call: 'a > b: update x #2', fault }]);
    injector.place('a > b: update x #4', fault);
    const list = calls(5);
    expect(list.slice(0, 3).map((call) => injector.decide(call))).toEqual([undefined, fault, undefined]);
    injector.stop();
    expect(list.slice(3).map((call) => injector.decide(call))).toEqual([fault, undefined]);
    expect(injector.injected).toEqual([
      { call: 'a > b: update x #2', fault },
      { call: 'a > b: update x #4', fault },
    ]);
  });

  it('strikes no more once stopped', () => {
    for (let seed = 0; seed < 20; seed += 1) {
      const injector = new FaultInjector(new RandomStreams(seed), [{ rates: { 'lose-request': 1 } }]);
      injector.stop();
      expect(calls(20).every((call) => injector.decide(call) === undefined)).toBe(true);
    }
  });
});
