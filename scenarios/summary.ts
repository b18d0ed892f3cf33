import { createHash } from 'node:crypto';
import type { SeedReport } from './scenario.ts';

/** How a scenario went over all its seeds; also what `--json` prints. */
export interface Summary {
  readonly scenario: string;
  readonly seeds: number;
  readonly failed: number;
  readonly failedSeeds: readonly number[];
  readonly seconds: number;
  readonly seedsPerMinute: number;
  /** Over the histories of all seeds: two runs of the same seeds over the same code have the same. */
  readonly hash: string;
  /** What the scenario counts. */
  readonly [count: string]: unknown;
}

/** `reports` may come in any order. */
export function summarize(scenario: string, reports: readonly SeedReport[], milliseconds: number): Summary {
  const ordered = reports.toSorted((left, right) => left.seed - right.seed);
  const digest = createHash('sha256');
  const counts: Record<string, number> = {};
  for (const { seed, hash, counts: found } of ordered) {
    digest.update(`${seed} ${hash}\n`);
    for (const [name, count] of Object.entries(found)) counts[name] = (counts[name] ?? 0) + count;
  }
  const failedSeeds = ordered.filter(({ failure }) => failure !== undefined).map(({ seed }) => seed);
  return {
    scenario,
    seeds: ordered.length,
    failed: failedSeeds.length,
    failedSeeds,
    seconds: Math.round(milliseconds / 100) / 10,
    seedsPerMinute: milliseconds === 0 ? 0 : Math.round((ordered.length * 60_000) / milliseconds),
    hash: digest.digest('hex'),
    ...counts,
  };
}

/** The summary in one line. */
export function describeSummary(summary: Summary): string {
  const { scenario, seeds, failed, seconds, seedsPerMinute } = summary;
  const verdict = failed === 0 ? 'all well' : `${failed} FAILED`;
  return `${scenario}: ${seeds} seeds in ${seconds} s (${seedsPerMinute} a minute), ${verdict}`;
}

/** A failed seed for a person: what broke, where, what came before, and the command that shows it again. */
export function describeFailure(scenario: string, report: SeedReport): string {
  const { seed, failure } = report;
  if (failure === undefined) return `${scenario}: seed ${seed} went well`;
  const { invariant, sentence, details, step, at, tail } = failure;
  const when = step === 0 ? '' : ` at ${(at / 1000).toFixed(3)} s, step ${step}`;
  return [
    ...tail.map((line) => `    ${line}`),
    `${scenario}: seed ${seed} broke «${invariant}»${when}:`,
    `  ${sentence}`,
    ...(details === undefined ? [] : [details]),
    `Replay: ${replayCommand(scenario, seed)}`,
  ].join('\n');
}

export function replayCommand(scenario: string, seed: number): string {
  return `npm run sim -- ${scenario} --seed ${seed}`;
}
