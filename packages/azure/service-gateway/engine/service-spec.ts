import { isDeepStrictEqual } from 'node:util';
import type { IpFamily, ServiceUid } from '@fairlead/control';
import { DEFAULT_OUTBOUND_KEY, type InboundKey, type OutboundKey } from './nrp-key.ts';

export interface InboundPort {
  readonly protocol: 'TCP' | 'UDP';
  readonly port: number;
  /** The port of the pods. */
  readonly targetPort: number;
}

/** What a Service needs outside: a public address and a load balancer with these ports. */
export interface InboundSpec {
  readonly key: InboundKey;
  readonly uid: ServiceUid;
  readonly family: IpFamily;
  /** By port, then protocol. */
  readonly ports: readonly InboundPort[];
  readonly idleTimeoutMinutes: number;
  /** What its owner wants the public address tagged with, beside our marks. */
  readonly addressTags: Readonly<Record<string, string>>;
}

/** What an egress gateway needs outside: public addresses of these families and a NAT gateway. */
export interface OutboundSpec {
  readonly key: OutboundKey;
  /** IPv4 first. */
  readonly families: readonly IpFamily[];
  /** Takes the traffic of addresses that chose no gateway. */
  readonly isDefault: boolean;
}

export function defaultOutboundSpec(families: readonly IpFamily[]): OutboundSpec {
  return { key: DEFAULT_OUTBOUND_KEY, families, isDefault: true };
}

export type ServiceSpec = InboundSpec | OutboundSpec;

export function isInboundSpec(spec: ServiceSpec): spec is InboundSpec {
  return 'ports' in spec;
}

export function sameSpec(left: ServiceSpec, right: ServiceSpec): boolean {
  return isDeepStrictEqual(left, right);
}
