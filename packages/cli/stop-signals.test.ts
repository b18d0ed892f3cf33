import { describe, expect, it } from 'vitest';
import { StopSignals } from './stop-signals.ts';

describe('signals to stop', () => {
  function received(...at: readonly number[]) {
    const stop = new AbortController();
    let now = 0;
    const signals = new StopSignals(() => now, stop);
    const ends = at.map((time) => {
      now = time;
      return signals.received('SIGINT');
    });
    return { ends, isStopping: stop.signal.aborted };
  }

  it('end the work cleanly, also when one keystroke arrives twice', () => {
    expect(received(5)).toEqual({ ends: [false], isStopping: true });
    expect(received(5, 9)).toEqual({ ends: [false, false], isStopping: true });
  });

  it('end the process at once when they are repeated', () => {
    expect(received(5, 9, 2_000).ends).toEqual([false, false, true]);
  });
});
