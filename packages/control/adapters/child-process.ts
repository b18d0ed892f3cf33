import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

/** How a program ended, and what it printed. */
export interface ProcessEnd {
  /** -1 where a signal ended it. */
  readonly exitCode: number;
  readonly output: string;
  readonly errors: string;
}

/** Resolves when the program has ended; rejects when it cannot be run, or was stopped by its signal. */
export function endOf(child: ChildProcessByStdio<Writable | null, Readable, Readable>): Promise<ProcessEnd> {
  return new Promise((resolve, reject) => {
    let output = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ exitCode: exitCode ?? -1, output, errors }));
  });
}
