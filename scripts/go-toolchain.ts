import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { hasCode } from './has-code.ts';
import { type Report, withProgress } from './progress.ts';

const GO_OUTSIDE_THE_PATH = '/usr/local/go/bin/go';
const WHAT_SHAPES_A_BINARY = ['GOVERSION', 'GOOS', 'GOARCH', 'GOAMD64', 'GOARM64', 'GOEXPERIMENT', 'GOFLAGS'];

export type GoFailure = 'go-missing' | 'go-too-old' | 'network' | 'compile';

/** One line that says what went wrong and what to do; for `compile`, the compiler's own lines follow. */
export class GoError extends Error {
  override readonly name = 'GoError';
  readonly reason: GoFailure;

  constructor(reason: GoFailure, message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface GoRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Go's usual place counts too: a service's PATH often lacks it. */
export function findGo(): string {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'go')));
  return !onPath && existsSync(GO_OUTSIDE_THE_PATH) ? GO_OUTSIDE_THE_PATH : 'go';
}

/**
 * Checks that this Go is new enough for the module in `directory`, and returns what of its version and settings shapes
 * a binary.
 */
export async function readGoSettings(go: string, directory: string, report: Report): Promise<string[]> {
  const needed = /^go (\d+)\.(\d+)/m.exec(await readFile(join(directory, 'go.mod'), 'utf8'));
  const [neededMajor, neededMinor] = [Number(needed?.[1] ?? 1), Number(needed?.[2] ?? 0)];
  const wanted = `Go ${neededMajor}.${neededMinor} or newer is needed`;
  const advice = 'Install it from https://go.dev/dl/ and put it on the PATH.';
  // Go itself downloads the version that go.mod asks for, unless GOTOOLCHAIN forbids it; this may take a while.
  const run = await withProgress(
    'looking for Go',
    () => '',
    report,
    async () => {
      try {
        return await runGo(go, ['env', ...WHAT_SHAPES_A_BINARY], directory);
      } catch (error) {
        if (!hasCode(error, 'ENOENT')) throw error;
        throw new GoError('go-missing', `${wanted}, and there is none here. ${advice}`);
      }
    },
  );
  if (run.code !== 0) {
    throw new GoError('go-too-old', `${wanted}: ${run.stderr.trim().split('\n', 1).join('')}. ${advice}`);
  }
  const settings = run.stdout.split('\n');
  const found = /go(\d+)\.(\d+)/.exec(settings[0] ?? '');
  const [major, minor] = [Number(found?.[1] ?? 0), Number(found?.[2] ?? 0)];
  if (major < neededMajor || (major === neededMajor && minor < neededMinor)) {
    throw new GoError('go-too-old', `${wanted}; this is ${settings[0] || 'older'}. ${advice}`);
  }
  return settings;
}

/** Runs Go in a module's folder, without cgo; each line on its standard error goes to `onLine` as it comes. */
export async function runGo(
  go: string,
  parameters: readonly string[],
  directory: string,
  onLine: (line: string) => void = () => undefined,
): Promise<GoRun> {
  const child = spawn(go, parameters, {
    cwd: directory,
    env: { ...process.env, CGO_ENABLED: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stdout: Buffer[] = [];
  const stderr: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  createInterface({ input: child.stderr }).on('line', (line) => {
    stderr.push(line);
    onLine(line);
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      resolve({ code: code ?? 1, stdout: Buffer.concat(stdout).toString(), stderr: stderr.join('\n') });
    });
  });
}
