import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { formatDuration, withProgress } from './progress.ts';

describe('withProgress', () => {
  const lines: string[] = [];
  const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

  beforeEach(() => {
    lines.length = 0;
    vi.useFakeTimers();
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  const run = async (milliseconds: number): Promise<void> => {
    let done = 0;
    const work = withProgress(
      'counting',
      () => `${(done += 1)} seen`,
      (line) => lines.push(line),
      () => sleep(milliseconds),
    );
    await vi.advanceTimersByTimeAsync(milliseconds);
    await work;
  };

  it('says nothing about quick work', async () => {
    await run(1_900);
    expect(lines).toEqual([]);
  });

  it('says after two seconds, then every ten, and at the end, how far it is', async () => {
    await run(25_000);
    expect(lines).toEqual([
      'counting: 1 seen, 2.0 s',
      'counting: 2 seen, 12 s',
      'counting: 3 seen, 22 s',
      'counting: 4 seen, 25 s, done',
    ]);
  });
});

describe('formatDuration', () => {
  it('shows as much as a reader needs', () => {
    expect([40, 9_940, 12_400, 59_900, 60_000, 83_000, 725_000].map(formatDuration)).toEqual([
      '0.0 s',
      '9.9 s',
      '12 s',
      '1 min 0 s',
      '1 min 0 s',
      '1 min 23 s',
      '12 min 5 s',
    ]);
  });
});
