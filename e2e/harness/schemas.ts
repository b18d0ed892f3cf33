import { join } from 'node:path';
import { runCommand } from '../../scripts/run-command.ts';
import { schemasBinary } from './components.ts';

const root = join(import.meta.dirname, '..', '..');

/** The file that holds the schemas of the simulated Kubernetes API. */
export const SCHEMAS_FILE = join(root, 'packages/sim/kube/schema/generated.ts');

/** What that file has to hold, out of the types of the Kubernetes release that the cluster is built from. */
export async function generatedSchemas(): Promise<string> {
  const printed = await output(await schemasBinary(), []);
  const biome = join(root, 'node_modules', '.bin', 'biome');
  return output(biome, ['format', `--stdin-file-path=${SCHEMAS_FILE}`], printed);
}

async function output(command: string, parameters: readonly string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await runCommand(command, parameters, input);
  if (code !== 0) throw new Error(`${command} failed: ${stderr}`);
  return stdout;
}
