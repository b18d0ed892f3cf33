import { Jobs } from './jobs.ts';
import { keptSeeds } from './kept-seeds.ts';
import { parseOptions, type RunOptions, USAGE } from './run-options.ts';
import { runChecked, runSeeds, type SeedRunner } from './run-seeds.ts';
import type { RunnableScenario } from './scenario.ts';
import { describeFailure, describeSummary, replayCommand, type Summary, summarize } from './summary.ts';

const DEFAULT_SEEDS = 100;
const PROGRESS_EVERY_MILLISECONDS = 5000;

type Print = (text: string) => void;

/** Where a command writes to: standard output, and what must not stand in the way of it. */
export interface Output {
  readonly out: Print;
  readonly error: Print;
}

/** `npm run sim` with these arguments. Gives the exit code: 1 when a seed failed. Rejects when asked for nonsense. */
export async function runCommand(
  commandLine: readonly string[],
  scenarios: readonly RunnableScenario[],
  { out, error }: Output,
): Promise<number> {
  const options = parseOptions(commandLine);
  const print = options.json ? error : out;
  if (options.help || (options.scenario === undefined && !options.all)) {
    out(`${USAGE}\n\n${scenarios.map(({ name, description }) => `${name.padEnd(28)} ${description}`).join('\n')}`);
    return 0;
  }
  const chosen = options.scenario === undefined ? scenarios : [named(scenarios, options.scenario)];
  const [first] = chosen;
  if (options.seed !== undefined && first !== undefined && !options.all) {
    const summary = await runOne(first, options.seed, options, print);
    if (options.json) out(JSON.stringify(summary));
    return summary.failed > 0 ? 1 : 0;
  }
  const jobs = options.jobs === undefined ? undefined : new Jobs(options.jobs);
  try {
    const summaries = await runScenarios(chosen, options, jobs, print);
    if (options.json) out(JSON.stringify(options.all ? overall(summaries) : summaries[0]));
    return summaries.some(({ failed }) => failed > 0) ? 1 : 0;
  } finally {
    jobs?.end();
  }
}

/** Several scenarios go side by side, each in one job, as a crash matrix is one seed; a single one has all jobs. */
async function runScenarios(
  scenarios: readonly RunnableScenario[],
  options: RunOptions,
  jobs: Jobs | undefined,
  print: Print,
): Promise<readonly Summary[]> {
  const [only] = scenarios;
  const runners = jobs?.runners(options.pairs) ?? [];
  if (runners.length > 0 && scenarios.length === 1 && only !== undefined) {
    const all = runners.map((runner) => runner(only.name));
    return [await runMany(only, options, all, print)];
  }
  const summaries = new Map<string, Summary>();
  const remaining = scenarios.values();
  const runNext = async (runnerOf: (scenario: RunnableScenario) => SeedRunner) => {
    for (const scenario of remaining) {
      summaries.set(scenario.name, await runMany(scenario, options, [runnerOf(scenario)], print));
    }
  };
  if (runners.length === 0) await runNext((scenario) => (seed) => runChecked(scenario, seed, options));
  else await Promise.all(runners.map((runner) => runNext(({ name }) => runner(name))));
  return scenarios.flatMap(({ name }) => summaries.get(name) ?? []);
}

/** Throws an error that names those there are. */
export function named(scenarios: readonly RunnableScenario[], name: string): RunnableScenario {
  const found = scenarios.find((scenario) => scenario.name === name);
  if (found !== undefined) return found;
  throw new Error(`there is no scenario ${name}; there are ${scenarios.map((scenario) => scenario.name).join(', ')}`);
}

async function runMany(
  scenario: RunnableScenario,
  options: RunOptions,
  runners: readonly SeedRunner[],
  print: Print,
): Promise<Summary> {
  const { name } = scenario;
  const seeds = seedsOf(scenario, options);
  const startedAt = performance.now();
  let saidAt = startedAt;
  let failures = 0;
  const reports = await runSeeds(seeds, runners, (report, done) => {
    if (report.failure !== undefined) {
      failures += 1;
      const { invariant, sentence } = report.failure;
      if (failures === 1) print(describeFailure(name, report));
      else
        print(`${name}: seed ${report.seed} broke «${invariant}»: ${sentence} (${replayCommand(name, report.seed)})`);
    }
    if (performance.now() - saidAt < PROGRESS_EVERY_MILLISECONDS) return;
    saidAt = performance.now();
    print(`${name}: ${done} of ${seeds.length} seeds, ${failures} failed`);
  });
  const summary = summarize(name, reports, performance.now() - startedAt);
  print(describeSummary(summary));
  return summary;
}

function seedsOf(scenario: RunnableScenario, options: RunOptions): readonly number[] {
  const wanted = options.seeds ?? scenario.seeds ?? DEFAULT_SEEDS;
  const count = options.all ? Math.min(wanted, scenario.seeds ?? wanted) : wanted;
  const drawn = Array.from({ length: count }, (_, index) => options.from + index);
  return [...new Set([...keptSeeds(scenario.name), ...drawn])];
}

/** One seed, looked at closely. */
async function runOne(scenario: RunnableScenario, seed: number, options: RunOptions, print: Print): Promise<Summary> {
  const startedAt = performance.now();
  const report = await scenario.run(seed, { ...options, keepsHistory: options.history });
  if (options.history) print(report.history.join('\n'));
  if (options.shrink && report.failure !== undefined) await printShrunk(scenario, seed, print);
  else print(describeFailure(scenario.name, report));
  print(`history ${report.hash}`);
  return summarize(scenario.name, [report], performance.now() - startedAt);
}

async function printShrunk(scenario: RunnableScenario, seed: number, print: Print): Promise<void> {
  if (scenario.shrink === undefined) {
    print(`${scenario.name} has nothing random that could be left out`);
    return;
  }
  let saidAt = performance.now();
  const { report, script, runs } = await scenario.shrink(seed, (size, tried) => {
    if (performance.now() - saidAt < PROGRESS_EVERY_MILLISECONDS) return;
    saidAt = performance.now();
    print(`shrinking: ${size} things left after ${tried} runs`);
  });
  print(`The shortest history that fails in the same way (found in ${runs} runs) has ${script.length} things in it:`);
  for (const line of script) print(`  ${line}`);
  print(describeFailure(scenario.name, report));
}

function overall(summaries: readonly Summary[]): object {
  const sum = (valueOf: (summary: Summary) => number) => summaries.reduce((total, one) => total + valueOf(one), 0);
  return {
    scenarios: summaries,
    seeds: sum(({ seeds }) => seeds),
    failed: sum(({ failed }) => failed),
    seconds: Math.round(sum(({ seconds }) => seconds) * 10) / 10,
  };
}
