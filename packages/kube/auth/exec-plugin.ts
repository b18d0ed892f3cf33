import { type Clock, FairleadError, isRecord, withDeadline } from '@fairlead/control';
import type { Host } from './host.ts';
import { readMaterial } from './material.ts';
import type { ClusterTarget, ExecPlugin } from './target.ts';

/** A program that asks a cloud for a token may take its time, but must not hold us up for ever. */
const DEADLINE_MILLISECONDS = 60_000;

/** What a plugin prints: a token, or a certificate and its key. */
export interface PluginCredential {
  readonly token?: string | undefined;
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  /** Wall time in milliseconds; absent: until the server refuses it. */
  readonly expiresAt?: number | undefined;
}

/** Runs the program and understands what it prints. */
export async function runExecPlugin(
  host: Host,
  clock: Clock,
  plugin: ExecPlugin,
  cluster: ClusterTarget,
): Promise<PluginCredential> {
  const information = {
    apiVersion: plugin.apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, ...(plugin.wantsCluster ? { cluster: await describe(host, cluster) } : {}) },
  };
  const environment = { ...plugin.environment, KUBERNETES_EXEC_INFO: JSON.stringify(information) };
  const deadline = { name: `credential command ${plugin.command}`, milliseconds: DEADLINE_MILLISECONDS };
  const outcome = await withDeadline(clock, deadline, undefined, (signal) =>
    host.run({ command: plugin.command, args: plugin.args, environment, signal }),
  );
  if (outcome.kind !== 'ended') throw missing(plugin, outcome.kind);
  if (outcome.exitCode !== 0) {
    const told = outcome.errors.trim().split('\n').at(-1) ?? '';
    throw failed('exec-failed', plugin, `ended with exit code ${outcome.exitCode}${told === '' ? '' : `: ${told}`}`);
  }
  return parseCredential(plugin, outcome.output);
}

function parseCredential(plugin: ExecPlugin, output: string): PluginCredential {
  const wrong = (what: string) => failed('exec-output-invalid', plugin, what);
  const value = parseJson(output);
  if (!isRecord(value) || value['kind'] !== 'ExecCredential') throw wrong('did not print an ExecCredential');
  if (value['apiVersion'] !== plugin.apiVersion) {
    throw wrong(`printed ${String(value['apiVersion'])} where the kubeconfig asks for ${plugin.apiVersion}`);
  }
  const { status } = value;
  if (!isRecord(status)) throw wrong('printed no status');
  const token = textIn(status, 'token');
  const certificate = textIn(status, 'clientCertificateData');
  const key = textIn(status, 'clientKeyData');
  if ((certificate === undefined) !== (key === undefined))
    throw wrong('printed a certificate without key, or a key alone');
  if (token === undefined && certificate === undefined) throw wrong('printed neither token nor certificate');
  const expiration = textIn(status, 'expirationTimestamp');
  const expiresAt = expiration === undefined ? undefined : Date.parse(expiration);
  if (Number.isNaN(expiresAt)) throw wrong(`printed an expirationTimestamp that is no time: ${expiration}`);
  return { token, certificate, key, expiresAt };
}

async function describe(host: Host, cluster: ClusterTarget) {
  const authority = await readMaterial(host, cluster.certificateAuthority, 'certificate authority');
  return {
    server: cluster.server,
    'tls-server-name': cluster.serverName,
    'insecure-skip-tls-verify': cluster.insecure,
    'proxy-url': cluster.proxy,
    'certificate-authority-data': authority === undefined ? undefined : Buffer.from(authority).toString('base64'),
    config: cluster.execConfiguration,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function textIn(fields: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function missing(plugin: ExecPlugin, kind: 'not-found' | 'not-executable'): FairleadError {
  const what =
    kind === 'not-found' ? 'is not there: install it, or put it on the PATH' : 'may not be executed: chmod +x';
  const hint = plugin.installHint === undefined ? '' : ` (${plugin.installHint.trim().replace(/\s+/g, ' ')})`;
  return new FairleadError(`credential command ${plugin.command} ${what}${hint}`, {
    verdict: 'terminal',
    code: 'exec-command-missing',
  });
}

function failed(code: string, plugin: ExecPlugin, what: string): FairleadError {
  return new FairleadError(`credential command ${plugin.command} ${what}`, { verdict: 'retriable', code });
}
