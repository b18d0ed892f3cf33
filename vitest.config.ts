import { defineConfig } from 'vitest/config';
import { defectPlugins } from './scenarios/mutations/plugin.ts';

export default defineConfig({
  test: {
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
          setupFiles: ['property-seed.ts'],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          globalSetup: ['e2e/harness/global-setup.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // They wait more than they work.
          maxWorkers: 2,
        },
      },
    ],
  },
});
