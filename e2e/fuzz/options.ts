import { parseArgs } from 'node:util';

export const USAGE = `npm run fuzz                        sends random requests to a simulated and a real API server, for a minute
    --minutes N                     for so long
    --seed N                        beginning with this seed; with a random one where none is given
    --seeds N                       so many seeds, in place of a time
    --known                         says at the end how often each known difference was met

Each seed is a short sequence of requests, the same every time, in a namespace of its own. When the two answers to one
of them differ, the sequence is shrunk and printed as a scene for packages/sim/kube/contract/scenes. Then:

  1. paste the scene, record it (CONTRACT_RECORD=1 npm run test:e2e -- e2e/contract), and mend the simulation;
     or, where that is not worth it, add a row to e2e/fuzz/known-differences.ts and a line to docs/testing.md;
  2. keep the seed in e2e/fuzz/fuzz.seeds, with what it found after #.

Of refusals of what makes no sense (400, 406, 413, 415, 422, 500) only status and reason are compared.`;

export interface FuzzOptions {
  readonly minutes: number;
  readonly seed: number | undefined;
  /** As many as there is time for, where undefined. */
  readonly seeds: number | undefined;
  readonly known: boolean;
  readonly help: boolean;
}

/** Throws an error that says what to write instead. */
export function parseOptions(commandLine: readonly string[]): FuzzOptions {
  const { values } = parseArgs({
    args: [...commandLine],
    options: {
      minutes: { type: 'string' },
      seed: { type: 'string' },
      seeds: { type: 'string' },
      known: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  const { known = false, help = false } = values;
  const minutes = Number(values.minutes ?? '1');
  if (!(minutes > 0)) throw new Error(`--minutes ${values.minutes}: write a number above 0`);
  return {
    minutes,
    known,
    help,
    seed: wholeNumber('--seed', values.seed),
    seeds: wholeNumber('--seeds', values.seeds),
  };
}

function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text !== '' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new Error(`${name} ${text}: write a whole number, 0 or more`);
}
