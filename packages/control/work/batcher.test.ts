import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairleadError, type Verdict } from '../errors.ts';
import { type BatchLimits, intoBatches, sendInBatches } from './batcher.ts';

const failure = (verdict: Verdict, code: string) => new FairleadError(code, { verdict, code });

/** A server that refuses any batch with one of the bad entries in it, and keeps what it accepted. */
function server(bad: readonly number[], error: Error = failure('terminal', 'bad-entry')) {
  const calls: (readonly number[])[] = [];
  const held: number[] = [];
  const send = (batch: readonly number[]): Promise<void> => {
    calls.push(batch);
    if (batch.some((entry) => bad.includes(entry))) return Promise.reject(error);
    held.push(...batch);
    return Promise.resolve();
  };
  return { calls, held, send };
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('intoBatches', () => {
  it('cuts by count', () => {
    expect(intoBatches(upTo(5), { maximumCount: 2 })).toEqual([[0, 1], [2, 3], [4]]);
  });

  it('cuts by size, and lets an entry that is too large travel alone', () => {
    const limits: BatchLimits<string> = { maximumCount: 10, bytes: { maximum: 5, sizeOf: (entry) => entry.length } };
    expect(intoBatches(['aa', 'bbb', 'c', 'dddddddd', 'e', 'ff'], limits)).toEqual([
      ['aa', 'bbb'],
      ['c'],
      ['dddddddd'],
      ['e', 'ff'],
    ]);
  });

  it('makes no batch of nothing', () => {
    expect(intoBatches([], { maximumCount: 10 })).toEqual([]);
  });

  it('keeps all entries in order and within the limits', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 100, size: 'max' });
    const limit = fc.integer({ min: 1, max: 60 });
    fc.assert(
      fc.property(sizes, limit, limit, (entries, maximumCount, maximum) => {
        const batches = intoBatches(entries, { maximumCount, bytes: { maximum, sizeOf: (size) => size } });
        expect(batches.flat()).toEqual(entries);
        for (const [index, batch] of batches.entries()) {
          const total = batch.reduce((sum, size) => sum + size, 0);
          expect(batch.length).toBeLessThanOrEqual(maximumCount);
          expect(total <= maximum || batch.length === 1).toBe(true);
          const next = batches[index + 1]?.[0];
          // Nothing that would still have fitted was left to the next batch.
          expect(next === undefined || batch.length === maximumCount || total + next > maximum).toBe(true);
        }
      }),
    );
  });
});

