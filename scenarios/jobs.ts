import { type ChildProcess, fork } from 'node:child_process';
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
  #child = start();
  #seeds = 0;

  run(request: JobRequest): Promise<SeedReport> {
    if (this.#seeds === SEEDS_OF_A_PROCESS) {
      this.end();
      this.#child = start();
      this.#seeds = 0;
    }
    this.#seeds += 1;
    return ask(this.#child, request);
  }

  end(): void {
    this.#child.disconnect();
  }
}

function start(): ChildProcess {
  return fork(new URL('./job.ts', import.meta.url));
}

function ask(child: ChildProcess, request: JobRequest): Promise<SeedReport> {
  return new Promise((resolve, reject) => {
    const settle = (action: () => void) => {
      child.off('message', onMessage);
      child.off('exit', onExit);
      action();
    };
    const onMessage = (answer: JobAnswer) =>
      settle(() => ('report' in answer ? resolve(answer.report) : reject(new Error(answer.error))));
    const onExit = (code: number | null) =>
      settle(() => reject(new Error(`the job for seed ${request.seed} ended with ${code ?? 'a signal'}`)));
    child.on('message', onMessage);
    child.on('exit', onExit);
    child.send(request);
  });
}
