import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A temporary folder that nobody else uses, from when it is asked for until it is given back. */
export interface OwnTemporaryFolder {
  /** Removes it, and gives the names of what was left in it. */
  giveBack(): Promise<readonly string[]>;
}

/** Gives this process, and those that it starts, a temporary folder of their own inside the one they had. */
export async function ownTemporaryFolder(): Promise<OwnTemporaryFolder> {
  const before = process.env['TMPDIR'];
  // Short: the path of a socket has some hundred characters.
  const folder = await mkdtemp(join(tmpdir(), 'own-'));
  process.env['TMPDIR'] = folder;
  return {
    async giveBack() {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
      const left = await readdir(folder);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
      return left.toSorted();
    },
  };
}
