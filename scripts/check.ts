// All that can be said about the code without running it: `npm run check`.
import { join } from 'node:path';
import { formatDuration } from './progress.ts';
import { runCommand } from './run-command.ts';

const checks = [
  { name: 'types', command: 'tsc', parameters: ['--project', '.'] },
  { name: 'lint', command: 'oxlint', parameters: ['--type-aware', '--deny-warnings'] },
  { name: 'format', command: 'biome', parameters: ['format', '.'] },
  { name: 'dead code', command: 'knip', parameters: ['--no-progress', '--treat-config-hints-as-errors'] },
  // What a package offers must be used by somebody too, else it is dead code with a public name.
  {
    name: 'unused API',
    command: 'knip',
    parameters: ['--no-progress', '--include=exports', '--include-entry-exports'],
  },
];

const root = join(import.meta.dirname, '..');
process.chdir(root);

const outcomes = await Promise.all(
  checks.map(async ({ name, command, parameters }) => {
    const started = performance.now();
    const outcome = await runCommand(join(root, 'node_modules', '.bin', command), parameters);
    console.log(
      `${name.padEnd(10)} ${outcome.code === 0 ? 'ok    ' : 'FAILED'} ${formatDuration(performance.now() - started)}`,
    );
    return { name, ...outcome };
  }),
);
for (const { name, code, stdout, stderr } of outcomes) {
  if (code !== 0) console.log(`\n${name}:\n${stdout}${stderr}`);
}
process.exitCode = outcomes.every(({ code }) => code === 0) ? 0 : 1;
