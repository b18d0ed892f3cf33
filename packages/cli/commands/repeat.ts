import { systemClock } from '@fairlead/control/adapters';
import { sleep } from '@fairlead/control';
import { printable } from '../render/printable.ts';
import type { Output, Terminal } from '../terminal.ts';

const PAUSE_MILLISECONDS = 2_000;
const CLEAR = '\u001b[H\u001b[2J\u001b[3J';

/** Looks once, or again and again until it is stopped; on a terminal each look takes the place of the one before. */
export async function repeat(
  watch: true | undefined,
  { print, palette, isInteractive }: Terminal,
  signal: AbortSignal,
  look: (output: Output) => Promise<void>,
): Promise<void> {
  if (watch === undefined) return look({ print: (line) => print(printable(line, palette)), palette });
  for (;;) {
    const lines: string[] = [];
    await look({ print: (line) => lines.push(printable(line, palette)), palette });
    print(`${isInteractive ? CLEAR : ''}${lines.join('\n')}`);
    await sleep(systemClock, PAUSE_MILLISECONDS, signal);
  }
}
