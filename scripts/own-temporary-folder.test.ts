import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ownTemporaryFolder } from './own-temporary-folder.ts';
import { runCommand } from './run-command.ts';

describe('a temporary folder of one’s own', () => {
  it('is where this process and those that it starts put what is temporary', async () => {
    const outside = tmpdir();
    const own = await ownTemporaryFolder();
    const inside = tmpdir();
    const said = await runCommand(process.execPath, ['-p', 'os.tmpdir()']);
    expect(await own.giveBack()).toEqual([]);
    expect(dirname(inside)).toBe(outside);
    expect(said.stdout.trim()).toBe(inside);
    expect(tmpdir()).toBe(outside);
  });

  it('tells what was left in it, and is gone', async () => {
    const own = await ownTemporaryFolder();
    const inside = tmpdir();
    await writeFile(join(inside, 'kubeconfig'), '');
    await mkdir(join(inside, 'fairlead-demo-1', 'certificates'), { recursive: true });
    const removed = await mkdtemp(join(inside, 'fairlead-removed-'));
    await rm(removed, { recursive: true });
    expect(await own.giveBack()).toEqual(['fairlead-demo-1', 'kubeconfig']);
    expect(existsSync(inside)).toBe(false);
  });

  it('is what each file of tests has', () => {
    expect(basename(tmpdir())).toMatch(/^own-/);
  });
});
