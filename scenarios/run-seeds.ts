import type { RunnableScenario, SeedOptions, SeedReport } from './scenario.ts';

/** Runs one seed. */
export type SeedRunner = (seed: number) => Promise<SeedReport>;

/** After so many failed seeds there is nothing more to learn. */
const ENOUGH_FAILURES = 10;
/** One seed in so many is run twice, to see that it gives the same history; a scenario of one seed has none to spare. */
const TWICE_EVERY = 50;

/** Runs the seeds in order, as many at a time as there are runners. */
export async function runSeeds(
  seeds: readonly number[],
  runners: readonly SeedRunner[],
  onReport: (report: SeedReport, done: number) => void,
): Promise<readonly SeedReport[]> {
  const waiting = [...seeds];
  const reports: SeedReport[] = [];
  let failures = 0;
  const work = async (run: SeedRunner) => {
    for (;;) {
      const seed = failures >= ENOUGH_FAILURES ? undefined : waiting.shift();
      if (seed === undefined) return;
      const report = await run(seed);
      reports.push(report);
      if (report.failure !== undefined) failures += 1;
      onReport(report, reports.length);
    }
  };
  await Promise.all(runners.map(work));
  return reports;
}

/** Runs a seed, and some seeds twice: a history that differs from the first is a failure of its own. */
export async function runChecked(
  scenario: RunnableScenario,
  seed: number,
  options: Pick<SeedOptions, 'pairs'> = {},
): Promise<SeedReport> {
  const report = await scenario.run(seed, options);
  if (report.failure !== undefined || scenario.seeds === 1 || seed % TWICE_EVERY !== 1) return report;
  const again = await scenario.run(seed);
  if (again.hash === report.hash) return report;
  const [first, second] = [
    await scenario.run(seed, { keepsHistory: true }),
    await scenario.run(seed, { keepsHistory: true }),
  ];
  const line = first.history.findIndex((text, index) => text !== second.history[index]);
  return {
    ...report,
    failure: {
      invariant: 'one seed gives one history',
      sentence: `the second run differs from line ${line + 1} on`,
      details: `first:  ${first.history[line] ?? 'the end'}\nsecond: ${second.history[line] ?? 'the end'}`,
      step: 0,
      at: 0,
      tail: first.history.slice(Math.max(0, line - 20), Math.max(0, line)),
    },
  };
}
