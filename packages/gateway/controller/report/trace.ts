import { FairleadError, familyOf, type IpAddress, parseIpAddress } from '@fairlead/control';
import { type Client, flowEnd } from '../../agent/nftables/flow.ts';
import type { VirtualServer } from '../../protocol/configuration.ts';
import { l4PortText } from '../addresses/l2-port.ts';
import type { PoolServer } from '../backends/virtual-servers.ts';
import type { GatewayReport } from './gateways.ts';

/** `198.51.100.9:40000` or `[2001:db8::9]:40000`. */
export function parseClient(text: string): Client {
  const [, bracketed, plain, digits = ''] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const parsed = parseIpAddress(bracketed ?? plain ?? '');
  const port = Number(digits);
  if (parsed !== undefined && port >= 1 && port <= 65_535) return { address: parsed.address, port };
  const message = `--from takes an address and a port, such as 198.51.100.9:40000 or [2001:db8::9]:40000, not ${text}`;
  throw new FairleadError(message, { verdict: 'terminal', code: 'usage' });
}

/** Which gateway, rule and backend a new connection of this client meets at each port of a Service. */
export function traceLines(
  client: Client,
  servers: readonly PoolServer[],
  gateways: readonly GatewayReport[],
): readonly string[] {
  const reachable = servers.filter(({ server }) => familyOf(server.address) === familyOf(client.address));
  if (reachable.length === 0) {
    return [`no gateway serves it at an ${familyOf(client.address)} address: fairlead why tells more`];
  }
  return reachable.flatMap(({ pool, server }) => [
    `${server.address} ${l4PortText(server)}`,
    `  gateway: ${gatewayText(server.address, pool, gateways)}`,
    ...endLines(server, client).map((line) => `  ${line}`),
  ]);
}

function gatewayText(address: IpAddress, pool: string, gateways: readonly GatewayReport[]): string {
  const its = gateways.filter(({ pools }) => pools.has(pool));
  const holders = its.filter(({ status }) => status?.heldAddresses.includes(address));
  const silent = its.filter(({ failure }) => failure !== undefined).map(({ gateway }) => gateway.name);
  const unasked = silent.length === 0 ? '' : ` (${silent.join(', ')} cannot be asked)`;
  if (holders.length === 0) return `none says that it holds ${address}${unasked}`;
  const told = holders.map(({ gateway, isInStep }) =>
    isInStep ? gateway.name : `${gateway.name}, which does not have all that it should yet`,
  );
  return `${told.join('; ')}${unasked}`;
}

function endLines(server: VirtualServer, client: Client): readonly string[] {
  const end = flowEnd(server, client);
  if (end.kind === 'not-admitted') {
    return [
      `rule: dropped, as ${client.address} is in none of ${server.sourceRanges?.join(', ') || 'no ranges at all'}`,
    ];
  }
  if (end.kind === 'refused') return ['rule: refused at once, as no backend is ready'];
  const sees = server.preservesClientAddress ? `the client's own address` : `the address of the gateway`;
  const kept = end.hasAffinity ? '; a client that was here before stays with the backend it had' : '';
  return [
    `rule: slot ${end.slot} of ${end.slots}, by the hash of ${end.hasAffinity ? 'its address' : 'its address and port'}${kept}`,
    `backend: ${hostPort(end.backend.address, end.backend.port)}, which sees ${sees}`,
  ];
}

function hostPort(address: IpAddress, port: number): string {
  return familyOf(address) === 'IPv4' ? `${address}:${port}` : `[${address}]:${port}`;
}
