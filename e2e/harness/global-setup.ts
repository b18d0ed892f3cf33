import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { bundleProgram } from '../../deploy/bundle-program.ts';
import { withDefect } from '../../scenarios/mutations/defect.ts';
import { shareOpenStack } from '../openstack/sharing.ts';
import { chartFolder } from './chart-folder.ts';
import { buildComponents } from './components.ts';

/** Vitest calls this before the first end-to-end test: a build of minutes does not fit into a test's time limit. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await buildComponents();
  const runFolder = await mkdtemp(join(tmpdir(), 'fairlead-e2e-'));
  await bundleProgram(runFolder, withDefect);
  project.provide('runFolder', runFolder);
  project.provide('chart', await chartFolder(runFolder));
  const sharing = await shareOpenStack();
  project.provide('openStackSharing', sharing.url);
  return async () => {
    await sharing.stop();
    await rm(runFolder, { recursive: true, maxRetries: 5 });
  };
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder of the chart. */
    chart: string;
    /** Where a test gets the one OpenStack of this run. */
    openStackSharing: string;
    /** Where the program is, and what belongs to no file of tests alone. */
    runFolder: string;
  }
}
