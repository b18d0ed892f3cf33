import { join } from 'node:path';

// What the tests of one run share: the program as it is delivered, and their configurations.

/** Where `bundleProgram` put it. */
export function programOf(runFolder: string): string {
  return join(runFolder, 'fairlead.mjs');
}

/** Some of what a program of ours does until it begins is to compile itself: that is done once in a run. */
export function startsQuickly(runFolder: string): Readonly<Record<string, string>> {
  return { NODE_COMPILE_CACHE: join(runFolder, 'compiled') };
}
