import { readFile } from 'node:fs/promises';
import { SocketTransport, systemClock } from '@fairlead/control/adapters';
import type { GatewayConfiguration } from '../configuration.ts';
import type { AgentConnector } from '../controller.ts';
import { AgentTransport } from './agent-transport.ts';

/** Over sockets: with certificates, or in the open where the configuration has agents on the loopback interface. */
export function connectToAgents({ certificates }: Pick<GatewayConfiguration, 'certificates'>): AgentConnector {
  const secured = certificates === undefined ? undefined : new AgentTransport(certificates, systemClock);
  const open = new SocketTransport();
  return ({ url }) => (url.startsWith('https:') && secured !== undefined ? secured : open);
}

export function readTextFile(path: string): Promise<string> {
  return readFile(path, 'utf8');
}
