import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairleadError } from '../errors.ts';
import { VirtualClock } from '../time/virtual-clock.ts';
import { Journal, type JournalRecord } from './journal.ts';

function setUp(limits?: { keys: number; entriesPerKey: number }) {
  const clock = new VirtualClock({ startsAt: 0 });
  return { clock, journal: new Journal(clock, limits) };
}

/** Node gives it to new contexts while the flag is set. */
function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect !== 'function') throw new Error('there is no garbage collector to call');
  return () => void Reflect.apply(collect, undefined, []);
}

const note = (text: string): JournalRecord => ({ kind: 'note', text });

describe('journal', () => {
  it('tells of one object, oldest first, with the time', async () => {
    const { clock, journal } = setUp();
    journal.record('service a/web', { kind: 'state', state: 'creating', because: 'the Service is new' });
    await clock.advance(1000);
    journal.record('service a/web', { kind: 'waiting', for: 'an address', retryAt: 5000 });
    journal.record('service b/other', note('unrelated'));
    expect(journal.entries('service a/web')).toEqual([
      { kind: 'state', state: 'creating', because: 'the Service is new', at: 0, lastAt: 0, count: 1 },
      { kind: 'waiting', for: 'an address', retryAt: 5000, at: 1000, lastAt: 1000, count: 1 },
    ]);
    expect(journal.entries('service c/none')).toEqual([]);
  });

  it('says what an error was', () => {
    const { journal } = setUp();
    journal.recordError('a', new FairleadError('too many requests', { verdict: 'retriable', code: 'throttled' }));
    journal.recordError('a', 'a string');
    expect(journal.entries('a')).toMatchObject([
      { kind: 'error', code: 'throttled', verdict: 'retriable', message: 'too many requests' },
      { kind: 'error', code: 'unexpected', verdict: 'terminal', message: 'a string' },
    ]);
  });

  it('tells errors of one kind apart by what they say', () => {
    const { journal } = setUp();
    for (const name of ['one', 'two', 'one']) {
      journal.recordError('a', new FairleadError(`no route to ${name}`, { verdict: 'retriable', code: 'timeout' }));
    }
    expect(journal.entries('a')).toMatchObject([
      { message: 'no route to two', count: 1 },
      { message: 'no route to one', count: 2 },
    ]);
  });

  it('cuts what a talkative server says', () => {
    const { journal } = setUp();
    journal.recordError('a', new Error('x'.repeat(10_000)));
    expect(journal.entries('a')).toMatchObject([{ message: 'x'.repeat(500) }]);
  });

  it('cuts every text that others may have written', () => {
    const { journal } = setUp();
    const long = 'x'.repeat(10_000);
    journal.record('a', { kind: 'state', state: 'parked', because: long });
    journal.record('a', { kind: 'waiting', for: long });
    journal.record('a', note(long));
    journal.record('a', note(long));
    const kept = 'x'.repeat(500);
    expect(journal.entries('a')).toMatchObject([{ because: kept }, { for: kept }, { text: kept, count: 2 }]);
  });

  it('does not keep in memory what it cut off', () => {
    const { journal } = setUp();
    const collectGarbage = garbageCollector();
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let index = 0; index < 100; index += 1) {
      journal.recordError(`service ${index}`, new Error(`${index}: ${'x'.repeat(200_000)}`));
    }
    collectGarbage();
    expect(journal.keys()).toHaveLength(100);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(2_000_000);
  });

  it('folds a retry loop into one entry of each sort, with the latest values', async () => {
    const { clock, journal } = setUp();
    journal.record('a', note('begins'));
    for (let attempt = 1; attempt <= 50; attempt += 1) {
      journal.record('a', { kind: 'call', call: 'PUT pool', result: '503', milliseconds: attempt });
      journal.recordError('a', new Error('unavailable'));
      journal.record('a', { kind: 'waiting', for: 'the next attempt', retryAt: clock.now() + 10 });
      await clock.advance(10);
    }
    expect(journal.entries('a')).toEqual([
      expect.objectContaining({ text: 'begins' }),
      { kind: 'call', call: 'PUT pool', result: '503', milliseconds: 50, at: 0, lastAt: 490, count: 50 },
      expect.objectContaining({ code: 'unexpected', at: 0, lastAt: 490, count: 50 }),
      { kind: 'waiting', for: 'the next attempt', retryAt: 500, at: 0, lastAt: 490, count: 50 },
    ]);
  });

  it('completes a started step in place, and counts attempts', () => {
    const { journal } = setUp();
    const step = { kind: 'step', step: 'create-ip', call: 'PUT publicIPAddresses' } as const;
    journal.record('a', { ...step, outcome: 'started' });
    journal.record('a', { ...step, outcome: 'failed' });
    journal.record('a', { ...step, outcome: 'started' });
    expect(journal.entries('a')).toMatchObject([{ outcome: 'started', count: 2 }]);
    journal.record('a', { ...step, outcome: 'done' });
    expect(journal.entries('a')).toMatchObject([{ outcome: 'done', count: 2 }]);
  });

  it('does not fold what differs, nor what lies too far back', () => {
    const { journal } = setUp();
    journal.record('a', { kind: 'state', state: 'creating' });
    for (let index = 0; index < 9; index += 1) journal.record('a', note(`note ${index}`));
    journal.record('a', { kind: 'state', state: 'creating' });
    expect(journal.entries('a').map((entry) => entry.count)).toEqual(Array.from({ length: 11 }, () => 1));
  });

  it('keeps the newest entries of a key', () => {
    const { journal } = setUp({ keys: 10, entriesPerKey: 3 });
    for (const text of ['one', 'two', 'three', 'four']) journal.record('a', note(text));
    expect(journal.entries('a')).toMatchObject([{ text: 'two' }, { text: 'three' }, { text: 'four' }]);
  });

  it('drops the key that was touched least recently', () => {
    const { journal } = setUp({ keys: 2, entriesPerKey: 10 });
    journal.record('a', note('1'));
    journal.record('b', note('2'));
    journal.record('a', note('3'));
    journal.record('c', note('4'));
    expect(journal.keys()).toEqual(['a', 'c']);
    expect(journal.entries('b')).toEqual([]);
  });

  it('survives a round trip through JSON, and does not change under its reader', () => {
    const { journal } = setUp();
    journal.record('a', note('first'));
    const before = journal.entries('a');
    journal.record('a', note('second'));
    expect(before).toHaveLength(1);
    expect(JSON.parse(JSON.stringify(journal.entries('a')))).toEqual(journal.entries('a'));
  });

  it('stays within its limits and accounts for every record it still holds', () => {
    const record = fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd'),
      text: fc.constantFrom('x', 'y', 'z', 'w', 'v'),
    });
    fc.assert(
      fc.property(fc.array(record, { maxLength: 100, size: 'max' }), (records) => {
        const { journal } = setUp({ keys: 3, entriesPerKey: 4 });
        for (const { key, text } of records) journal.record(key, note(text));
        expect(journal.keys().length).toBeLessThanOrEqual(3);
        for (const key of journal.keys()) {
          const entries = journal.entries(key);
          expect(entries.length).toBeLessThanOrEqual(4);
          expect(entries.at(-1)).toMatchObject({ text: records.findLast((made) => made.key === key)?.text });
          const total = entries.reduce((sum, entry) => sum + entry.count, 0);
          expect(total).toBeLessThanOrEqual(records.filter((made) => made.key === key).length);
        }
        const last = records.at(-1);
        expect(journal.keys().at(-1)).toBe(last?.key);
      }),
    );
  });
});
