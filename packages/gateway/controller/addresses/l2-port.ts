import type { IpAddress, IpFamily } from '@fairlead/control';
import type { Protocol } from '@fairlead/kube';

/** An L2 port's id, in the words of the address provider. */
export type L2PortId = string & { readonly brand: 'L2PortId' };

/** Ids are written side by side, separated by commas. */
export function isL2PortId(text: string): text is L2PortId {
  return text !== '' && !text.includes(',');
}

/** The one pool where none is named. */
export const DEFAULT_POOL = 'default';

/** One external address. Ports belong to any number of Services. */
export interface L2Port {
  readonly id: L2PortId;
  /** The name of the pool it is given from. */
  readonly pool: string;
  /** What the gateways hold, and packets arrive with. */
  readonly address: IpAddress;
  /** What the status of a Service shows: a floating IP in front of the address, or the same. */
  readonly ingress: IpAddress;
  readonly family: IpFamily;
  /** It is not given back while no Service is on it. */
  readonly stays?: boolean;
}

/** An L4 port: TCP/53 and UDP/53 are two, and may belong to different Services on one address. */
export interface L4Port {
  readonly protocol: Protocol;
  readonly port: number;
}

/** As it is recorded, and told to people. */
export function l4PortText({ protocol, port }: L4Port): string {
  return `${protocol}/${port}`;
}