describe('sendInBatches', () => {
  const limits = { maximumCount: 100 };

  it('sends a good batch in one call', async () => {
    const { calls, send } = server([]);
    const outcome = await sendInBatches(upTo(100), { limits, send });
    expect(calls).toHaveLength(1);
    expect(outcome).toEqual({ accepted: upTo(100), refused: [], postponed: [] });
  });

  it('finds the one bad entry of a batch and reports it with its error', async () => {
    const error = failure('terminal', 'address-unknown');
    const { calls, held, send } = server([42], error);
    const outcome = await sendInBatches(upTo(100), { limits, send });
    expect(outcome.refused).toEqual([{ entry: 42, error }]);
    expect(outcome.accepted).toHaveLength(99);
    expect(held.toSorted((a, b) => a - b)).toEqual(upTo(100).filter((entry) => entry !== 42));
    expect(calls.length).toBeLessThanOrEqual(15);
  });

  it("postpones a batch that is refused as one of its entries is alone: it is nobody's fault", async () => {
    const { calls, send } = server(upTo(100));
    const error = failure('retriable', 'later');
    const probe = { pick: (batch: readonly number[]) => batch[batch.length - 1] ?? 0, postponedWith: () => error };
    const outcome = await sendInBatches(upTo(100), { limits, send, probe });
    expect(outcome).toEqual({ accepted: [], refused: [], postponed: [{ entries: upTo(100), error }] });
    expect(calls).toEqual([upTo(100), [99]]);
  });

  it('bisects a batch after one of its entries was taken alone', async () => {
    const { calls, held, send } = server([42]);
    const probe = { pick: () => 7, postponedWith: () => undefined };
    const outcome = await sendInBatches(upTo(100), { limits, send, probe });
    expect(outcome.refused.map(({ entry }) => entry)).toEqual([42]);
    expect(held).toHaveLength(99);
    expect(calls.length).toBeLessThanOrEqual(1 + 2 * 7);
  });

  it('postpones a batch that met a passing error, in one call, and goes on with the next', async () => {
    for (const verdict of ['retriable', 'stale'] as const) {
      const error = failure(verdict, 'busy');
      const { calls, send } = server([1], error);
      const outcome = await sendInBatches(upTo(6), { limits: { maximumCount: 3 }, send });
      expect(outcome).toEqual({ accepted: [3, 4, 5], refused: [], postponed: [{ entries: [0, 1, 2], error }] });
      expect(calls).toHaveLength(2);
    }
  });

  it('postpones only the part that met a passing error while a batch is bisected', async () => {
    const busy = failure('retriable', 'busy');
    let calls = 0;
    const outcome = await sendInBatches([0, 1, 2, 3], {
      limits,
      send: () => {
        calls += 1;
        if (calls === 1) return Promise.reject(failure('terminal', 'bad-entry'));
        return calls === 2 ? Promise.reject(busy) : Promise.resolve();
      },
    });
    expect(outcome).toEqual({ accepted: [2, 3], refused: [], postponed: [{ entries: [0, 1], error: busy }] });
  });

  it('does not bisect an error that no entry is to blame for', async () => {
    const error = failure('terminal', 'forbidden');
    const { calls, send } = server([1], error);
    const outcome = await sendInBatches([0, 1], { limits, send, blamesEntries: (thrown) => thrown !== error });
    expect(outcome.refused).toEqual([
      { entry: 0, error },
      { entry: 1, error },
    ]);
    expect(calls).toHaveLength(1);
  });

  it('takes batches of any length', async () => {
    const entries = upTo(200_000);
    const wide = { maximumCount: Number.POSITIVE_INFINITY };
    const taken = await sendInBatches(entries, { limits: wide, send: () => Promise.resolve() });
    expect(taken.accepted).toHaveLength(200_000);
    const error = failure('terminal', 'forbidden');
    const send = () => Promise.reject(error);
    const refused = await sendInBatches(entries, { limits: wide, send, blamesEntries: () => false });
    expect(refused.refused).toHaveLength(200_000);
  });

  it('takes an unclassified error as a refusal', async () => {
    const error = new TypeError('a defect');
    const outcome = await sendInBatches([7], { limits, send: () => Promise.reject(error) });
    expect(outcome.refused).toEqual([{ entry: 7, error }]);
  });

  it.each([5, 9, 64, 100, 129])(
    'finds any bad one of %i in 2·⌈log2 n⌉ calls and one, the probe included',
    async (count) => {
      for (const bad of upTo(count)) {
        const { calls, send } = server([bad]);
        const probe = { pick: () => (bad + 1) % count, postponedWith: () => undefined };
        const outcome = await sendInBatches(upTo(count), { limits: { maximumCount: count }, send, probe });
        expect(outcome.refused.map(({ entry }) => entry)).toEqual([bad]);
        expect(calls.length).toBeLessThanOrEqual(1 + 2 * Math.ceil(Math.log2(count)));
      }
    },
  );

  it('puts every entry in exactly one list, in O(bad · log n) calls', async () => {
    const input = fc
      .integer({ min: 1, max: 300 })
      .chain((count) =>
        fc.record({ count: fc.constant(count), bad: fc.uniqueArray(fc.nat(count - 1), { maxLength: 8, size: 'max' }) }),
      );
    await fc.assert(
      fc.asyncProperty(input, fc.integer({ min: 1, max: 300 }), async ({ count, bad }, maximumCount) => {
        const { calls, held, send } = server(bad);
        const outcome = await sendInBatches(upTo(count), { limits: { maximumCount }, send });
        expect(outcome.refused.map(({ entry }) => entry)).toEqual(bad.toSorted((a, b) => a - b));
        expect(outcome.accepted).toEqual(held);
        expect([...held, ...bad].toSorted((a, b) => a - b)).toEqual(upTo(count));
        const batches = Math.ceil(count / maximumCount);
        const depth = Math.ceil(Math.log2(Math.min(count, maximumCount)));
        expect(calls.length).toBeLessThanOrEqual(batches + 2 * bad.length * depth);
      }),
    );
  });
});
