import { parseIpAddress } from '@fairlead/control';
import { z } from 'zod';
import type { SocketAddress } from './server/index.ts';
import { encodeName } from './wire/index.ts';

const DNS_PORT = 53;

/** `192.0.2.1`, `192.0.2.1:53`, `[2001:db8::1]:53` or `2001:db8::1`. Undefined when it is none of these. */
export function parseSocketAddress(text: string): SocketAddress | undefined {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const port = digits === undefined ? DNS_PORT : Number(digits);
  const address = bracketed ?? plain ?? text;
  const isSound = parseIpAddress(address) !== undefined && port <= 65_535;
  return isSound ? { address, port } : undefined;
}

/** Of texts that were checked. */
export function socketAddresses(texts: readonly string[]): readonly SocketAddress[] {
  return texts.flatMap((text) => parseSocketAddress(text) ?? []);
}

/** Addresses at which a process reaches its own machine. */
const OWN_ADDRESS = /^(?:127\.|0\.0\.0\.0$|::1?$)/;

/** The first server to forward to that is this one: all that it is asked would come back to it. */
function ownServer(servers: readonly string[], listen: readonly string[]): string | undefined {
  const own = socketAddresses(listen).map(compared);
  return servers.find((text) =>
    socketAddresses([text])
      .map(compared)
      .some((server) => own.some((one) => one.port === server.port && reaches(one.address, server.address))),
  );
}

/** Whether a server on one address hears what is sent to the other: on all of IPv6, it hears IPv4 as well. */
function reaches(listened: string, asked: string): boolean {
  if (listened === asked) return true;
  const isAll = listened === '::' || (listened === '0.0.0.0' && !asked.includes(':'));
  return isAll && OWN_ADDRESS.test(asked);
}

function compared({ address, port }: SocketAddress): SocketAddress {
  return { address: parseIpAddress(address)?.address ?? address, port };
}

/** As names are compared. */
export function zoneName(text: string): string {
  return text.toLowerCase().replace(/\.$/, '');
}

const socketAddress = z
  .string()
  .refine(
    (text) => parseSocketAddress(text) !== undefined,
    'must be an IP address with or without a port, such as 0.0.0.0:53',
  );

const zone = z
  .string()
  .refine((text) => encodeName(zoneName(text)) !== undefined, 'is no name of a zone, such as clusterset.local')
  // Below it are a Service, its namespace, a cluster and a host.
  .refine((text) => text.length <= 100, 'is too long: names of Services go before it, and 255 bytes are all there are');

const clusterName = z
  .string()
  .regex(
    /^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$/,
    'is no name of a cluster: lower-case letters, digits, dashes and dots',
  );

const forward = z.strictObject({
  servers: z
    .array(socketAddress)
    .min(1)
    .max(4)
    .describe('Servers for all other names, in the order in which they are asked. None that forwards to this one.'),
  timeoutSeconds: z.number().min(0.1).max(10).default(2).describe('How long each of them has for its reply.'),
});

const tcp = z
  .strictObject({
    connections: z.int().min(1).max(100_000).default(1_000).describe('Open connections at most.'),
    connectionsOfOne: z.int().min(1).max(100_000).default(250).describe('Open connections of one address at most.'),
    idleSeconds: z.int().min(1).max(300).default(10).describe('How long a client may take for its next query.'),
  })
  .prefault({});

export const dnsConfiguration = z
  .strictObject({
    listen: z
      .array(socketAddress)
      .min(1)
      .default(['0.0.0.0:53'])
      .describe('Where UDP and TCP are served: an address and a port each.'),
    zone: zone.default('clusterset.local').describe('The zone that is answered for.'),
    cluster: clusterName
      .optional()
      .describe('The name of this cluster in the clusterset: its endpoints are preferred. Unset: none are.'),
    ttlSeconds: z
      .int()
      .min(0)
      .max(3_600)
      .default(5)
      .describe('How long an answer may be kept, also that there is none.'),
    clusterSpecificNames: z
      .boolean()
      .default(true)
      .describe('Whether <cluster>.<service>.<namespace>.svc leads to one cluster. KEP-1645 has no such names.'),
    weights: z
      .record(clusterName, z.int().min(0).max(100))
      .default({})
      .describe(
        'How often clusters are answered, one against the other; 1 unless named. 0: only where no other is left.',
      ),
    olderClusters: z
      .array(clusterName)
      .default([])
      .describe('Clusters with software before aggregation, whose per-cluster ServiceImports are believed.'),
    olderNamespace: z
      .string()
      .regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, 'is no name of a namespace')
      .default('submariner-operator')
      .describe('The namespace in which those ServiceImports are; elsewhere, none of them is believed.'),
    nameServerAddresses: z
      .array(z.string().refine((text) => parseIpAddress(text) !== undefined, 'is no IP address'))
      .default([])
      .describe('Addresses of the name server that the NS record of the zone names, usually of its Service.'),
    udpPayloadBytes: z
      .int()
      .min(512)
      .max(4_096)
      .default(1_232)
      .describe('The largest reply over UDP, however much a client says that it takes.'),
    tcp: tcp.describe('Limits of TCP.'),
    forward: forward.optional().describe('Where queries for other zones go. Unset: they are refused.'),
    logQueries: z.boolean().default(false).describe('Whether every query is a line of the log.'),
  })
  .superRefine(({ forward: wanted, listen }, context) => {
    const own = ownServer(wanted?.servers ?? [], listen);
    if (own === undefined) return;
    const message = `${own} is this server itself: name one that answers for other zones`;
    context.addIssue({ code: 'custom', path: ['forward', 'servers'], message });
  });

export type DnsConfiguration = z.infer<typeof dnsConfiguration>;
