import { FairleadError, noMetrics, seededRandom, silentLogger, VirtualClock } from '@fairlead/control';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyedQueue, type KeyedQueueOptions, type Work } from './queue.ts';

function setUp(options: Partial<KeyedQueueOptions> = {}) {
  const clock = new VirtualClock();
  const queue = new KeyedQueue({
    name: 'test',
    clock,
    random: seededRandom(1),
    logger: silentLogger,
    metrics: noMetrics,
    backoff: { initialMilliseconds: 1000, maximumMilliseconds: 60_000, factor: 2, jitter: 0 },
    ...options,
  });
  return { clock, queue, stop: new AbortController() };
}

/** Work that is written down and ends when the test says so. */
class Bench {
  readonly started: string[] = [];
  readonly #open = new Map<string, PromiseWithResolvers<void>>();

  readonly work: Work = (key) => {
    this.started.push(key);
    const ended = Promise.withResolvers<void>();
    this.#open.set(key, ended);
    return ended.promise;
  };

  get running(): string[] {
    return [...this.#open.keys()];
  }

  finish(key: string): void {
    this.#open.get(key)?.resolve();
    this.#open.delete(key);
  }
}

const retriable = (retryAfterMilliseconds?: number) =>
  new FairleadError('busy', {
    verdict: 'retriable',
    code: 'busy',
    ...(retryAfterMilliseconds === undefined ? {} : { retryAfterMilliseconds }),
  });

describe('KeyedQueue', () => {
  it('tries again also when who is told of it throws', async () => {
    const onRetry = () => {
      throw new Error('a defect in a listener');
    };
    const { clock, queue, stop } = setUp({ onRetry });
    let attempts = 0;
    void queue.run(() => {
      attempts += 1;
      return attempts < 3 ? Promise.reject(retriable()) : Promise.resolve();
    }, stop.signal);
    queue.add('a');
    await clock.advance(10_000);
    expect([attempts, queue.stateOf('a')]).toEqual([3, undefined]);
  });

  it('shows no keys waiting once it is stopped', async () => {
    const shown: number[] = [];
    const metrics = { ...noMetrics, set: (_: unknown, value: number) => void shown.push(value) };
    const { clock, queue, stop } = setUp({ metrics });
    const bench = new Bench();
    for (const key of ['a', 'b', 'c']) queue.add(key);
    const stopped = queue.run(bench.work, stop.signal);
    await clock.advance(0);
    expect(shown.at(-1)).toBe(2);
    stop.abort();
    bench.finish('a');
    await stopped;
    expect(shown.at(-1)).toBe(0);
  });

  it('works once on a key that was added many times', async () => {
    const { clock, queue, stop } = setUp();
    const bench = new Bench();
    for (const key of ['a', 'b', 'a', 'a']) queue.add(key);
    void queue.run(bench.work, stop.signal);
    await clock.advance(0);
    expect(bench.started).toEqual(['a']);
    bench.finish('a');
    await clock.advance(0);
    bench.finish('b');
    await clock.advance(0);
    expect(bench.started).toEqual(['a', 'b']);
    expect(queue.stateOf('a')).toBeUndefined();
  });

  it('works once more on a key that was added while it was worked on, and not before that ended', async () => {
    const { clock, queue, stop } = setUp({ concurrency: 5 });
    const bench = new Bench();
    void queue.run(bench.work, stop.signal);
    queue.add('a');
    await clock.advance(0);
    queue.add('a');
    queue.add('a');
    await clock.advance(1000);
    expect(bench.started).toEqual(['a']);
    bench.finish('a');
    await clock.advance(0);
    expect(bench.started).toEqual(['a', 'a']);
    bench.finish('a');
    await clock.advance(1000);
    expect(bench.started).toEqual(['a', 'a']);
  });

  it('tells when a key that failed is tried again', async () => {
    const told: unknown[] = [];
    const { clock, queue, stop } = setUp({ onRetry: (key, error, at) => told.push([key, error, at]) });
    const startedAt = clock.now();
    const error = retriable(7000);
    void queue.run(() => Promise.reject(error), stop.signal);
    queue.add('a');
    await clock.advance(0);
    expect(told).toEqual([['a', error, startedAt + 7000]]);
  });

  it('works on no more keys at a time than it may', async () => {
    const { clock, queue, stop } = setUp({ concurrency: 2 });
    const bench = new Bench();
    void queue.run(bench.work, stop.signal);
    for (const key of ['a', 'b', 'c']) queue.add(key);
    await clock.advance(0);
    expect(bench.running).toEqual(['a', 'b']);
    bench.finish('b');
    await clock.advance(0);
    expect(bench.running).toEqual(['a', 'c']);
  });

  it('takes higher priorities first, and equal ones in the order in which they came', async () => {
    const { clock, queue, stop } = setUp();
    const started: string[] = [];
    queue.add('low', { priority: -1 });
    queue.add('first');
    queue.add('second');
    queue.add('raised', { priority: -1 });
    queue.add('high', { priority: 1 });
    queue.add('raised', { priority: 5 });
    queue.add('high', { priority: -5 });
    void queue.run((key) => Promise.resolve(void started.push(key)), stop.signal);
    await clock.advance(0);
    expect(started).toEqual(['raised', 'high', 'first', 'second', 'low']);
  });

  it('waits as long as it is told, and of two times takes the earlier', async () => {
    const { clock, queue, stop } = setUp();
    const started: string[] = [];
    void queue.run((key) => Promise.resolve(void started.push(`${key} at ${clock.monotonic()}`)), stop.signal);
    queue.add('a', { delayMilliseconds: 500 });
    queue.add('a', { delayMilliseconds: 300 });
    queue.add('a', { delayMilliseconds: 400 });
    queue.add('b', { delayMilliseconds: 600 });
    expect(queue.stateOf('b')).toEqual({ state: 'delayed', failures: 0, at: clock.now() + 600 });
    await clock.advance(100);
    queue.add('b');
    await clock.advance(10_000);
    expect(started).toEqual(['b at 100', 'a at 300']);
  });

  it('keeps the priority that a delayed key was added with', async () => {
    const { clock, queue, stop } = setUp();
    const bench = new Bench();
    queue.add('a', { delayMilliseconds: 100 });
    queue.add('b', { delayMilliseconds: 100, priority: 1 });
    queue.add('c', { delayMilliseconds: 100, priority: 2 });
    queue.add('c');
    await clock.advance(100);
    void queue.run(bench.work, stop.signal);
    for (const key of ['c', 'b', 'a']) {
      await clock.advance(0);
      bench.finish(key);
    }
    expect(bench.started).toEqual(['c', 'b', 'a']);
  });

  it('tries a key that failed again, later each time, until it succeeds', async () => {
    const { clock, queue, stop } = setUp();
    const attempts: number[] = [];
    queue.add('a');
    void queue.run(() => {
      attempts.push(clock.monotonic());
      return attempts.length % 4 === 0 ? Promise.resolve() : Promise.reject(retriable());
    }, stop.signal);
    await clock.advance(3000);
    expect(queue.stateOf('a')).toEqual({ state: 'delayed', failures: 3, at: clock.now() + 4000 });
    await clock.advance(100_000);
    queue.add('a');
    await clock.advance(100_000);
    expect(attempts).toEqual([0, 1000, 3000, 7000, 103_000, 104_000, 106_000, 110_000]);
  });

  it('counts failures anew for a key that was told to be forgotten', async () => {
    const { clock, queue, stop } = setUp();
    const attempts: number[] = [];
    queue.add('a');
    void queue.run(() => {
      attempts.push(clock.monotonic());
      return Promise.reject(retriable());
    }, stop.signal);
    await clock.advance(3000);
    queue.forget('a');
    await clock.advance(5000);
    expect(attempts).toEqual([0, 1000, 3000, 7000, 8000]);
  });

  it('waits for as long as the server asked, and longest after a failure that will not pass by itself', async () => {
    const { clock, queue, stop } = setUp();
    const starts: string[] = [];
    queue.add('throttled');
    queue.add('refused');
    queue.add('defect');
    void queue.run((key) => {
      starts.push(`${key} at ${clock.monotonic()}`);
      if (key === 'throttled') return Promise.reject(retriable(7000));
      if (key === 'refused') return Promise.reject(new FairleadError('no', { verdict: 'terminal', code: 'no' }));
      throw new TypeError('a defect');
    }, stop.signal);
    await clock.advance(60_000);
    expect(starts.slice(0, 4)).toEqual(['throttled at 0', 'refused at 0', 'defect at 0', 'throttled at 7000']);
    expect(starts.filter((start) => !start.startsWith('throttled')).slice(2)).toEqual([
      'refused at 60000',
      'defect at 60000',
    ]);
  });

  it('does not make a key that has news wait for its next attempt', async () => {
    const { clock, queue, stop } = setUp();
    const attempts: number[] = [];
    queue.add('a');
    void queue.run(() => {
      attempts.push(clock.monotonic());
      return Promise.reject(retriable());
    }, stop.signal);
    await clock.advance(10);
    queue.add('a');
    await clock.advance(10);
    expect(attempts).toEqual([0, 10]);
  });

  it('comes back to a key when its work asks for it', async () => {
    const { clock, queue, stop } = setUp();
    const attempts: number[] = [];
    queue.add('a');
    void queue.run(() => {
      attempts.push(clock.monotonic());
      return Promise.resolve({ afterMilliseconds: 250 });
    }, stop.signal);
    await clock.advance(600);
    expect(attempts).toEqual([0, 250, 500]);
    expect(queue.stateOf('a')).toMatchObject({ state: 'delayed', failures: 0 });
  });

  it('starts no more work than the rate limit allows', async () => {
    const { clock, queue, stop } = setUp({ concurrency: 100, rateLimit: { perSecond: 10, burst: 3 } });
    const starts: number[] = [];
    void queue.run(() => Promise.resolve(void starts.push(clock.monotonic())), stop.signal);
    for (let number = 0; number < 6; number += 1) queue.add(`key-${number}`);
    await clock.advance(5000);
    expect(starts).toEqual([0, 0, 0, 100, 200, 300]);
    for (let number = 0; number < 6; number += 1) queue.add(`key-${number}`);
    await clock.advance(5000);
    expect(starts.slice(6)).toEqual([5000, 5000, 5000, 5100, 5200, 5300]);
  });

  it('ends when the signal aborts: tells running work, waits for it, and drops the rest', async () => {
    const { clock, queue, stop } = setUp();
    let ended = false;
    const told = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const started: string[] = [];
    const running = queue.run(async (key, signal) => {
      started.push(key);
      signal.addEventListener('abort', () => told.resolve());
      await mayEnd.promise;
      throw signal.reason;
    }, stop.signal);
    void running.finally(() => {
      ended = true;
    });
    queue.add('a');
    queue.add('b');
    queue.add('c', { delayMilliseconds: 10 });
    await clock.advance(0);
    stop.abort(new Error('lease lost'));
    await told.promise;
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(1000);
    expect(ended).toBe(false);
    mayEnd.resolve();
    await running;
    queue.add('d');
    await clock.advance(100_000);
    expect(started).toEqual(['a']);
    expect(clock.pendingTimers).toBe(0);
    expect(queue.stateOf('d')).toBeUndefined();
  });

  it('ends only when the work on every key has', async () => {
    const { clock, queue, stop } = setUp({ concurrency: 2 });
    const bench = new Bench();
    let hasEnded = false;
    void queue.run(bench.work, stop.signal).then(() => (hasEnded = true));
    queue.add('a');
    queue.add('b');
    stop.abort();
    bench.finish('a');
    await clock.advance(1_000);
    expect(hasEnded).toBe(false);
    bench.finish('b');
    await clock.advance(0);
    expect(hasEnded).toBe(true);
  });

  it('ends at once when nothing runs, or when it is started too late', async () => {
    const { queue, stop } = setUp();
    const running = queue.run(() => Promise.resolve(), stop.signal);
    stop.abort();
    await running;
    const late = setUp();
    late.queue.add('a');
    await late.queue.run(() => expect.unreachable('nothing may start'), AbortSignal.abort());
  });

  it('refuses to be run twice', () => {
    const { queue, stop } = setUp();
    void queue.run(() => Promise.resolve(), stop.signal);
    expect(() => queue.run(() => Promise.resolve(), stop.signal)).toThrow('already running');
  });
});

type Action =
  | { readonly type: 'add'; readonly key: string; readonly delay: number; readonly priority: number }
  | { readonly type: 'end'; readonly fails: boolean }
  | { readonly type: 'wait'; readonly milliseconds: number };

const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({
    type: fc.constant('add' as const),
    key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    delay: fc.constantFrom(0, 0, 10, 100),
    priority: fc.integer({ min: -1, max: 1 }),
  }),
  fc.record({ type: fc.constant('end' as const), fails: fc.boolean() }),
  fc.record({ type: fc.constant('wait' as const), milliseconds: fc.integer({ min: 0, max: 150 }) }),
);

