import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PythonSite, pythonWith } from './python-packages.ts';

/** Stands in for Python: tells its version, makes an environment out of itself, and "installs" by noting that it was asked to. */
const FAKE_PYTHON = `#!/bin/sh
case "$*" in
  *sys.version*) cat "$FOLDER/version" ;;
  *venv*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
  *pip*) echo run >> "$FOLDER/installs"; [ -f "$FOLDER/stderr" ] && { cat "$FOLDER/stderr" >&2; exit 1; }; true ;;
esac
`;

describe('pythonWith', () => {
  let folder: string;
  let site: PythonSite;
  let lockFile: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'python-packages-test-'));
    lockFile = join(folder, 'requirements.lock');
    const python = join(folder, 'python');
    site = { interpreters: [join(folder, 'absent'), python], cacheDirectory: join(folder, 'cache'), report: () => {} };
    await writeFile(python, FAKE_PYTHON.replaceAll('$FOLDER', folder));
    await chmod(python, 0o755);
    await writeFile(join(folder, 'version'), '3.11.7 (main)');
    await writeFile(lockFile, 'one==1.0\n');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const installed = () => pythonWith({ name: 'tool', lockFile }, site);
  const installs = async () => (await readFile(join(folder, 'installs'), 'utf8')).split('\n').length - 1;

  it('installs once, and anew for another lock file or another Python', async () => {
    const first = await installed();
    expect(await readFile(first, 'utf8')).toContain('#!/bin/sh');
    expect(await installed()).toBe(first);
    expect(await installs()).toBe(1);
    await writeFile(lockFile, 'one==1.1\n');
    expect(await installed()).not.toBe(first);
    await writeFile(join(folder, 'version'), '3.12.1 (main)');
    await installed();
    expect(await installs()).toBe(3);
  });

  it('says which Python is needed, and which is here', async () => {
    await writeFile(join(folder, 'version'), '3.9.2 (main)');
    const wanted = 'Python 3.11 or newer, but below 3.14, is needed, and';
    await expect(installed()).rejects.toThrow(`${wanted} here is 3.9.2. Install it, on Debian with python3-venv.`);
    site = { ...site, interpreters: [join(folder, 'absent')] };
    await expect(installed()).rejects.toThrow(`${wanted} there is none here that has venv.`);
  });

  it('tells in one line why packages could not be installed, and leaves nothing behind', async () => {
    await writeFile(join(folder, 'stderr'), 'Collecting one\nERROR: No matching distribution found for one==1.0\n');
    await expect(installed()).rejects.toThrow(
      'tool could not be installed: No matching distribution found for one==1.0. ' +
        'Check the network (and PIP_INDEX_URL), and try again.',
    );
    expect(await readdir(join(folder, 'cache', 'python', 'tool'))).toEqual([]);
  });
});
