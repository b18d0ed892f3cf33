import { describe, expect, it } from 'vitest';
import { VirtualClock } from './virtual-clock.ts';
import { WakeablePause } from './wakeable-pause.ts';

function setUp(milliseconds: number) {
  const clock = new VirtualClock();
  const pause = new WakeablePause(clock);
  const stop = new AbortController();
  const over: string[] = [];
  pause.wait(milliseconds, stop.signal).then(
    () => over.push('resolved'),
    (reason: unknown) => over.push(String(reason)),
  );
  return { clock, pause, stop, over };
}

describe('WakeablePause', () => {
  it('is over after its time', async () => {
    const { clock, over } = setUp(1_000);
    await clock.advance(999);
    expect(over).toEqual([]);
    await clock.advance(1);
    expect(over).toEqual(['resolved']);
  });

  it('is over when it is woken, and leaves no timer behind, be it endless or not', async () => {
    for (const milliseconds of [1_000, Number.POSITIVE_INFINITY]) {
      const { clock, pause, over } = setUp(milliseconds);
      await clock.advance(500);
      pause.wake();
      await clock.advance(0);
      expect(over).toEqual(['resolved']);
      expect(clock.pendingTimers).toBe(0);
    }
  });

  it('rejects when the signal aborts, and a wake after it does nothing', async () => {
    const { clock, pause, stop, over } = setUp(1_000);
    stop.abort('enough');
    await clock.advance(0);
    pause.wake();
    expect(over).toEqual(['enough']);
    expect(clock.pendingTimers).toBe(0);
  });
});
