import { SocketTransport, systemClock } from '@fairlead/control/adapters';
import { HttpConnection } from '../api/http-connection.ts';
import { TargetCredentials } from '../auth/credentials.ts';
import { findTarget, type TargetChoice } from '../auth/find-target.ts';
import { systemHost } from './host.ts';

/** Which cluster to connect to, and under what name. */
export interface ConnectChoice extends TargetChoice {
  /** Who we are in the logs of the API server, such as `fairlead/0.1.0`. */
  readonly userAgent: string;
}

/** A way to a cluster, and where it leads. */
export interface Connected {
  readonly connection: HttpConnection;
  /** For people: which context of which file, or the Pod's service account. */
  readonly source: string;
  readonly server: string;
  /** We are a Pod of this cluster. */
  readonly isPod: boolean;
  /** Of the context or the Pod. */
  readonly namespace: string;
}

/** Finds the cluster and reads the credentials; the first request makes the connection. */
export async function connect(choice: ConnectChoice): Promise<Connected> {
  const target = await findTarget(systemHost, choice);
  const credentials = new TargetCredentials(systemHost, systemClock, target);
  await credentials.current();
  const { server, proxy } = target.cluster;
  const connection = new HttpConnection({
    server,
    credentials,
    transport: (tls) => new SocketTransport({ tls, proxy }),
    clock: systemClock,
    userAgent: choice.userAgent,
  });
  return { connection, source: target.source, server, isPod: target.isPod === true, namespace: target.namespace };
}