describe('KeyedQueue, whatever happens', () => {
  it('loses no key, starts none early, and never works on one twice at the same time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { maxLength: 60, size: 'max' }),
        fc.integer({ min: 1, max: 3 }),
        async (actions, concurrency) => {
          const { clock, queue, stop } = setUp({ concurrency });
          /** The model: by key, the earliest time at which work on it is owed. */
          const owed = new Map<string, number>();
          const running: { readonly key: string; readonly end: (fails: boolean) => void }[] = [];
          const violations: string[] = [];
          void queue.run((key) => {
            if (running.some((other) => other.key === key)) violations.push(`${key} was started twice`);
            if (running.length >= concurrency) violations.push('too many at a time');
            const due = owed.get(key);
            if (due === undefined || due > clock.monotonic()) violations.push(`${key} was started for nothing`);
            owed.delete(key);
            return new Promise((resolve, reject) => {
              running.push({ key, end: (fails) => (fails ? reject(retriable(50)) : resolve()) });
            });
          }, stop.signal);
          const end = async (fails: boolean) => {
            const ended = running.shift();
            if (ended === undefined) return;
            if (fails) owe(ended.key, 50);
            ended.end(fails);
            await clock.advance(0);
          };
          const owe = (key: string, delay: number) =>
            owed.set(key, Math.min(owed.get(key) ?? Number.POSITIVE_INFINITY, clock.monotonic() + delay));

          for (const act of actions) {
            if (act.type === 'end') await end(act.fails);
            else if (act.type === 'wait') await clock.advance(act.milliseconds);
            else {
              owe(act.key, act.delay);
              queue.add(act.key, { delayMilliseconds: act.delay, priority: act.priority });
              await clock.advance(0);
            }
          }
          for (let round = 0; round < 20; round += 1) {
            await clock.advance(100);
            while (running.length > 0) await end(false);
          }
          expect([...owed]).toEqual([]);
          expect(violations).toEqual([]);
          expect(clock.pendingTimers).toBe(0);
        },
      ),
      { numRuns: 200 },
    );
  });
});
