import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from './has-code.ts';

const BEAT_MS = 2_000;
const STALE_MS = 20_000;
const POLL_MS = 100;

/**
 * Runs `work` while this process alone holds the lock file. A lock whose process is dead, or has not touched it for
 * twenty seconds, is taken over. In the rarest of races two processes may both believe they hold it, so `work` must
 * publish its result atomically.
 */
export async function withFileLock<Result>(
  path: string,
  onWait: () => void,
  work: () => Promise<Result>,
): Promise<Result> {
  const mine = `${process.pid} ${hostname()} ${randomUUID()}`;
  for (let waited = false; !(await tryCreate(path, mine)); ) {
    if (await takeOverIfStale(path)) continue;
    if (!waited) onWait();
    waited = true;
    await sleep(POLL_MS);
  }
  const beat = setInterval(() => void touch(path), BEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    if ((await read(path)) === mine) await rm(path, { force: true });
  }
}

async function tryCreate(path: string, content: string): Promise<boolean> {
  try {
    await writeFile(path, content, { flag: 'wx' });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** True when the lock is gone now, so that it is worth trying to create it at once. */
async function takeOverIfStale(path: string): Promise<boolean> {
  const holder = await read(path);
  if (holder === undefined) return true;
  if (!isDead(holder) && Date.now() - (await modifiedAt(path)) < STALE_MS) return false;
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return true;
    throw error;
  }
  // Between reading and renaming, another process may have taken the lock over: then this was its lock.
  if ((await read(aside)) !== holder) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
  return true;
}

function isDead(holder: string): boolean {
  const [pid, host] = holder.split(' ');
  // Another machine's, or one that is being written at this moment: only its age tells.
  if (host !== hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return hasCode(error, 'ESRCH');
  }
}

async function read(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

async function modifiedAt(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return Number.NEGATIVE_INFINITY;
    throw error;
  }
}

async function touch(path: string): Promise<void> {
  const now = new Date();
  // The lock may have been taken over after a long pause of this process; release looks at the content.
  await utimes(path, now, now).catch(() => undefined);
}
