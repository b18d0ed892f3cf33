import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { withFileLock } from './file-lock.ts';
import { hasCode } from './has-code.ts';
import type { Report } from './progress.ts';

const KEPT_PER_SHELF = 3;
const UNFINISHED = '.unfinished-';

export interface CacheEntry {
  /** The folder that holds all entries for one thing; the newest few are kept. */
  readonly shelf: string;
  /** A hash of everything that shapes the content. */
  readonly key: string;
  /** What is being made, for the line that says that another process is at it. */
  readonly what: string;
}

/**
 * The folder that `make` filled for this key, now or earlier. It appears whole or not at all: a process killed in the
 * middle leaves only what the next one clears away. Two processes do not make the same thing at once.
 */
export async function cachedByContent(
  entry: CacheEntry,
  report: Report,
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const finished = join(entry.shelf, entry.key);
  if (await use(finished)) return finished;
  await mkdir(entry.shelf, { recursive: true });
  const onWait = (): void => report(`${entry.what}: another process is at it, waiting`);
  return withFileLock(join(entry.shelf, '.lock'), onWait, async () => {
    if (await use(finished)) return finished;
    await removeUnfinished(entry.shelf);
    const fresh = join(entry.shelf, `${UNFINISHED}${randomUUID()}`);
    await mkdir(fresh);
    try {
      await make(fresh);
      await publish(fresh, finished);
    } finally {
      await rm(fresh, { recursive: true, force: true });
    }
    await use(finished);
    await prune(entry.shelf);
    return finished;
  });
}

/** True when it is there; marks it as used now, which is what pruning goes by. */
async function use(finished: string): Promise<boolean> {
  const now = new Date();
  try {
    await utimes(finished, now, now);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

/** Called under the lock, so that whatever is unfinished belongs to a process that died. */
async function removeUnfinished(shelf: string): Promise<void> {
  for (const name of await readdir(shelf)) {
    if (name.startsWith(UNFINISHED)) await rm(join(shelf, name), { recursive: true, force: true });
  }
}

async function publish(fresh: string, finished: string): Promise<void> {
  try {
    await rename(fresh, finished);
  } catch (error) {
    // Somebody published the same content first: theirs is as good.
    if (!hasCode(error, 'ENOTEMPTY') && !hasCode(error, 'EEXIST')) throw error;
  }
}

async function prune(shelf: string): Promise<void> {
  const entries: { readonly path: string; readonly usedAt: number }[] = [];
  for (const key of await readdir(shelf)) {
    const path = join(shelf, key);
    if (!key.startsWith('.')) entries.push({ path, usedAt: (await stat(path)).mtimeMs });
  }
  entries.sort((left, right) => right.usedAt - left.usedAt);
  for (const { path } of entries.slice(KEPT_PER_SHELF)) await rm(path, { recursive: true, force: true });
}
