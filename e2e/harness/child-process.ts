import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const END_LIMIT_MS = 5_000;

/** The first line that a program prints, by which it says that it is ready. */
export async function firstLine(child: ChildProcess, limitMs: number): Promise<string> {
  if (child.stdout === null) throw new Error('it has no standard output');
  const lines = createInterface({ input: child.stdout });
  const signal = AbortSignal.timeout(limitMs);
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`it ended with code ${code}`);
  });
  const [line] = await Promise.race([once(lines, 'line', { signal }), exited]);
  return String(line);
}

/** Ends a program whose life line is its standard input, and removes the folder it worked in. */
export async function endWithFolder(child: ChildProcess, folder: string): Promise<void> {
  const running = child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  if (running) {
    const exited = once(child, 'exit');
    child.stdin?.end();
    await Promise.race([exited, sleep(END_LIMIT_MS, undefined, { ref: false })]);
    child.kill('SIGKILL');
    await exited;
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
