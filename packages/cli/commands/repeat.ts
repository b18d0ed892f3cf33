import { systemClock } from '@fairlead/control/adapters';
import { sleep } from '@fairlead/control';
import type { Terminal } from '../program.ts';

const PAUSE_MILLISECONDS = 2_000;
const CLEAR = '\u001b[H\u001b[2J\u001b[3J';

/** Looks once, or again and again until it is stopped; on a terminal each look takes the place of the one before. */
export async function repeat(
  watch: true | undefined,
  { print, isInteractive }: Terminal,
  signal: AbortSignal,
  look: (print: (line: string) => void) => Promise<void>,
): Promise<void> {
  if (watch === undefined) return look(print);
  for (;;) {
    const lines: string[] = [];
    await look((line) => lines.push(line));
    print(`${isInteractive ? CLEAR : ''}${lines.join('\n')}`);
    await sleep(systemClock, PAUSE_MILLISECONDS, signal);
  }
}
