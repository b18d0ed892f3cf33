import { runCommand } from './command.ts';
import { scenarios } from './registry.ts';

try {
  process.exitCode = await runCommand(process.argv.slice(2), scenarios, { out: console.log, error: console.error });
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
