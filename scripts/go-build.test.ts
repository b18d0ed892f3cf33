import { chmod, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildGo, type GoBuild, type GoBuildSite } from './go-build.ts';

const A_PID_THAT_NEVER_RUNS = 2 ** 22 + 1;

/** Stands in for the `go` command: answers `env`, and "builds" by copying main.go and noting that it was run. */
const FAKE_GO = `#!/bin/sh
if [ "$1" = env ]; then printf '%s\\nlinux\\namd64\\n\\n\\n\\n\\n' "$(cat "$FOLDER/version")"; exit 0; fi
echo run >> "$FOLDER/builds"
[ -f "$FOLDER/stderr" ] && { cat "$FOLDER/stderr" >&2; exit 1; }
while [ "$1" != -o ]; do shift; done
cp main.go "$2"
`;

describe('buildGo', () => {
  let folder: string;
  let lines: string[];
  let build: GoBuild;
  let site: GoBuildSite;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'go-build-test-'));
    lines = [];
    build = { name: 'tool', directory: join(folder, 'module') };
    site = { go: join(folder, 'go'), cacheDirectory: join(folder, 'cache'), report: (line) => lines.push(line) };
    await mkdir(build.directory);
    await write('go', FAKE_GO.replaceAll('$FOLDER', folder));
    await chmod(join(folder, 'go'), 0o755);
    await write('version', 'go1.26.8');
    await write('module/go.mod', 'module example.test/tool\n\ngo 1.26.0\n');
    await write('module/main.go', 'package main\n');
  });

  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  const write = (name: string, content: string): Promise<void> => writeFile(join(folder, name), content);
  const builds = async (): Promise<number> => (await readFile(join(folder, 'builds'), 'utf8')).split('\n').length - 1;
  const shelf = (...names: string[]): string => join(folder, 'cache', 'go', 'tool', ...names);

  it('builds once, and then takes the binary from the cache', async () => {
    const binary = await buildGo(build, site);
    expect(await readFile(binary, 'utf8')).toBe('package main\n');
    expect(await buildGo(build, site)).toBe(binary);
    expect(await builds()).toBe(1);
  });

  it('builds anew when a source, a flag, the package or the Go version is another', async () => {
    const binaries = new Set([await buildGo(build, site)]);
    binaries.add(await buildGo({ ...build, ldflags: ['-X main.version=2'] }, site));
    binaries.add(await buildGo({ ...build, packagePath: './other' }, site));
    await write('version', 'go1.27.0');
    binaries.add(await buildGo(build, site));
    await write('module/main.go', 'package main // changed\n');
    binaries.add(await buildGo(build, site));
    expect(binaries.size).toBe(5);
    expect(await builds()).toBe(5);
  });

  it('takes the cached binary when only tests and prose changed', async () => {
    await buildGo(build, site);
    await write('module/main_test.go', 'package main\n');
    await write('module/notes.md', 'prose\n');
    await buildGo(build, site);
    expect(await builds()).toBe(1);
  });

  it('keeps the three that were used last', async () => {
    const binaries: string[] = [];
    for (let version = 1; version <= 5; version += 1) {
      binaries.push(await buildGo({ ...build, ldflags: [`${version}`] }, site));
      const used = new Date(version * 1_000);
      await utimes(join(binaries[version - 1] ?? '', '..'), used, used);
    }
    const kept = (await readdir(shelf())).map((key) => shelf(key, 'tool')).sort();
    expect(kept).toEqual(binaries.slice(-3).sort());
  });

  it('builds one binary when asked several times at once', async () => {
    const binaries = await Promise.all([buildGo(build, site), buildGo(build, site), buildGo(build, site)]);
    expect(new Set(binaries).size).toBe(1);
    expect(await builds()).toBe(1);
    expect(lines).toContain('building tool: another process is at it, waiting');
  });

  it('takes over the lock of a process that died in the middle, and clears away what it left', async () => {
    await mkdir(shelf('.unfinished-1'), { recursive: true });
    await writeFile(shelf('.lock'), `${A_PID_THAT_NEVER_RUNS} ${hostname()} 1`);
    const binary = await buildGo(build, site);
    expect(await readdir(shelf())).toEqual([binary.split('/').at(-2)]);
  });

  it('takes over a lock that nobody has touched for long, even when its process seems to live', async () => {
    await mkdir(shelf(), { recursive: true });
    await writeFile(shelf('.lock'), `${process.pid} ${hostname()} 1`);
    await utimes(shelf('.lock'), new Date(0), new Date(0));
    expect(await readFile(await buildGo(build, site), 'utf8')).toBe('package main\n');
  });

  it('says where to get Go when there is none', async () => {
    await expect(buildGo(build, { ...site, go: join(folder, 'absent') })).rejects.toMatchObject({
      reason: 'go-missing',
      message: expect.stringMatching(/^Go 1\.26 or newer is needed, and there is none here\. Install it from .*$/),
    });
  });

  it('names both versions when Go is too old', async () => {
    await write('version', 'go1.19.8');
    await expect(buildGo(build, site)).rejects.toMatchObject({
      reason: 'go-too-old',
      message: expect.stringMatching(/^Go 1\.26 or newer is needed; this is go1\.19\.8\. Install it from .*$/),
    });
  });

  it('tells a network failure in one line and leaves nothing behind', async () => {
    await write(
      'stderr',
      'go: downloading example.test/a v1.0.0\nexample.test/b\nmain.go:3:2: example.test/a@v1.0.0: ' +
        'Get "https://proxy.example.test/a": dial tcp: lookup proxy.example.test: no such host\n',
    );
    await expect(buildGo(build, site)).rejects.toMatchObject({
      reason: 'network',
      message: expect.stringMatching(/^Go could not download the modules of tool: .*no such host\. Check .*$/),
    });
    expect(await readdir(shelf())).toEqual([]);
  });

  it('shows what the compiler said, without the progress lines', async () => {
    await write('stderr', 'example.test/tool\n# example.test/tool\n./main.go:3:1: undefined: nothing\n');
    await expect(buildGo(build, site)).rejects.toMatchObject({
      reason: 'compile',
      message: 'Go could not build tool:\n# example.test/tool\n./main.go:3:1: undefined: nothing',
    });
  });
});
