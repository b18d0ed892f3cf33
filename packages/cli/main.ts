#!/usr/bin/env node
import { nameOf, typedAs } from './called-as.ts';
import { parts } from './parts.ts';
import { runProgram } from './program.ts';
import { paletteFor } from './render/palette.ts';
import { StopSignals } from './stop-signals.ts';

const stop = new AbortController();
const stopSignals = new StopSignals(() => performance.now(), stop);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (stopSignals.received(signal)) process.exit(130);
  });
}

// Who reads our output may have seen enough, as with `fairlead demo | head`, or have closed the terminal: the command
// ends as by a stop signal.
let isReaderGone = false;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (!isReaderGone && error.code !== 'EPIPE' && error.code !== 'EIO') process.exit(1);
  isReaderGone = true;
  stop.abort();
});

const exitCode = await runProgram(
  process.argv.slice(2),
  parts,
  {
    print: (line) => process.stdout.write(`${line}\n`),
    complain: (line) => process.stderr.write(`${line}\n`),
    isInteractive: process.stdout.isTTY,
    palette: paletteFor(process.stdout.isTTY, process.env),
    typed: typedAs(process.argv, process.env),
  },
  stop.signal,
  nameOf(process.argv),
);

// Whatever a command left running has no business any more.
process.exit(isReaderGone ? 0 : exitCode);
