import { createHash } from 'node:crypto';
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cachedByContent } from '../../scripts/content-cache.ts';
import { unpackedDebian } from '../../scripts/debian-packages.ts';
import { type Report, reportToStderr, withProgress } from '../../scripts/progress.ts';
import { pythonWith } from '../../scripts/python-packages.ts';
import { userCacheDirectory } from '../../scripts/user-cache.ts';

/** The programs that are OpenStack. */
export const CLOUD = join(import.meta.dirname, 'cloud');

const DATABASE = ['mariadb-server-core', 'mariadb-client-core', 'mariadb-common', 'libaio1', 'liburing2', 'libnuma1'];

/** What is needed to start OpenStack. */
export interface Installation {
  /** An interpreter that has its packages. */
  readonly python: string;
  /** A folder with MariaDB in it. */
  readonly mariadb: string;
  /** The databases as they are before the first test. */
  readonly snapshot: string;
}

/** Installs OpenStack, some minutes the first time, an instant later. Throws a PythonError or a DebianError. */
export async function openStackInstallation(report: Report = reportToStderr): Promise<Installation> {
  const python = await pythonWith({ name: 'openstack', lockFile: join(CLOUD, 'requirements.lock') });
  const mariadb = await unpackedDebian('mariadb', DATABASE, report);
  const key = createHash('sha256').update(`${python}\n${mariadb}\n`);
  for (const path of await sources(CLOUD)) key.update(`${path}\n`).update(await readFile(join(CLOUD, path)));
  const entry = {
    what: 'preparing OpenStack',
    shelf: join(userCacheDirectory(), 'openstack'),
    key: key.digest('hex').slice(0, 24),
  };
  const folder = await cachedByContent(entry, report, async (fresh) => {
    await prepare(python, mariadb, join(fresh, 'snapshot.tar.gz'), report);
  });
  return { python, mariadb, snapshot: join(folder, 'snapshot.tar.gz') };
}

async function sources(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true });
  return entries.filter((path) => /\.(?:py|conf|cnf)$/.test(path)).toSorted();
}

async function prepare(python: string, mariadb: string, snapshot: string, report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-openstack-'));
  let step = '';
  const said: string[] = [];
  try {
    const code = await withProgress(
      'preparing OpenStack',
      () => step,
      report,
      () =>
        new Promise<number | null>((resolve, reject) => {
          const parameters = ['-B', join(CLOUD, 'prepare.py'), folder, mariadb, snapshot];
          const child = spawn(python, parameters, { stdio: ['ignore', 'pipe', 'pipe'] });
          createInterface({ input: child.stdout }).on('line', (line) => {
            step = line;
          });
          createInterface({ input: child.stderr }).on('line', (line) => said.push(line));
          child.on('error', reject);
          child.on('close', resolve);
        }),
    );
    if (code !== 0) throw new Error(`OpenStack could not be prepared (${step}):\n${said.slice(-40).join('\n')}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
