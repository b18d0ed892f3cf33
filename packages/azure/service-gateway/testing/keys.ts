import { type IpAddress, requireIpAddress, serviceUid } from '@fairlead/control';
import type { AddressKey } from '../engine/address-table.ts';
import type { Endpoints } from '../engine/difftracker.ts';
import {
  egressName,
  type InboundKey,
  inboundKey,
  type OutboundKey,
  outboundKey,
  type PodUid,
  podUid,
} from '../engine/nrp-key.ts';

export const ip = (text: string): IpAddress => requireIpAddress(text);
export const inbound = (uid: string): InboundKey => inboundKey(serviceUid(uid));
export const outbound = (name: string): OutboundKey => outboundKey(egressName(name));
export const pod = (name: string): PodUid => podUid(name);

/** `10.1.0.5@10.0.0.1`: an address at a node. */
export function addressKey(text: string): AddressKey {
  const [address = '', location = ''] = text.split('@');
  return { address: ip(address), location: ip(location) };
}

/** Endpoints, each as `10.1.0.5@10.0.0.1`. */
export function endpoints(...texts: readonly string[]): Endpoints {
  return new Map(texts.map(addressKey).map(({ address, location }) => [address, location]));
}
