import {
  type CrashFinding,
  crashMatrix,
  describeScript,
  type Failure,
  type Outcome,
  playSeed,
  type Scenario,
  shrink,
} from '@fairlead/sim';

/** How one seed went. */
export interface SeedReport {
  readonly seed: number;
  /** Of everything that happened. */
  readonly hash: string;
  /** Absent when all went well. */
  readonly failure?: Failure;
  /** What there is to count; summed up over all seeds. */
  readonly counts: Readonly<Record<string, number>>;
  /** All lines, if they were asked for. */
  readonly history: readonly string[];
}

/** The shortest way found to make a seed fail. */
export interface ShrunkReport {
  readonly report: SeedReport;
  /** What has to happen for it, a line for each thing. */
  readonly script: readonly string[];
  readonly runs: number;
}

export interface SeedOptions {
  readonly keepsHistory?: boolean;
  /** How many pairs of crashes a crash matrix tries; a few unless told otherwise. */
  readonly pairs?: number;
}

/** A scenario as the command line sees it, whatever is in its world. */
export interface RunnableScenario {
  readonly name: string;
  /** One sentence: what runs, what is done to it, what is checked. */
  readonly description: string;
  /** How many seeds a run without `--seeds` has; `--all` never runs more than this of a scenario that says so. */
  readonly seeds?: number;
  run(seed: number, options?: SeedOptions): Promise<SeedReport>;
  /** Absent for what has nothing random to leave out. */
  shrink?(seed: number, onProgress: (size: number, runs: number) => void): Promise<ShrunkReport>;
}

/** Random actions and faults, another history with each seed. */
export function randomScenario<World, Action>(scenario: Scenario<World, Action>): RunnableScenario {
  return {
    name: scenario.name,
    description: scenario.description,
    run: async (seed, options = {}) => reportOf(await playSeed(scenario, seed, options)),
    async shrink(seed, onProgress) {
      const failed = await playSeed(scenario, seed);
      const { script, outcome, runs } = await shrink(scenario, failed, { onProgress });
      return { report: reportOf(outcome), script: describeScript(script, (action) => scenario.describe(action)), runs };
    },
  };
}

/**
 * The crash matrix of a scenario: the process is killed before and after every one of its outside calls, and twice at
 * some pairs of them.
 */
export function crashScenario<World, Action>(
  name: string,
  description: string,
  scenario: Scenario<World, Action>,
  { pairs: fewPairs = 0 }: { readonly pairs?: number } = {},
): RunnableScenario {
  return {
    name,
    description,
    seeds: 1,
    async run(seed, { pairs = fewPairs } = {}) {
      const { findings, hash, ...counts } = await crashMatrix(scenario, { seed, pairs });
      const [first] = findings;
      const report = { seed, hash, counts, history: [] };
      if (first === undefined) return report;
      const sentence = `killed ${crashText(first)}: ${first.sentence}`;
      const others = findings.slice(1).map((finding) => `also ${finding.problem} when killed ${crashText(finding)}`);
      const failure: Failure = { invariant: first.problem, sentence, step: 0, at: 0, tail: first.excerpt };
      return { ...report, failure: others.length === 0 ? failure : { ...failure, details: others.join('\n') } };
    },
  };
}

function crashText({ crashes }: CrashFinding): string {
  return crashes.map(({ side, call }) => `${side} ${call}`).join(', and then ');
}

function reportOf<Action>(outcome: Outcome<Action>): SeedReport {
  const { seed, hash, failure, steps, history } = outcome;
  return { seed, hash, counts: { steps }, history, ...(failure === undefined ? {} : { failure }) };
}
