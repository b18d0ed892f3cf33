import { messageOf } from '@fairlead/control';
import { describe, expect, it, vi } from 'vitest';
import { recordedTerminal } from '../testing/recorded-terminal.ts';
import { repeat } from './repeat.ts';

const CLEAR = '\u001b[H\u001b[2J\u001b[3J';

/** Watches something that says how often it was looked at, until the third look; gives what was printed. */
async function watched(isInteractive: boolean, watch: true | undefined) {
  vi.useFakeTimers();
  const { terminal, told } = recordedTerminal();
  const stop = new AbortController();
  let looks = 0;
  const watching = repeat(watch, { ...terminal, isInteractive }, stop.signal, async ({ print }) => {
    looks += 1;
    print(`look ${looks}\u0007`);
    print('all is well');
    if (looks === 3) stop.abort(new Error('stopped'));
  });
  const ended = watching.then(
    () => 'looked',
    (error: unknown) => messageOf(error),
  );
  await vi.advanceTimersByTimeAsync(4_000);
  const end = await ended;
  vi.useRealTimers();
  return { printed: told().printed, end };
}

describe('a command that is watched', () => {
  it('looks again every two seconds until it is stopped', async () => {
    const { printed, end } = await watched(false, true);
    expect(end).toBe('stopped');
    expect(printed.split('\n')).toEqual([
      'look 1\\u0007',
      'all is well',
      'look 2\\u0007',
      'all is well',
      'look 3\\u0007',
      'all is well',
    ]);
  });

  it('has each look take the place of the one before on a terminal', async () => {
    const { printed } = await watched(true, true);
    expect(printed.split(CLEAR)).toHaveLength(4);
    expect(printed.startsWith(CLEAR)).toBe(true);
  });

  it('looks once where it is not asked to', async () => {
    const { printed, end } = await watched(true, undefined);
    expect(printed.split('\n')).toHaveLength(2);
    expect(end).toBe('looked');
  });
});
