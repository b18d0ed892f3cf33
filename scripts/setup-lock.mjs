import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 200;
/** Longer than any installation; by then its number may belong to another process. */
const STALE_MS = 900_000;

/**
 * Lets one process at a time set up this checkout: two installations at once would take each other's files away.
 * `work` names its own children: one that outlives this process goes on holding the lock.
 * @param {string} root
 * @param {() => void} onWait
 * @param {(holdFor: (pid: number | undefined) => void) => Promise<void>} work
 */
export async function oneAtATime(root, onWait, work) {
  // Not inside node_modules: the installation begins by emptying that.
  const path = join(tmpdir(), `fairlead-setup-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`);
  for (let waited = false; !tryLock(path); await sleep(POLL_MS)) {
    if (!waited) onWait();
    waited = true;
  }
  try {
    await work((pid) => appendFileSync(path, ` ${pid ?? ''}`));
  } finally {
    rmSync(path, { force: true });
  }
}

/** @param {string} path */
function tryLock(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    if (!holderIsAlive(path)) rmSync(path, { force: true });
    return false;
  }
}

/** @param {string} path */
function holderIsAlive(path) {
  try {
    const pids = readFileSync(path, 'utf8').split(' ').filter(Boolean).map(Number);
    // None while it is being written.
    return Date.now() - statSync(path).mtimeMs < STALE_MS && (pids.length === 0 || pids.some(isAlive));
  } catch {
    return false;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
