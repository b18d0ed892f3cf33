import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { FairleadError, messageOf, systemCodeOf } from '@fairlead/control';
import type { StateFolder } from '../apply/node.ts';

/** Files in a folder of ours, which is made where it is not there. */
export function stateFolder(folder: string): StateFolder {
  return {
    read: (name) =>
      readFile(join(folder, name), 'utf8').catch((error: unknown) => {
        if (systemCodeOf(error) === 'ENOENT') return undefined;
        throw unusable(folder, error);
      }),

    async replace(name, text) {
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const next = join(folder, `${name}.new`);
        await write(next, 'w', text);
        await rename(next, join(folder, name));
        await synchronise(folder);
      } catch (error) {
        throw unusable(folder, error);
      }
    },

    async append(name, text) {
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await write(join(folder, name), 'a', text);
      } catch (error) {
        throw unusable(folder, error);
      }
    },
  };
}

async function write(path: string, flags: 'a' | 'w', text: string): Promise<void> {
  const file = await open(path, flags, 0o600);
  try {
    await file.writeFile(text);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** A new name is on disk when its folder is. */
async function synchronise(folder: string): Promise<void> {
  const opened = await open(folder, 'r');
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}

function unusable(folder: string, cause: unknown): FairleadError {
  return new FairleadError(`cannot use the state folder ${folder}: ${messageOf(cause)}`, {
    verdict: 'retriable',
    code: 'state-folder-unusable',
    cause,
  });
}
