import { named } from './command.ts';
import type { JobAnswer, JobRequest } from './jobs.ts';
import { scenarios } from './registry.ts';
import { runChecked } from './run-seeds.ts';

/** Runs the seeds that the parent asks for, until it hangs up. */
process.on('message', (request: JobRequest) => {
  void answer(request).then((sent) => process.send?.(sent));
});

async function answer({ scenario, seed, pairs }: JobRequest): Promise<JobAnswer> {
  try {
    return { report: await runChecked(named(scenarios, scenario), seed, pairs === undefined ? {} : { pairs }) };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
