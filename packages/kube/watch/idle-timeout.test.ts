import { getEventListeners } from 'node:events';
import { VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { IdleTimeout } from './idle-timeout.ts';

const piece = new Uint8Array(1);

describe('IdleTimeout', () => {
  it('aborts when nothing was heard for the whole limit since the last piece', async () => {
    const clock = new VirtualClock();
    const idle = new IdleTimeout(clock, new AbortController().signal, () => 1000);
    const body = idle.listen(pieces([piece, piece]));
    await clock.advance(900);
    await body.next();
    await clock.advance(900);
    await body.next();
    await clock.advance(999);
    expect(idle.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(idle.signal.reason).toMatchObject({ code: 'connection-silent', verdict: 'retriable' });
    expect(clock.pendingTimers).toBe(0);
  });

  it('waits longer when the limit has grown', async () => {
    const clock = new VirtualClock();
    let limit = 1000;
    const idle = new IdleTimeout(clock, new AbortController().signal, () => limit);
    limit = 5000;
    await clock.advance(4999);
    expect(idle.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(idle.signal.aborted).toBe(true);
  });

  it('aborts with its parent, before or after it was made', () => {
    const clock = new VirtualClock();
    const parent = new AbortController();
    const idle = new IdleTimeout(clock, parent.signal, () => 1000);
    parent.abort(new Error('stopped'));
    expect(idle.signal.reason).toEqual(new Error('stopped'));
    expect(new IdleTimeout(clock, parent.signal, () => 1000).signal.aborted).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('leaves neither a timer nor a listener at its parent behind, however it ends', async () => {
    const clock = new VirtualClock();
    const { signal } = new AbortController();
    const stopped = new IdleTimeout(clock, signal, () => 1000);
    stopped.stop();
    const silent = new IdleTimeout(clock, signal, () => 1000);
    await clock.advance(1000);
    expect(silent.signal.aborted).toBe(true);
    expect(clock.pendingTimers).toBe(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

async function* pieces(list: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* list;
}
