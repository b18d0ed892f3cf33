import { readFile } from 'node:fs/promises';
import { SocketTransport } from '@fairlead/control/adapters';
import { parse } from 'yaml';

const decoded = (text: string): string => Buffer.from(text, 'base64').toString();

/** Sends requests as they are, as the administrator whose kubeconfig this is. */
export async function administrator(kubeconfigPath: string): Promise<SocketTransport> {
  const config = parse(await readFile(kubeconfigPath, 'utf8'));
  const [{ cluster }] = config.clusters;
  const [{ user }] = config.users;
  return new SocketTransport({
    tls: {
      certificateAuthority: decoded(cluster['certificate-authority-data']),
      certificate: decoded(user['client-certificate-data']),
      key: decoded(user['client-key-data']),
    },
  });
}
