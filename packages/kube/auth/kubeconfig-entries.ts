import type { Fields } from './kubeconfig-fields.ts';
import type { ClusterTarget, ExecPlugin, Impersonation, UserTarget } from './target.ts';

/** The name under which a cluster holds what its exec plugins are told. */
const EXEC_EXTENSION = 'client.authentication.k8s.io/exec';

/** The `cluster` of an entry of `clusters`. */
export function clusterFrom(fields: Fields): ClusterTarget {
  const server = fields.requiredText('server').replace(/\/+$/, '');
  if (!/^https?:\/\/[^/]/.test(server)) throw fields.wrong('server', 'must be a URL that begins with https://');
  const proxy = fields.text('proxy-url');
  if (proxy !== undefined && !/^https?:\/\/[^/]/.test(proxy))
    throw fields.unsupported('proxy-url', 'name a proxy that begins with http:// or https://');
  const certificateAuthority = fields.pem('certificate-authority');
  const insecure = fields.flag('insecure-skip-tls-verify');
  if (insecure && certificateAuthority !== undefined) {
    throw fields.wrong('insecure-skip-tls-verify', 'makes the certificate-authority pointless: remove one of them');
  }
  const serverName = fields.text('tls-server-name');
  const extension = fields.list('extensions').find((item) => item.text('name') === EXEC_EXTENSION);
  const execConfiguration = extension?.raw('extension');
  return { server, insecure, certificateAuthority, serverName, proxy, execConfiguration };
}

/** The `user` of an entry of `users`. What we could not honour is refused: dropping it would act as another user. */
export function userFrom(fields: Fields): UserTarget {
  if (fields.has('auth-provider')) throw fields.unsupported('auth-provider', 'use the exec plugin that replaced it');
  const certificate = fields.pem('client-certificate');
  const key = fields.pem('client-key');
  if (certificate !== undefined && key === undefined) throw fields.wrong('client-key', 'is missing');
  const inlineToken = fields.text('token');
  const token = fields.file('tokenFile') ?? (inlineToken === undefined ? undefined : inline(inlineToken));
  const username = fields.text('username');
  const basic = username === undefined ? undefined : { username, password: fields.text('password') ?? '' };
  const exec = fields.has('exec') ? execFrom(fields.map('exec')) : undefined;
  return { certificate, key, token, basic, exec, impersonate: impersonationFrom(fields) };
}

function impersonationFrom(fields: Fields): Impersonation | undefined {
  const user = fields.text('as');
  if (user === undefined) {
    const named = ['as-groups', 'as-uid', 'as-user-extra'].find((name) => fields.has(name));
    if (named !== undefined) throw fields.wrong(named, 'says nothing without the user: add `as`');
    return undefined;
  }
  const extra = fields.map('as-user-extra');
  return {
    user,
    groups: fields.texts('as-groups'),
    uid: fields.text('as-uid'),
    extra: Object.fromEntries(extra.names.map((name) => [name, extra.texts(name)])),
  };
}

function execFrom(fields: Fields): ExecPlugin {
  const apiVersion = fields.requiredText('apiVersion');
  if (apiVersion !== 'client.authentication.k8s.io/v1' && apiVersion !== 'client.authentication.k8s.io/v1beta1') {
    throw fields.unsupported(`apiVersion ${apiVersion}`, 'use client.authentication.k8s.io/v1');
  }
  if (fields.text('interactiveMode') === 'Always') {
    throw fields.unsupported('interactiveMode Always', 'use credentials that do not ask at a terminal');
  }
  const command = fields.requiredText('command');
  return {
    apiVersion,
    command: command.includes('/') ? fields.resolve(command) : command,
    args: fields.texts('args'),
    wantsCluster: fields.flag('provideClusterInfo'),
    environment: Object.fromEntries(
      fields.list('env').map((variable) => [variable.requiredText('name'), variable.text('value') ?? '']),
    ),
    installHint: fields.text('installHint'),
  };
}

const inline = (text: string) => ({ kind: 'inline', text }) as const;
