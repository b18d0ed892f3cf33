import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemHost } from './host.ts';

describe('systemHost', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairlead-host-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const run = (command: string, args: readonly string[] = [], signal = new AbortController().signal) =>
    systemHost.run({ command, args, environment: { GREETING: 'hello' }, signal });

  it('reads a file, tells when there is none, and why when it cannot', async () => {
    await writeFile(join(folder, 'file'), 'text');
    expect(await systemHost.readFile(join(folder, 'file'))).toBe('text');
    expect(await systemHost.readFile(join(folder, 'none'))).toBeUndefined();
    expect(await systemHost.readFile(join(folder, 'file', 'below'))).toBeUndefined();
    await expect(systemHost.readFile(folder)).rejects.toMatchObject({ code: 'file-unreadable' });
  });

  it('runs a program with our environment and its own', async () => {
    const script = 'console.log(process.env.GREETING + !!process.env.PATH); console.error("oops"); process.exit(3)';
    expect(await run(process.execPath, ['-e', script])).toEqual({
      kind: 'ended',
      exitCode: 3,
      output: 'hellotrue\n',
      errors: 'oops\n',
    });
  });

  it('tells a program that is not there from one that may not be run', async () => {
    expect(await run('no-such-program-anywhere')).toEqual({ kind: 'not-found' });
    await writeFile(join(folder, 'plain'), 'text');
    await chmod(join(folder, 'plain'), 0o644);
    expect(await run(join(folder, 'plain'))).toEqual({ kind: 'not-executable' });
  });

  it('kills a program that takes too long', async () => {
    const controller = new AbortController();
    const running = run(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], controller.signal);
    controller.abort();
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
  });
});
