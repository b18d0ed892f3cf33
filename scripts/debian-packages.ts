import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cachedByContent } from './content-cache.ts';
import { type Report, reportToStderr, withProgress } from './progress.ts';
import { runCommand } from './run-command.ts';
import { userCacheDirectory } from './user-cache.ts';

/** One line that says why there are no files, and what to do. */
export class DebianError extends Error {
  override readonly name = 'DebianError';
}

/**
 * A folder with the files of some Debian packages, which are not installed: no service is started, and no rights are
 * needed. Throws a DebianError.
 */
export async function unpackedDebian(
  name: string,
  packages: readonly string[],
  report: Report = reportToStderr,
): Promise<string> {
  if (!existsSync('/etc/debian_version')) {
    throw new DebianError(`${name} is taken from Debian's packages, and this is not Debian or one of its kin.`);
  }
  const release = await readFile('/etc/os-release', 'utf8');
  const key = createHash('sha256').update([process.arch, release, ...packages].join('\n'));
  const entry = {
    what: `downloading ${name}`,
    shelf: join(userCacheDirectory(), 'debian', name),
    key: key.digest('hex').slice(0, 24),
  };
  return cachedByContent(entry, report, (fresh) =>
    withProgress(
      entry.what,
      () => '',
      report,
      () => unpack(name, packages, fresh),
    ),
  );
}

async function unpack(name: string, packages: readonly string[], folder: string): Promise<void> {
  const archives = join(folder, '.archives');
  await mkdir(archives);
  const refused = await download(packages, archives);
  if (refused !== undefined) {
    // A package list that is out of date names versions that are gone.
    await runCommand('apt-get', ['update']);
    const again = await download(packages, archives);
    if (again !== undefined) {
      throw new DebianError(`${name} could not be downloaded: ${again}. Run \`sudo apt-get update\`, and try again.`);
    }
  }
  for (const archive of await readdir(archives)) {
    const { code, stderr } = await runCommand('dpkg', ['-x', join(archives, archive), folder]);
    if (code !== 0) throw new DebianError(`${archive} could not be unpacked: ${stderr.trim()}`);
  }
  await rm(archives, { recursive: true });
}

/** Undefined when all is well, else what apt-get said. */
async function download(packages: readonly string[], folder: string): Promise<string | undefined> {
  const child = spawn('apt-get', ['download', ...packages], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const said: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
  const code = await new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (ended) => resolve(ended ?? 1));
  });
  if (code === 0) return undefined;
  return said.join('').trim().split('\n').at(-1) ?? 'apt-get failed';
}
