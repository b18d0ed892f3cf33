import { spawn } from 'node:child_process';
import { mkdtemp, open, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWithFolder, firstLine } from './child-process.ts';
import { readText } from './untyped.ts';

const START_LIMIT_MS = 120_000;

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
    const ready: unknown = JSON.parse(await firstLine(child, START_LIMIT_MS));
    return {
      pid: child.pid ?? 0,
      directory,
      url: readText(ready, 'url'),
      kubeconfigPath: readText(ready, 'kubeconfig'),
      certificateAuthorityPath: readText(ready, 'certificateAuthority'),
      auditLogPath: readText(ready, 'auditLog'),
      stop: () => endWithFolder(child, directory),
    };
  } catch (error) {
    const said = await readFile(join(directory, 'log'), 'utf8').catch(() => '');
    await endWithFolder(child, directory);
    throw new Error(`the control plane did not start:\n${said.split('\n').slice(-20).join('\n')}`, { cause: error });
  }
}

function parametersOf(directory: string, { serviceCidrs, apiServerFlags }: ControlPlaneOptions): string[] {
  const parameters = ['-directory', directory];
  if (serviceCidrs !== undefined) parameters.push('-service-cidrs', serviceCidrs.join(','));
  if (apiServerFlags !== undefined) parameters.push('--', ...apiServerFlags);
  return parameters;
}
