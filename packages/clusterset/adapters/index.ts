import { createConnection } from 'node:net';
import { findTarget } from '@fairlead/kube';
import { connect, systemHost } from '@fairlead/kube/adapters';
import type { Outside } from '../part.ts';

const PROBE_MILLISECONDS = 3_000;

/** Real clusters, by kubeconfigs whose tokens and certificates are read again when they change on disk. */
export const systemOutside: Outside = {
  async connect({ kubeconfig, context }) {
    const choice = { kubeconfig, ...(context !== undefined && { context }) };
    const { connection } = await connect({ ...choice, userAgent: 'fairlead/clusterset' });
    const { cluster } = await findTarget(systemHost, choice);
    const { certificateAuthority: authority } = cluster;
    const certificate = authority?.kind === 'file' ? await systemHost.readFile(authority.path) : authority?.text;
    const entry = {
      server: cluster.server,
      ...(certificate !== undefined && { 'certificate-authority-data': Buffer.from(certificate).toString('base64') }),
      ...(cluster.serverName !== undefined && { 'tls-server-name': cluster.serverName }),
      ...(cluster.insecure && { 'insecure-skip-tls-verify': true }),
    };
    return { connection, entry, close: () => connection.close() };
  },
  probe: (address, port, signal) =>
    new Promise((resolve) => {
      const socket = createConnection({ host: address, port, timeout: PROBE_MILLISECONDS, signal });
      const settle = (answers: boolean) => {
        socket.destroy();
        resolve(answers);
      };
      socket.on('connect', () => settle(true));
      socket.on('timeout', () => settle(false));
      socket.on('error', () => settle(false));
    }),
};
