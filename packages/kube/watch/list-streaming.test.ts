import { VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { ListStreaming } from './list-streaming.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

describe('ListStreaming', () => {
  it('is tried until it fails, and then not for ten minutes', async () => {
    const clock = new VirtualClock();
    const streaming = new ListStreaming(clock);
    expect(streaming.isWorthTrying).toBe(true);
    streaming.failed();
    expect(streaming.isWorthTrying).toBe(false);
    await clock.advance(10 * MINUTE - 1);
    expect(streaming.isWorthTrying).toBe(false);
    await clock.advance(1);
    expect(streaming.isWorthTrying).toBe(true);
  });

  it('is tried ever more rarely while it fails, however often there is something to list', async () => {
    const clock = new VirtualClock();
    const streaming = new ListStreaming(clock);
    const tries: number[] = [];
    while (clock.monotonic() < 10 * DAY) {
      if (streaming.isWorthTrying) {
        tries.push(clock.monotonic());
        streaming.failed();
      }
      await clock.advance(MINUTE);
    }
    const pauses = tries.slice(1).map((at, index) => (at - (tries[index] ?? 0)) / MINUTE);
    expect(pauses.slice(0, 9)).toEqual([10, 20, 40, 80, 160, 320, 640, 1280, 1440]);
    expect(new Set(pauses.slice(8))).toEqual(new Set([1440]));
  });

  it('is tried after ten minutes again when it worked in between', async () => {
    const clock = new VirtualClock();
    const streaming = new ListStreaming(clock);
    for (let failure = 0; failure < 5; failure += 1) streaming.failed();
    await clock.advance(DAY);
    streaming.worked();
    expect(streaming.isWorthTrying).toBe(true);
    streaming.failed();
    await clock.advance(10 * MINUTE);
    expect(streaming.isWorthTrying).toBe(true);
  });
});
