import { setTimeout as sleep } from 'node:timers/promises';

export interface Patience {
  /** What is waited for, as the end of "waited 10 s for …". */
  readonly describe: string;
  readonly timeoutMs?: number;
  readonly intervalMs?: number;
}

/**
 * Asks again and again until the condition gives something other than false or undefined, and returns that. A
 * condition that throws is asked again as well; what it threw last is the cause of the failure.
 */
export async function eventually<Value>(
  condition: () => Promise<Value | false | undefined> | Value | false | undefined,
  { describe, timeoutMs = 20_000, intervalMs = 25 }: Patience,
): Promise<Value> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    let thrown: unknown;
    try {
      const value = await condition();
      if (value !== false && value !== undefined) return value;
    } catch (error) {
      thrown = error;
    }
    if (performance.now() >= deadline) {
      throw new Error(`waited ${timeoutMs / 1_000} s for ${describe}`, { cause: thrown });
    }
    await sleep(intervalMs);
  }
}
