import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stateFolder } from './state-folder.ts';

let parent: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'fairlead-state-'));
});
afterEach(() => rm(parent, { recursive: true, force: true }));

describe('the state folder', () => {
  it('keeps what is replaced and appended, for no one else to read', async () => {
    const folder = join(parent, 'state');
    const state = stateFolder(folder);
    expect(await state.read('log')).toBeUndefined();
    await state.append('log', 'a');
    await state.append('log', 'b');
    await state.replace('whole', 'old');
    await state.replace('whole', 'new');
    expect(await state.read('log')).toBe('ab');
    expect(await stateFolder(folder).read('whole')).toBe('new');
    expect(await readdir(folder)).toEqual(['log', 'whole']);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, 'log'))).mode & 0o777).toBe(0o600);
  });

  it('says which folder it cannot use', async () => {
    const file = join(parent, 'file');
    await writeFile(file, '');
    await expect(stateFolder(file).append('log', 'a')).rejects.toThrow(`cannot use the state folder ${file}`);
  });
});
