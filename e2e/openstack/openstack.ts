import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWithFolder, firstLine } from '../harness/child-process.ts';
import { readText } from '../harness/untyped.ts';
import { CLOUD, openStackInstallation } from './installation.ts';

/** Where a running OpenStack is, and who may use it. Its users `demo` and `other` each have a project of their name. */
export interface OpenStackAccess {
  /** Keystone, with its version. */
  readonly authUrl: string;
  /** Neutron. */
  readonly network: string;
  /** Octavia. */
  readonly loadBalancer: string;
  readonly region: string;
  /** Of the user `admin` in the project `admin`. */
  readonly adminPassword: string;
  readonly userPassword: string;
  /** Addresses of members in this file are reported as down. */
  readonly downFile: string;
}

/** Keystone, Neutron and Octavia. Processes and folder go when this process ends, however it ends. */
export interface RunningOpenStack {
  readonly access: OpenStackAccess;
  stop(): Promise<void>;
}

const START_LIMIT_MS = 240_000;

export async function startOpenStack(): Promise<RunningOpenStack> {
  const { python, mariadb, snapshot } = await openStackInstallation();
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-openstack-'));
  const child = spawn(python, ['-B', join(CLOUD, 'run.py'), folder, mariadb, snapshot], {
    // The standard input is the life line: nothing is ever written to it, and it closes when this process ends.
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const access = parseAccess(JSON.parse(await firstLine(child, START_LIMIT_MS)));
    return { access, stop: () => endWithFolder(child, folder) };
  } catch (error) {
    await endWithFolder(child, folder);
    throw new Error('OpenStack did not start', { cause: error });
  }
}

/** What `run.py` prints. */
export function parseAccess(value: unknown): OpenStackAccess {
  return {
    authUrl: readText(value, 'authUrl'),
    network: readText(value, 'network'),
    loadBalancer: readText(value, 'loadBalancer'),
    region: readText(value, 'region'),
    adminPassword: readText(value, 'adminPassword'),
    userPassword: readText(value, 'userPassword'),
    downFile: readText(value, 'downFile'),
  };
}
