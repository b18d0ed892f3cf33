import { describe, expect, it } from 'vitest';
import { FairleadError } from '../errors.ts';
import { seededRandom } from '../random.ts';
import { VirtualClock } from '../time/virtual-clock.ts';
import { untilDone } from './until-done.ts';

const backoff = { initialMilliseconds: 1_000, maximumMilliseconds: 4_000, factor: 2, jitter: 0 };

function setUp(failures: readonly Error[]) {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const triedAt: number[] = [];
  const told: string[] = [];
  const work = async () => {
    const failure = failures[triedAt.length];
    triedAt.push(clock.monotonic());
    if (failure !== undefined) throw failure;
    return 'light';
  };
  const onFailure = (error: unknown, delay: number) => told.push(`${String(error)}, ${delay}`);
  const done = untilDone(work, { clock, random: seededRandom(1), backoff, onFailure }, stop.signal);
  return { clock, stop, triedAt, told, done };
}

describe('untilDone', () => {
  it('tries ever less often until it is done, and tells each failure', async () => {
    const fog = new Error('fog');
    const { clock, triedAt, told, done } = setUp([fog, fog, fog, fog]);
    await clock.advance(20_000);
    expect(await done).toBe('light');
    expect(triedAt).toEqual([0, 1_000, 3_000, 7_000, 11_000]);
    expect(told).toEqual(['Error: fog, 1000', 'Error: fog, 2000', 'Error: fog, 4000', 'Error: fog, 4000']);
  });

  it('does not come back before the server wants it', async () => {
    const busy = new FairleadError('busy', { verdict: 'retriable', code: 'busy', retryAfterMilliseconds: 9_000 });
    const { clock, triedAt, done } = setUp([busy]);
    await clock.advance(20_000);
    expect(await done).toBe('light');
    expect(triedAt).toEqual([0, 9_000]);
  });

  it('rejects when the signal aborts, and tries no more', async () => {
    const fog = new Error('fog');
    const { clock, stop, triedAt, done } = setUp([fog, fog]);
    const ended = done.catch(String);
    await clock.advance(500);
    stop.abort(new Error('enough'));
    await clock.advance(5_000);
    expect(await ended).toBe('Error: enough');
    expect(triedAt).toEqual([0]);
  });

  it('tries nothing that was to stop before it began', async () => {
    const stop = AbortSignal.abort(new Error('enough'));
    const options = { clock: new VirtualClock(), random: seededRandom(1), onFailure: () => {} };
    const work = () => expect.unreachable('it was to stop before');
    await expect(untilDone(work, options, stop)).rejects.toThrow('enough');
  });

  it('tells no failure of what was stopped under way', async () => {
    const clock = new VirtualClock();
    const stop = new AbortController();
    const told: unknown[] = [];
    const work = async () => {
      stop.abort(new Error('enough'));
      throw new Error('the connection closed');
    };
    const onFailure = (error: unknown) => told.push(error);
    await expect(untilDone(work, { clock, random: seededRandom(1), onFailure }, stop.signal)).rejects.toThrow('enough');
    expect(told).toEqual([]);
  });
});
