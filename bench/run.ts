// Runs a bench: `npm run bench -- NAME [--json] [--check]`; without a name, lists them.
import { runBenches } from './command.ts';
import { benches } from './registry.ts';

process.exitCode = await runBenches(process.argv.slice(2), benches, {
  print: (line) => console.log(line),
  report: (line) => console.error(line),
});
