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

/** Processes that run seeds, one at a time each. */
export class Jobs {
  readonly #children: readonly ChildProcess[];

  constructor(count: number) {
    const file = new URL('./job.ts', import.meta.url);
    this.#children = Array.from({ length: count }, () => fork(file));
  }

  /** One for each process. */
  runners(pairs: number | undefined): readonly ((scenario: string) => SeedRunner)[] {
    return this.#children.map((child) => (scenario) => (seed) => ask(child, { scenario, seed, pairs }));
  }

  end(): void {
    for (const child of this.#children) child.disconnect();
  }
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
