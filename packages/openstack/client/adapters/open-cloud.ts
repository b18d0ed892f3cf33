import { readFile } from 'node:fs/promises';
import { messageOf } from '@fairlead/control';
import { SocketTransport, type TlsOptions } from '@fairlead/control/adapters';
import { OpenStackSession, type SessionOptions } from '../api/session.ts';
import { invalidCloud, type OpenStackCloud } from '../configuration/cloud.ts';
import { type CloudSource, readConfiguredCloud } from './read-cloud.ts';

/** What a way to OpenStack is made with. */
export type OpenStackDependencies = Omit<SessionOptions, 'transport' | 'cloud'>;

/** A session, and the connections behind it. */
export interface OpenedOpenStack extends AsyncDisposable {
  readonly session: OpenStackSession;
  readonly cloud: OpenStackCloud;
}

/** Gets ready to talk to the OpenStack that is configured: the first call connects and logs in. */
export async function openCloud(source: CloudSource, dependencies: OpenStackDependencies): Promise<OpenedOpenStack> {
  const cloud = await readConfiguredCloud(source);
  const transport = new SocketTransport({ tls: await readTls(cloud) });
  const session = new OpenStackSession({ ...dependencies, cloud, transport });
  return { session, cloud, [Symbol.asyncDispose]: () => transport.close() };
}

async function readTls({ name, tls }: OpenStackCloud): Promise<TlsOptions> {
  const read = async (key: string, path: string | undefined): Promise<string | undefined> => {
    if (path === undefined) return undefined;
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      throw invalidCloud(`cannot read the ${key} of the cloud ${name}: ${messageOf(error)}`, error);
    }
  };
  const certificateAuthority = await read('cacert', tls.certificateAuthorityFile);
  const certificate = await read('cert', tls.certificateFile);
  // A PEM file often holds both.
  const key = await read('key', tls.keyFile ?? tls.certificateFile);
  return {
    ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
    ...(certificate === undefined ? {} : { certificate }),
    ...(key === undefined ? {} : { key }),
    ...(tls.insecure === true ? { insecure: true } : {}),
  };
}
