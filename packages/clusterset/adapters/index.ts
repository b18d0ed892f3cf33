import { createConnection } from 'node:net';
import { connect } from '@fairlead/kube/adapters';
import type { BrokerSettings } from '../configuration.ts';
import type { Outside } from '../part.ts';

const PROBE_MILLISECONDS = 3_000;

/** The real broker, by a kubeconfig whose tokens and certificates are read again when they change on disk. */
export const systemOutside: Outside = {
  async connectBroker({ kubeconfig, context }: BrokerSettings) {
    const choice = { kubeconfig, ...(context !== undefined && { context }), userAgent: 'fairlead/clusterset' };
    const { connection } = await connect(choice);
    return { connection, close: () => connection.close() };
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
