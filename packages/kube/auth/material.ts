import { FairleadError } from '@fairlead/control';
import type { Host } from './host.ts';
import type { Material } from './target.ts';

/** The text, read anew when it is in a file. `what` names it in the error when the file is not there or empty. */
export async function readMaterial(
  host: Host,
  material: Material | undefined,
  what: string,
): Promise<string | undefined> {
  if (material === undefined) return undefined;
  if (material.kind === 'inline') return material.text;
  const text = await host.readFile(material.path);
  if (text === undefined) throw unusable('missing', `the ${what} ${material.path} does not exist: create it`);
  // Without its token, say, we would be another user.
  if (text.trim() === '') throw unusable('empty', `the ${what} ${material.path} is empty: fill it`);
  return text;
}

/** Retriable: the kubelet, or another writer of these files, may be about to write them. */
function unusable(how: 'missing' | 'empty', message: string): FairleadError {
  return new FairleadError(`${message}, or correct its path`, {
    verdict: 'retriable',
    code: `credential-file-${how}`,
  });
}
