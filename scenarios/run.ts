import { Jobs } from './jobs.ts';
import { keptSeeds } from './kept-seeds.ts';
import { findScenario, scenarios } from './registry.ts';
import { parseOptions, type RunOptions, USAGE } from './run-options.ts';
import { runChecked, runSeeds } from './run-seeds.ts';
import type { RunnableScenario } from './scenario.ts';
import { describeFailure, describeSummary, replayCommand, type Summary, summarize } from './summary.ts';

const DEFAULT_SEEDS = 100;
const PROGRESS_EVERY_MILLISECONDS = 5000;

/** With `--json`, what people read goes to standard error. */
type Print = (text: string) => void;

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2));
  const print: Print = options.json ? console.error : console.log;
  if (options.help || (options.scenario === undefined && !options.all)) {
    print(`${USAGE}\n\n${scenarios.map(({ name, description }) => `${name.padEnd(28)} ${description}`).join('\n')}`);
    return 0;
  }
  if (options.seed !== undefined && options.scenario !== undefined) {
    return runOne(findScenario(options.scenario), options.seed, options, print);
  }
  const chosen = options.scenario === undefined ? scenarios : [findScenario(options.scenario)];
  const jobs = options.jobs > 1 ? new Jobs(options.jobs) : undefined;
  const summaries: Summary[] = [];
  for (const scenario of chosen) summaries.push(await runMany(scenario, options, jobs, print));
  jobs?.end();
  if (options.json) console.log(JSON.stringify(options.all ? overall(summaries) : summaries[0]));
  return summaries.some(({ failed }) => failed > 0) ? 1 : 0;
}

async function runMany(
  scenario: RunnableScenario,
  options: RunOptions,
  jobs: Jobs | undefined,
  print: Print,
): Promise<Summary> {
  const { name } = scenario;
  const seeds = seedsOf(scenario, options);
  const startedAt = performance.now();
  let saidAt = startedAt;
  let failures = 0;
  const runners = jobs?.runners(name) ?? [(seed: number) => runChecked(scenario, seed)];
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
async function runOne(scenario: RunnableScenario, seed: number, options: RunOptions, print: Print): Promise<number> {
  const startedAt = performance.now();
  const report = await scenario.run(seed, { keepsHistory: options.history });
  if (options.history) print(report.history.join('\n'));
  print(describeFailure(scenario.name, report));
  if (options.shrink && report.failure !== undefined) await printShrunk(scenario, seed, print);
  const summary = summarize(scenario.name, [report], performance.now() - startedAt);
  if (options.json) console.log(JSON.stringify(summary));
  else print(`history ${report.hash}`);
  return report.failure === undefined ? 0 : 1;
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
  print(`\nThe shortest history that fails in the same way (found in ${runs} runs) has ${script.length} things in it:`);
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

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
