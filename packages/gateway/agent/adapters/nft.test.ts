import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemNft } from './nft.ts';

/** What is run in the place of nft. */
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-nft-'));
  vi.stubEnv('PATH', `${folder}:/usr/bin:/bin`);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

async function printing(errors: string): Promise<void> {
  await writeFile(join(folder, 'nft'), `#!/bin/sh\ncat >/dev/null\necho '${errors}' >&2\nexit 1\n`);
  await chmod(join(folder, 'nft'), 0o755);
}

describe('what nft says', () => {
  it('tells that there is no table', async () => {
    await printing('Error: No such file or directory');
    expect(await systemNft.list('list set inet fairlead applied')).toBeUndefined();
  });

  it.each([
    'Error: Could not process rule: Operation not permitted',
    'nft: error while loading shared libraries: libmnl.so.0: No such file or directory',
  ])('tells nothing about the table where it fails: %s', async (errors) => {
    await printing(errors);
    await expect(systemNft.list('list set inet fairlead applied')).rejects.toThrow('nft refused');
    await expect(systemNft.accepts('delete rule inet fairlead serve4a handle 7\n')).rejects.toThrow('nft refused');
  });

  it.each(['No such file or directory', 'File exists'])('tells that something differs: %s', async (reason) => {
    await printing(`/dev/stdin:1:28-58: Error: Could not process rule: ${reason}`);
    expect(await systemNft.accepts('delete rule inet fairlead serve4a handle 7\n')).toBe(false);
  });
});
