import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const EVERY_MS = 5_000;
const FAILED =
  'npm could not install the packages; its own words are above. Correct that and run it again. ' +
  '(Where it finds packages missing from the lock file: `npm run lock`.)';

/**
 * Whether node_modules is what package-lock.json asks for, on this kind of machine.
 * @param {string} root
 */
export function packagesAreInstalled(root) {
  try {
    return readFileSync(stampPath(root), 'utf8') === stampFor(root);
  } catch {
    return false;
  }
}

/**
 * Installs exactly what package-lock.json says. The stamp goes first and comes last, so that an installation that
 * was interrupted is done again.
 * @param {string} root
 * @param {readonly string[]} npm how to run npm
 * @param {(line: string) => void} report
 * @param {(pid: number | undefined) => void} onStart
 */
export async function installPackages(root, npm, report, onStart = () => undefined) {
  rmSync(stampPath(root), { force: true });
  const stamp = stampFor(root);
  const started = Date.now();
  const elapsed = () => `${Math.round((Date.now() - started) / 1_000)} s`;
  report('installing the packages of package-lock.json');
  const timer = setInterval(() => report(`installing packages: ${elapsed()}`), EVERY_MS);
  try {
    await run([...npm, 'ci', '--no-audit', '--no-fund', '--loglevel=error'], root, onStart);
  } finally {
    clearInterval(timer);
  }
  writeFileSync(stampPath(root), stamp);
  report(`packages installed in ${elapsed()}`);
}

/** npm says to its scripts where it is; without it, the one on the PATH. */
export function npmCommand() {
  const path = process.env.npm_execpath;
  return path?.endsWith('npm-cli.js') ? [process.execPath, path] : ['npm'];
}

/** @param {string} root */
function stampPath(root) {
  return join(root, 'node_modules', '.fairlead-setup');
}

/** @param {string} root */
function stampFor(root) {
  const lock = readFileSync(join(root, 'package-lock.json'));
  return `${createHash('sha256').update(lock).digest('hex')} ${process.platform} ${process.arch}\n`;
}

/**
 * @param {readonly string[]} command
 * @param {string} directory
 * @param {(pid: number | undefined) => void} onStart
 * @returns {Promise<void>}
 */
function run([program = '', ...parameters], directory, onStart) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] });
    onStart(child.pid);
    child.on('error', (error) => reject(new Error(`npm could not be started: ${error.message}`)));
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(FAILED));
    });
  });
}
