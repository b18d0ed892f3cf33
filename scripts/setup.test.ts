import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installPackages, packagesAreInstalled } from './npm-packages.mjs';
import { runCommand } from './run-command.ts';
import { oneAtATime } from './setup-lock.mjs';
import { installSystemPackages, missingPackages } from './system-packages.mjs';

const unzip = { name: 'unzip', command: 'unzip', neededBy: 'the chart' };
const nftables = { name: 'nftables', command: 'nft', neededBy: 'the agent' };

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'setup-test-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function writeProgram(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\n${content}\n`);
  await chmod(path, 0o755);
  return path;
}

describe('installing npm packages', () => {
  const lines: string[] = [];
  const report = (line: string): void => void lines.push(line);

  beforeEach(async () => {
    lines.length = 0;
    await mkdir(join(folder, 'node_modules'));
    await writeFile(join(folder, 'package-lock.json'), '{}');
  });

  it('counts as installed only after an installation from this very lock file', async () => {
    expect(packagesAreInstalled(folder)).toBe(false);
    await installPackages(folder, [await writeProgram('npm', 'echo "$1" > parameters')], report);
    expect(await readFile(join(folder, 'parameters'), 'utf8')).toBe('ci\n');
    expect(packagesAreInstalled(folder)).toBe(true);
    await writeFile(join(folder, 'package-lock.json'), '{"changed":true}');
    expect(packagesAreInstalled(folder)).toBe(false);
  });

  it('does it again after an installation that failed over one that was good', async () => {
    await installPackages(folder, [await writeProgram('npm', 'exit 0')], report);
    await expect(installPackages(folder, [await writeProgram('npm', 'exit 1')], report)).rejects.toThrow(
      /^npm could not install the packages/,
    );
    expect(packagesAreInstalled(folder)).toBe(false);
  });

  it('says in one line that there is no npm', async () => {
    await expect(installPackages(folder, [join(folder, 'absent')], report)).rejects.toThrow(
      /^npm could not be started/,
    );
  });
});

describe('setting up one at a time', () => {
  const setUp = (work: () => Promise<void>, onWait = () => {}): Promise<void> => oneAtATime(folder, onWait, work);

  it('lets the second begin when the first has ended', async () => {
    const order: string[] = [];
    const waits = Promise.withResolvers<void>();
    const first = setUp(async () => {
      await waits.promise;
      order.push('first');
    });
    const second = setUp(async () => void order.push('second'), waits.resolve);
    await Promise.all([first, second]);
    expect(order).toEqual(['first', 'second']);
  });

  it('waits for a child that outlived the process which held the lock', async () => {
    const orphan = spawn('sleep', ['600']);
    const lockOfTheDead = `
      import { oneAtATime } from ${JSON.stringify(join(import.meta.dirname, 'setup-lock.mjs'))};
      await oneAtATime(${JSON.stringify(folder)}, () => {}, async (holdFor) => {
        holdFor(${orphan.pid});
        process.kill(process.pid, 'SIGKILL');
      });`;
    await runCommand(process.execPath, ['--input-type=module', '--eval', lockOfTheDead]);
    const order: string[] = [];
    await setUp(
      async () => void order.push('next'),
      () => {
        order.push('waits');
        orphan.kill('SIGKILL');
      },
    );
    expect(order).toEqual(['waits', 'next']);
  });

  it('lets the next begin when one fails', async () => {
    await expect(setUp(() => Promise.reject(new Error('no network')))).rejects.toThrow('no network');
    const order: string[] = [];
    await setUp(async () => void order.push('next'));
    expect(order).toEqual(['next']);
  });
});

describe('installing system packages', () => {
  const commands: string[] = [];
  const system = (answers: readonly boolean[], rights = { runsAsRoot: true, isDebian: true }) => ({
    ...rights,
    run: (command: readonly string[]): boolean => {
      commands.push(command.filter((word) => /^[a-z]/.test(word)).join(' '));
      return answers[commands.length - 1] ?? false;
    },
  });

  beforeEach(() => {
    commands.length = 0;
  });

  it('misses a package whose command is on no path', async () => {
    await writeProgram('unzip', 'exit 0');
    expect(missingPackages([unzip, { ...nftables, command: 'no-such-command' }], folder)).toMatchObject([
      { name: 'nftables' },
    ]);
  });

  it('installs as root on Debian', () => {
    expect(installSystemPackages([unzip, nftables], system([true]))).toBeUndefined();
    expect(commands).toEqual(['apt-get install unzip nftables']);
  });

  it('refreshes the package lists once when the installation fails', () => {
    expect(installSystemPackages([unzip], system([false, true, true]))).toBeUndefined();
    expect(commands).toEqual(['apt-get install unzip', 'apt-get update', 'apt-get install unzip']);
  });

  it('gives the command to run where it may not, or could not', () => {
    const command = 'sudo apt-get update && sudo apt-get install --yes --no-install-recommends unzip nftables';
    const user = system([], { runsAsRoot: false, isDebian: true });
    expect(installSystemPackages([unzip, nftables], user)).toBe(command);
    expect(commands).toEqual([]);
    expect(installSystemPackages([unzip, nftables], system([false, false]))).toBe(command);
  });

  it('runs nothing when nothing is missing', () => {
    expect(installSystemPackages([], system([]))).toBeUndefined();
    expect(commands).toEqual([]);
  });

  it('names the packages where there is no apt-get', () => {
    const other = system([], { runsAsRoot: true, isDebian: false });
    expect(installSystemPackages([unzip, nftables], other)).toContain('unzip, nftables');
    expect(commands).toEqual([]);
  });
});
