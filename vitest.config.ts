import { defineConfig } from 'vitest/config';
import { LongWaitsFirst } from './e2e/harness/long-waits-first.ts';
import { defectPlugins } from './scenarios/mutations/plugin.ts';

export default defineConfig({
  test: {
    sequence: { sequencer: LongWaitsFirst },
    projects: [
      {
        plugins: defectPlugins(),
        test: {
          name: 'unit',
          include: ['packages', 'examples', 'scripts', 'scenarios', 'bench', 'deploy'].map(
            (folder) => `${folder}/**/*.test.ts`,
          ),
          isolate: false,
          maxWorkers: 2,
          setupFiles: ['nothing-left-behind.ts', 'property-seed.ts'],
          testTimeout: 20_000,
        },
      },
      {
        plugins: defectPlugins(),
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          globalSetup: ['e2e/harness/global-setup.ts'],
          setupFiles: ['nothing-left-behind.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // They wait more than they work.
          maxWorkers: 2,
        },
      },
    ],
  },
});
