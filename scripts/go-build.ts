import { createHash } from 'node:crypto';
import { open, readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { cachedByContent } from './content-cache.ts';
import { findGo, GoError, readGoSettings, runGo } from './go-toolchain.ts';
import { counted, type Report, reportToStderr, withProgress } from './progress.ts';
import { userCacheDirectory } from './user-cache.ts';

const NETWORK_FAILURE =
  /module lookup disabled|dial tcp|no such host|i\/o timeout|connection (?:refused|reset)|proxyconnect|TLS handshake|: (?:unexpected )?EOF$|: (?:403|407|429|50[0234]) /;

/** What to build. */
export interface GoBuild {
  /** The binary's name; the cache keeps the newest few of each name. */
  readonly name: string;
  /** The folder of the module, the one with go.mod. */
  readonly directory: string;
  readonly packagePath?: string;
  /** More for the linker, such as `-X path.variable=value`. */
  readonly ldflags?: readonly string[];
}

/** Where to build it: the defaults are right outside of tests. */
export interface GoBuildSite {
  readonly go?: string;
  readonly cacheDirectory?: string;
  readonly report?: Report;
}

/**
 * Builds a static Go binary, or takes the one that the same sources, flags and Go version gave before, and returns its
 * absolute path. Safe to call from several processes at once, and to kill at any moment. Throws a GoError.
 */
export async function buildGo(build: GoBuild, site: GoBuildSite = {}): Promise<string> {
  const { go = findGo(), cacheDirectory = userCacheDirectory(), report = reportToStderr } = site;
  const settings = await readGoSettings(go, build.directory, report);
  const linkerFlags = ['-s', '-w', ...(build.ldflags ?? [])].join(' ');
  const entry = {
    what: `building ${build.name}`,
    shelf: join(cacheDirectory, 'go', build.name),
    key: await contentKey(build, [linkerFlags, ...settings]),
  };
  const folder = await cachedByContent(entry, report, async (fresh) => {
    const binary = join(fresh, build.name);
    await compile(go, build, linkerFlags, binary, report);
    await syncToDisk(binary);
  });
  return join(folder, build.name);
}

async function contentKey(build: GoBuild, settings: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([build.packagePath ?? '.', ...settings]));
  for (const path of await sourceFiles(build.directory)) {
    const content = await readFile(path);
    hash.update(`\0${relative(build.directory, path)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex').slice(0, 24);
}

/** All that can reach the binary; not only *.go, because Go embeds files of any name. */
async function sourceFiles(directory: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const path = join(directory, entry.name);
    if (entry.isDirectory()) found.push(...(await sourceFiles(path)));
    else if (!/(?:_test\.go|\.ts|\.md)$/.test(entry.name)) found.push(path);
  }
  return found.sort();
}

async function compile(go: string, build: GoBuild, linkerFlags: string, binary: string, report: Report): Promise<void> {
  const seen = { modules: 0, packages: 0 };
  const count = (line: string): void => {
    if (line.startsWith('go: downloading ')) seen.modules += 1;
    else if (isPackageName(line)) seen.packages += 1;
  };
  const detail = (): string =>
    [
      seen.modules > 0 ? `${counted(seen.modules, 'module')} downloaded` : '',
      seen.packages > 0 ? `${counted(seen.packages, 'package')} compiled` : '',
    ]
      .filter((part) => part !== '')
      .join(', ');
  const parameters = [
    'build',
    '-v',
    '-trimpath',
    '-buildvcs=false',
    `-ldflags=${linkerFlags}`,
    '-o',
    binary,
    build.packagePath ?? '.',
  ];
  const run = await withProgress(`building ${build.name}`, detail, report, () =>
    runGo(go, parameters, build.directory, count),
  );
  if (run.code === 0) return;
  const said = run.stderr.split('\n').filter((line) => !line.startsWith('go: downloading ') && !isPackageName(line));
  const network = said.find((line) => NETWORK_FAILURE.test(line));
  if (network === undefined) {
    throw new GoError('compile', `Go could not build ${build.name}:\n${said.slice(-40).join('\n')}`);
  }
  throw new GoError(
    'network',
    `Go could not download the modules of ${build.name}: ${network.trim()}. ` +
      'Check the network (and GOPROXY) and run it again; what was downloaded is kept.',
  );
}

/** With -v, Go prints the path of each package that it compiles on a line of its own. */
function isPackageName(line: string): boolean {
  return /^[\w.~+/-]+$/.test(line);
}

/** After a power cut the rename may be on disk without the bytes, and an empty binary would be cached for good. */
async function syncToDisk(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
