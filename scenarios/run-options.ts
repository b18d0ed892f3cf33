import { parseArgs } from 'node:util';

export const USAGE = `npm run sim                          lists the scenarios
npm run sim -- NAME                  runs the seeds 1 to 100 of a scenario, and those that once failed
    --seeds N                        that many seeds
    --from N                         beginning with this one
    --seed N                         this one alone, with the end of its history if it fails
    --seed N --history               prints its whole history
    --seed N --shrink                leaves out what is not needed for it to fail
    --pairs N                        so many pairs of crashes, of a crash matrix
    --jobs N                         in so many processes, each replaced after some seeds; for long runs
    --json                           ends with one line of JSON
npm run sim -- --all [--seeds N]     runs every scenario`;

/** What the person at the command line wants. */
export interface RunOptions {
  /** Absent: list them, or run all. */
  readonly scenario?: string;
  readonly all: boolean;
  readonly seed?: number;
  readonly seeds?: number;
  readonly from: number;
  readonly pairs?: number;
  /** Undefined: in this process. */
  readonly jobs?: number;
  readonly json: boolean;
  readonly shrink: boolean;
  readonly history: boolean;
  readonly help: boolean;
}

/** Throws an error that says what to write instead. */
export function parseOptions(commandLine: readonly string[]): RunOptions {
  const { values, positionals } = parseArgs({
    args: [...commandLine],
    allowPositionals: true,
    options: {
      seed: { type: 'string' },
      seeds: { type: 'string' },
      from: { type: 'string' },
      pairs: { type: 'string' },
      jobs: { type: 'string' },
      all: { type: 'boolean' },
      json: { type: 'boolean' },
      shrink: { type: 'boolean' },
      history: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  const [scenario, ...others] = positionals;
  if (others.length > 0) throw new Error(`one scenario at a time, or --all: leave out ${others.join(' ')}`);
  const { all = false, json = false, shrink = false, history = false, help = false } = values;
  if (all && scenario !== undefined) throw new Error(`--all runs every scenario: leave out ${scenario}`);
  const seed = wholeNumber('--seed', values.seed, 0);
  if (seed === undefined && (shrink || history)) {
    throw new Error(`${shrink ? '--shrink' : '--history'} is about one seed: add --seed N`);
  }
  const seeds = wholeNumber('--seeds', values.seeds, 1);
  if (seed !== undefined && seeds !== undefined)
    throw new Error('--seed is one seed, --seeds is how many: leave out one');
  const pairs = wholeNumber('--pairs', values.pairs, 0);
  const jobs = wholeNumber('--jobs', values.jobs, 1);
  return {
    ...(scenario === undefined ? {} : { scenario }),
    ...(pairs === undefined ? {} : { pairs }),
    ...(seed === undefined ? {} : { seed }),
    ...(seeds === undefined ? {} : { seeds }),
    from: wholeNumber('--from', values.from, 0) ?? 1,
    ...(jobs === undefined ? {} : { jobs }),
    all,
    json,
    shrink,
    history,
    help,
  };
}

function wholeNumber(name: string, text: string | undefined, minimum: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= minimum) return value;
  throw new Error(`${name} ${text}: write a whole number, ${minimum} or more`);
}
