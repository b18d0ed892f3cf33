import { messageOf } from '@fairlead/control';
import { type Bench, type Figures, limitOf, shortfalls } from './bench.ts';

/** Where the command writes: results, and what is only of interest while it runs. */
export interface Output {
  readonly print: (line: string) => void;
  readonly report: (line: string) => void;
}

const OPTIONS = ['--json', '--check'];
const HELP = ['--help', '-h'];

/** Runs the command line; gives the exit code. */
export async function runBenches(
  parameters: readonly string[],
  benches: readonly Bench[],
  output: Output,
): Promise<number> {
  if (parameters.some((parameter) => HELP.includes(parameter))) {
    list(benches, output);
    return 0;
  }
  const names = parameters.filter((parameter) => !parameter.startsWith('-'));
  const unknown = parameters.find((parameter) => parameter.startsWith('-') && !OPTIONS.includes(parameter));
  if (unknown !== undefined) {
    output.report(`unknown option ${unknown}; there are ${OPTIONS.join(' and ')}`);
    return 2;
  }
  const [name] = names;
  if (name === undefined) {
    list(benches, output);
    return 0;
  }
  const bench = benches.find((candidate) => candidate.name === name);
  if (bench === undefined || names.length > 1) {
    const known = benches.map((candidate) => candidate.name).join(', ');
    output.report(names.length > 1 ? 'name one bench at a time' : `there is no bench ${name}; there are: ${known}`);
    return 2;
  }
  return runBench(bench, { json: parameters.includes('--json'), check: parameters.includes('--check') }, output);
}

function list(benches: readonly Bench[], { print }: Output): void {
  print('Run one with `npm run bench -- NAME [--json] [--check]`:');
  for (const { name, description, targets } of benches) {
    print(`\n${name}: ${description}`);
    for (const target of targets) print(`  ${target.figure} ${limitOf(target)}: ${target.why}`);
  }
}

async function runBench(
  bench: Bench,
  { json, check }: { readonly json: boolean; readonly check: boolean },
  { print, report }: Output,
): Promise<number> {
  let figures: Figures;
  try {
    figures = await bench.run(report);
  } catch (error) {
    report(`the bench ${bench.name} failed: ${messageOf(error)}`);
    return 1;
  }
  if (!json) for (const [name, value] of Object.entries(figures)) print(`${name.padEnd(36)} ${value}`);
  const missed = check ? shortfalls(bench.targets, figures) : [];
  for (const sentence of missed) report(sentence);
  if (check && missed.length === 0) report(`all ${bench.targets.length} targets of ${bench.name} are met`);
  if (json) print(JSON.stringify(figures));
  return missed.length === 0 ? 0 : 1;
}
