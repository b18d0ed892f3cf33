import { buildComponents } from './components.ts';

/** Vitest calls this before the first end-to-end test: a build of minutes does not fit into a test's time limit. */
export async function setup(): Promise<void> {
  await buildComponents();
}
