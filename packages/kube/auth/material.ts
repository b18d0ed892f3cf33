import { FairleadError } from '@fairlead/control';
import type { Host } from './host.ts';
import type { Material } from './target.ts';

/** The text, read anew when it is in a file. `what` names it in the error when the file is not there. */
export async function readMaterial(
  host: Host,
  material: Material | undefined,
  what: string,
): Promise<string | undefined> {
  if (material === undefined) return undefined;
  if (material.kind === 'inline') return material.text;
  const text = await host.readFile(material.path);
  if (text !== undefined) return text;
  throw new FairleadError(`the ${what} ${material.path} does not exist: create it, or correct its path`, {
    verdict: 'retriable',
    code: 'credential-file-missing',
  });
}
