import { AskedProcess } from './asked-process.ts';
import type { SeedRunner } from './run-seeds.ts';
import type { SeedReport } from './scenario.ts';

/** What a job is asked, and what it answers. */
export interface JobRequest {
  readonly scenario: string;
  readonly seed: number;
  readonly pairs: number | undefined;
}
export type JobAnswer = { readonly report: SeedReport } | { readonly error: string };

/** A process is replaced after so many seeds: of one that is killed in a simulation, signals stay in memory. */
const SEEDS_OF_A_PROCESS = 200;

/** Processes that run seeds, one at a time each. */
export class Jobs {
  readonly #jobs: readonly Job[];

  constructor(count: number) {
    this.#jobs = Array.from({ length: count }, () => new Job());
  }

  /** One for each process. */
  runners(pairs: number | undefined): readonly ((scenario: string) => SeedRunner)[] {
    return this.#jobs.map((job) => (scenario) => (seed) => job.run({ scenario, seed, pairs }));
  }

  end(): void {
    for (const job of this.#jobs) job.end();
  }
}

class Job {
  #process = start();
  #seeds = 0;

  async run(request: JobRequest): Promise<SeedReport> {
    if (this.#seeds === SEEDS_OF_A_PROCESS) {
      void this.#process.hangUp();
      this.#process = start();
      this.#seeds = 0;
    }
    this.#seeds += 1;
    const answer = await this.#process.ask(request);
    if ('error' in answer) throw new Error(answer.error);
    return answer.report;
  }

  end(): void {
    void this.#process.hangUp();
  }
}

function start(): AskedProcess<JobRequest, JobAnswer> {
  return new AskedProcess(new URL('./job.ts', import.meta.url));
}
