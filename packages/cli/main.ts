#!/usr/bin/env node
import { parts } from './parts.ts';
import { runProgram } from './program.ts';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // The second time, whoever asks does not want to wait.
    if (stop.signal.aborted) process.exit(130);
    stop.abort(new Error(`stopped by ${signal}`));
  });
}

// Whoever reads our output may have seen enough, as with `fairlead --help | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const exitCode = await runProgram(
  process.argv.slice(2),
  parts,
  {
    print: (line) => process.stdout.write(`${line}\n`),
    complain: (line) => process.stderr.write(`${line}\n`),
    isInteractive: process.stdout.isTTY,
  },
  stop.signal,
);

// Whatever a command left running has no business any more.
process.exit(exitCode);
