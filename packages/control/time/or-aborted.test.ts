import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { orAborted } from './or-aborted.ts';

const never = () => new Promise<never>(() => {});

describe('orAborted', () => {
  it('passes on what came in time, and leaves no listener behind', async () => {
    const { signal } = new AbortController();
    await expect(orAborted(Promise.resolve('head'), signal)).resolves.toBe('head');
    await expect(orAborted(Promise.reject(new Error('refused')), signal)).rejects.toThrow('refused');
    await expect(orAborted(Promise.resolve('head'), undefined)).resolves.toBe('head');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('does not wait for a promise that ignores the signal, aborted before or meanwhile', async () => {
    const controller = new AbortController();
    const waiting = orAborted(never(), controller.signal);
    controller.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    await expect(orAborted(never(), controller.signal)).rejects.toThrow('stopped');
  });
});
