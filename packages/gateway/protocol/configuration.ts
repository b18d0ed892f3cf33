import { type IpAddress, parseIpAddress, parseIpRange } from '@fairlead/control';
import type { Protocol } from '@fairlead/kube';
import { z } from 'zod';

/*
 * What the controller tells the agents of a pool: the whole of it, or what changed since a generation. Everything here is
 * checked before anything is rendered, so that no text of a tenant's ever reaches nft or keepalived.
 */

/** More than a Service has; enough for a load balancer of pods. */
export const MAXIMUM_BACKENDS = 5_000;
export const MAXIMUM_SOURCE_RANGES = 1_000;
/** The longest affinity that Kubernetes allows: a day. */
const LONGEST_AFFINITY_SECONDS = 86_400;

const address = z.string().transform((text, context): IpAddress => {
  const parsed = parseIpAddress(text);
  if (parsed !== undefined && parsed.address === text) return parsed.address;
  context.addIssue({ code: 'custom', message: 'is not an IP address in its shortest form' });
  return z.NEVER;
});

const sourceRange = z.string().refine((text) => parseIpRange(text) !== undefined, 'is not a CIDR');
const protocol = z.enum(['TCP', 'UDP', 'SCTP'] satisfies readonly Protocol[]);
const port = z.int().min(1).max(65_535);

/** Where packets arrive: no two virtual servers of a configuration have the same. */
export const frontend = z.strictObject({ address, protocol, port });
export type Frontend = z.infer<typeof frontend>;

const backend = z.strictObject({ address, port });
export type Backend = z.infer<typeof backend>;

export const virtualServer = z.strictObject({
  ...frontend.shape,
  /** Which Service it belongs to, to be told to people and never rendered: `namespace/name`. */
  service: z.string().max(512),
  /** Who takes the connections, in no order; none means that they are refused at once. */
  backends: z.array(backend).max(MAXIMUM_BACKENDS),
  /** A client stays with its backend for so long after its last new connection; absent for no affinity. */
  affinitySeconds: z.int().min(1).max(LONGEST_AFFINITY_SECONDS).optional(),
  /** Who may connect; absent for everyone, empty for no one. */
  sourceRanges: z.array(sourceRange).max(MAXIMUM_SOURCE_RANGES).optional(),
  /** Whether backends see the client's own address, and answer through the gateway; else they see the gateway's. */
  preservesClientAddress: z.boolean(),
});
export type VirtualServer = z.infer<typeof virtualServer>;

/**
 * The place of a configuration in the order of all that were ever sent to an agent: epochs rise with the leaders of the
 * controller, generations with what one leader sends. An agent takes only what comes after all that it took.
 */
export const generation = z.strictObject({ epoch: z.int().min(0), number: z.int().min(0) });
export type Generation = z.infer<typeof generation>;

export function isAfter(one: Generation, other: Generation): boolean {
  return one.epoch > other.epoch || (one.epoch === other.epoch && one.number > other.number);
}

export function isSameGeneration(one: Generation, other: Generation): boolean {
  return one.epoch === other.epoch && one.number === other.number;
}

/** All that a gateway is to serve. Its addresses are those of the virtual servers: keepalived holds them. */
const wholeConfiguration = z.strictObject({
  kind: z.literal('whole'),
  generation,
  virtualServers: z.array(virtualServer),
});

/** What changed since a generation that the agent has taken; of use to no other agent. */
export const configurationDelta = z.strictObject({
  kind: z.literal('delta'),
  generation,
  since: generation,
  /** New, or in the place of the one with the same frontend. */
  put: z.array(virtualServer),
  remove: z.array(frontend),
});

/** The body of `PUT /v1/config`. */
export const configurationRequest = z.discriminatedUnion('kind', [wholeConfiguration, configurationDelta]);
export type ConfigurationRequest = z.infer<typeof configurationRequest>;
export type ConfigurationDelta = z.infer<typeof configurationDelta>;

/** The body of `PUT /v1/leader`, by which a leader that has nothing to send keeps out what an older one sent late. */
export const leaderAnnouncement = z.strictObject({ epoch: z.int().min(0) });
export type LeaderAnnouncement = z.infer<typeof leaderAnnouncement>;

/** One text for each frontend, and the order in which they are told. */
export function frontendKey({ address: at, protocol: of, port: number }: Frontend): string {
  return `${at} ${of}/${number}`;
}
