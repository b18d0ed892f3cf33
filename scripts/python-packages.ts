import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cachedByContent } from './content-cache.ts';
import { hasCode } from './has-code.ts';
import { type Report, reportToStderr, withProgress } from './progress.ts';
import { type Outcome, runCommand } from './run-command.ts';
import { userCacheDirectory } from './user-cache.ts';

/** One line that says why there are no packages, and what to do. */
export class PythonError extends Error {
  override readonly name = 'PythonError';
}

export interface PythonPackages {
  /** In the cache, and in messages. */
  readonly name: string;
  /** Pinned versions with their hashes, as `pip --require-hashes` takes them. */
  readonly lockFile: string;
}

/** Where to install them: the defaults are right outside of tests. */
export interface PythonSite {
  /** Tried in turn. */
  readonly interpreters?: readonly string[];
  readonly cacheDirectory?: string;
  readonly report?: Report;
}

const OLDEST = [3, 11] as const;
/** The first that the packages were not made for. */
const TOO_NEW = [3, 14] as const;
const INTERPRETERS = ['python3', 'python3.13', 'python3.12', 'python3.11'];

/** An interpreter with exactly these packages, installed once for each lock file: its path. Throws a PythonError. */
export async function pythonWith(packages: PythonPackages, site: PythonSite = {}): Promise<string> {
  const { interpreters = INTERPRETERS, cacheDirectory = userCacheDirectory(), report = reportToStderr } = site;
  const { command, version } = await findPython(interpreters);
  const lock = await readFile(packages.lockFile);
  const key = createHash('sha256').update(`${version} ${process.platform} ${process.arch}\n`).update(lock);
  const entry = {
    what: `installing ${packages.name}`,
    shelf: join(cacheDirectory, 'python', packages.name),
    key: key.digest('hex').slice(0, 24),
  };
  const folder = await cachedByContent(entry, report, async (fresh) => {
    await withProgress(
      entry.what,
      () => '',
      report,
      () => install(command, packages, join(fresh, 'environment')),
    );
  });
  // Python finds its packages beside itself, wherever the folder was moved to.
  return join(folder, 'environment', 'bin', 'python');
}

async function findPython(commands: readonly string[]) {
  const print = 'import sys, venv, ensurepip; print(sys.version)';
  const found: string[] = [];
  for (const command of commands) {
    const outcome = await tried(command, ['-c', print]);
    if (outcome === undefined || outcome.code !== 0) continue;
    const version = outcome.stdout.trim();
    found.push(version.split(' ', 1).join(''));
    const [major = 0, minor = 0] = version.split('.').map(Number);
    if (major === OLDEST[0] && minor >= OLDEST[1] && minor < TOO_NEW[1]) return { command, version };
  }
  const there = found.length === 0 ? 'there is none here that has venv' : `here is ${found.join(', ')}`;
  throw new PythonError(
    `Python ${OLDEST.join('.')} or newer, but below ${TOO_NEW.join('.')}, is needed, and ${there}. ` +
      'Install it, on Debian with python3-venv.',
  );
}

async function install(python: string, { name, lockFile }: PythonPackages, environment: string): Promise<void> {
  await run([python, '-m', 'venv', environment], name);
  const pip = [join(environment, 'bin', 'python'), '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  // What a lock file names is complete, and nothing else comes in.
  await run([...pip, '--no-deps', '--require-hashes', '--requirement', lockFile], name);
}

async function run([program = '', ...parameters]: readonly string[], name: string): Promise<void> {
  const { code, stderr } = await runCommand(program, parameters);
  if (code === 0) return;
  const said = stderr.split('\n').filter((line) => line.startsWith('ERROR: '));
  const reason = (said.at(-1) ?? stderr.trim().split('\n').at(-1) ?? '').replace('ERROR: ', '');
  throw new PythonError(
    `${name} could not be installed: ${reason}. Check the network (and PIP_INDEX_URL), and try again.`,
  );
}

async function tried(command: string, parameters: readonly string[]): Promise<Outcome | undefined> {
  try {
    return await runCommand(command, parameters);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
