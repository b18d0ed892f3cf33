import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { readText } from './untyped.ts';

const START_LIMIT_MS = 120_000;
const END_LIMIT_MS = 5_000;

export interface ControlPlaneOptions {
  /** One range of each family makes the cluster dual-stack, which it is unless told otherwise. */
  readonly serviceCidrs?: readonly string[];
  /** More for kube-apiserver, such as `--enable-priority-and-fairness=true`; the last of several wins. */
  readonly apiServerFlags?: readonly string[];
}

/** A running control plane. Process and folder go when this process ends, however it ends. */
export interface ControlPlane {
  readonly pid: number;
  readonly directory: string;
  readonly url: string;
  readonly kubeconfigPath: string;
  readonly certificateAuthorityPath: string;
  readonly auditLogPath: string;
  stop(): Promise<void>;
}

export async function startControlPlane(binary: string, options: ControlPlaneOptions): Promise<ControlPlane> {
  const directory = await mkdtemp(join(tmpdir(), 'fairlead-cluster-'));
  const log = await open(join(directory, 'log'), 'w');
  const child = spawn(binary, parametersOf(directory, options), {
    // The standard input is the life line: nothing is ever written to it, and it closes when this process ends.
    stdio: ['pipe', 'pipe', log.fd],
  });
  await log.close();
  try {
    const ready: unknown = JSON.parse(await firstLine(child));
    return {
      pid: child.pid ?? 0,
      directory,
      url: readText(ready, 'url'),
      kubeconfigPath: readText(ready, 'kubeconfig'),
      certificateAuthorityPath: readText(ready, 'certificateAuthority'),
      auditLogPath: readText(ready, 'auditLog'),
      stop: () => end(child, directory),
    };
  } catch (error) {
    const said = await readFile(join(directory, 'log'), 'utf8').catch(() => '');
    await end(child, directory);
    throw new Error(`the control plane did not start:\n${said.split('\n').slice(-20).join('\n')}`, { cause: error });
  }
}

function parametersOf(directory: string, { serviceCidrs, apiServerFlags }: ControlPlaneOptions): string[] {
  const parameters = ['-directory', directory];
  if (serviceCidrs !== undefined) parameters.push('-service-cidrs', serviceCidrs.join(','));
  if (apiServerFlags !== undefined) parameters.push('--', ...apiServerFlags);
  return parameters;
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('it has no standard output');
  const lines = createInterface({ input: child.stdout });
  const signal = AbortSignal.timeout(START_LIMIT_MS);
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`it ended with code ${code}`);
  });
  const [line] = await Promise.race([once(lines, 'line', { signal }), exited]);
  return String(line);
}

async function end(child: ChildProcess, directory: string): Promise<void> {
  const running = child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  if (running) {
    const exited = once(child, 'exit');
    child.stdin?.end();
    await Promise.race([exited, sleep(END_LIMIT_MS, undefined, { ref: false })]);
    child.kill('SIGKILL');
    await exited;
  }
  await rm(directory, { recursive: true, force: true });
}
