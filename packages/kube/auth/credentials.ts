import type { Clock } from '@fairlead/control';
import type { TlsOptions } from '@fairlead/control/adapters';
import { type PluginCredential, runExecPlugin } from './exec-plugin.ts';
import type { Host } from './host.ts';
import { readMaterial } from './material.ts';
import { type Loaded, Reloaded } from './reloaded.ts';
import type { ExecPlugin, Impersonation, KubeTarget, UserTarget } from './target.ts';

/** Kubernetes renews a mounted token long before it expires: a minute's delay in noticing does no harm. */
const FILE_AGE_MILLISECONDS = 60_000;
/** A credential is replaced this long before it expires, so that none expires on the way to the server. */
const EXPIRY_MARGIN_MILLISECONDS = 10_000;
/** However often the server refuses, and however wrong our clock is: a credential command runs no more often. */
const RENEWAL_INTERVAL_MILLISECONDS = 5_000;

/** What a request carries, and what its connection trusts and shows. */
export interface Credential {
  readonly headers: Readonly<Record<string, string>>;
  readonly repeatedHeaders?: Readonly<Record<string, readonly string[]>>;
  readonly tls: TlsOptions;
}

/** Where a connection gets its credentials from. */
export interface Credentials {
  /** For the next request: the same object as before while nothing changed. */
  current(): Promise<Credential>;
  /** The server refused this one, or no connection can be made with it: `current` looks for another. */
  renew(refused: Credential): void;
}

interface FileContents {
  readonly certificateAuthority: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  readonly token: string | undefined;
}

/** The credentials of a target: files are read again each minute, a command runs again when what it gave expires. */
export class TargetCredentials implements Credentials {
  readonly #clock: Clock;
  readonly #target: KubeTarget;
  readonly #files: Reloaded<FileContents>;
  readonly #plugin: Reloaded<PluginCredential> | undefined;
  #last:
    | { readonly files: FileContents; readonly printed: PluginCredential; readonly credential: Credential }
    | undefined;
  #renewedAt = Number.NEGATIVE_INFINITY;

  constructor(host: Host, clock: Clock, target: KubeTarget) {
    this.#clock = clock;
    this.#target = target;
    this.#files = new Reloaded(clock, () => readFiles(host, target));
    const plugin = pluginOf(target.user);
    if (plugin === undefined) return;
    this.#plugin = new Reloaded(clock, async () => runPlugin(host, clock, plugin, target));
  }

  async current(): Promise<Credential> {
    const [files, printed] = await Promise.all([this.#files.current(), this.#plugin?.current() ?? NOTHING_PRINTED]);
    if (this.#last?.files === files && this.#last.printed === printed) return this.#last.credential;
    this.#last = { files, printed, credential: combine(this.#target, files, printed) };
    return this.#last.credential;
  }

  renew(refused: Credential): void {
    const now = this.#clock.monotonic();
    if (this.#last?.credential !== refused || now - this.#renewedAt < RENEWAL_INTERVAL_MILLISECONDS) return;
    this.#renewedAt = now;
    this.#files.expire();
    this.#plugin?.expire();
  }
}

const NOTHING_PRINTED: PluginCredential = {};

/** A token or password that is written down goes before a command, as with kubectl. */
function pluginOf(user: UserTarget): ExecPlugin | undefined {
  return user.token === undefined && user.basic === undefined ? user.exec : undefined;
}

async function readFiles(host: Host, { cluster, user }: KubeTarget): Promise<Loaded<FileContents>> {
  const materials = [cluster.certificateAuthority, user.certificate, user.key, user.token];
  const [certificateAuthority, certificate, key, token] = await Promise.all([
    readMaterial(host, cluster.certificateAuthority, 'certificate authority'),
    readMaterial(host, user.certificate, 'client certificate'),
    readMaterial(host, user.key, 'client key'),
    readMaterial(host, user.token, 'token file'),
  ]);
  const hasFiles = materials.some((material) => material?.kind === 'file');
  return {
    value: { certificateAuthority, certificate, key, token },
    freshMilliseconds: hasFiles ? FILE_AGE_MILLISECONDS : Number.POSITIVE_INFINITY,
    validMilliseconds: Number.POSITIVE_INFINITY,
  };
}

async function runPlugin(
  host: Host,
  clock: Clock,
  plugin: ExecPlugin,
  target: KubeTarget,
): Promise<Loaded<PluginCredential>> {
  const value = await runExecPlugin(host, clock, plugin, target.cluster);
  const lifetime = value.expiresAt === undefined ? Number.POSITIVE_INFINITY : value.expiresAt - clock.now();
  const fresh = lifetime - Math.min(EXPIRY_MARGIN_MILLISECONDS, lifetime / 2);
  return {
    value,
    freshMilliseconds: Math.max(fresh, RENEWAL_INTERVAL_MILLISECONDS),
    validMilliseconds: Math.max(lifetime, RENEWAL_INTERVAL_MILLISECONDS),
  };
}

function combine({ cluster, user }: KubeTarget, files: FileContents, printed: PluginCredential): Credential {
  const certificate = printed.certificate ?? files.certificate;
  const key = printed.key ?? files.key;
  const authority = files.certificateAuthority;
  return {
    headers: headersFor(user, printed.token ?? files.token?.trim()),
    ...(user.impersonate === undefined ? {} : { repeatedHeaders: repeatedHeadersFor(user.impersonate) }),
    tls: {
      insecure: cluster.insecure,
      ...(cluster.serverName === undefined ? {} : { serverName: cluster.serverName }),
      ...(authority === undefined ? {} : { certificateAuthority: authority }),
      ...(certificate === undefined || key === undefined ? {} : { certificate, key }),
    },
  };
}

function headersFor(user: UserTarget, token: string | undefined): Readonly<Record<string, string>> {
  return {
    ...(token === undefined || token === '' ? basicHeader(user) : { authorization: `Bearer ${token}` }),
    ...(user.impersonate === undefined ? {} : { 'impersonate-user': user.impersonate.user }),
    ...(user.impersonate?.uid === undefined ? {} : { 'impersonate-uid': user.impersonate.uid }),
  };
}

/** The name of an extra is part of the header's, in which a `/` and its like have to be escaped. */
function repeatedHeadersFor({ groups, extra }: Impersonation): Readonly<Record<string, readonly string[]>> {
  const extras = Object.entries(extra).map(
    ([name, values]) => [`impersonate-extra-${encodeURIComponent(name.toLowerCase())}`, values] as const,
  );
  return { 'impersonate-group': groups, ...Object.fromEntries(extras) };
}

function basicHeader(user: UserTarget): Readonly<Record<string, string>> {
  if (user.basic === undefined) return {};
  const pair = Buffer.from(`${user.basic.username}:${user.basic.password}`).toString('base64');
  return { authorization: `Basic ${pair}` };
}
