import { joinHostPort } from '@fairlead/control';
import type { Host } from './host.ts';
import type { KubeTarget } from './target.ts';

const MOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The cluster of the Pod we run in, as its service account; undefined outside of one. */
export async function inClusterTarget(host: Host): Promise<KubeTarget | undefined> {
  const address = host.environment('KUBERNETES_SERVICE_HOST');
  const port = host.environment('KUBERNETES_SERVICE_PORT');
  if (address === undefined || address === '' || port === undefined) return undefined;
  const token = { kind: 'file', path: `${MOUNT}/token` } as const;
  if ((await host.readFile(token.path)) === undefined) return undefined;
  return {
    source: 'the service account of this Pod',
    isPod: true,
    cluster: {
      server: `https://${joinHostPort(address, port)}`,
      certificateAuthority: { kind: 'file', path: `${MOUNT}/ca.crt` },
      insecure: false,
    },
    user: { token },
    namespace: (await host.readFile(`${MOUNT}/namespace`))?.trim() || 'default',
  };
}
