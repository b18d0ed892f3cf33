import type { TestProject } from 'vitest/node';
import { shareOpenStack } from '../openstack/sharing.ts';
import { buildComponents } from './components.ts';
import { Fairlead } from './fairlead.ts';

/** Vitest calls this before the first end-to-end test: a build of minutes does not fit into a test's time limit. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await buildComponents();
  const sharing = await shareOpenStack();
  project.provide('openStackSharing', sharing.url);
  return async () => {
    await sharing.stop();
    await Fairlead.removeAll(process.pid);
  };
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where a test gets the one OpenStack of this run. */
    openStackSharing: string;
  }
}
