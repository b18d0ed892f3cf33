import { type IpAddress, familyOf, ipAddressValue, parseIpRange, rangeContains } from '@fairlead/control';
import type { Backend, VirtualServer } from '../../protocol/configuration.ts';
import { jhash, modulo } from './jhash.ts';
import { HASH_SEED } from './layout.ts';
import { assignSlots } from './slots.ts';

/** Where a connection comes from. */
export interface Client {
  readonly address: IpAddress;
  readonly port: number;
}

/** What a new connection meets at a virtual server, the same at every gateway. */
export type FlowEnd =
  | { readonly kind: 'not-admitted' }
  | { readonly kind: 'refused' }
  | {
      readonly kind: 'backend';
      readonly backend: Backend;
      readonly slot: number;
      readonly slots: number;
      /** Whether a client that was there before may have been kept with another one. */
      readonly hasAffinity: boolean;
    };

/** As the rules of the table decide, of which this is a retelling. */
export function flowEnd(virtualServer: VirtualServer, client: Client): FlowEnd {
  const { backends, sourceRanges, affinitySeconds } = virtualServer;
  const isAdmitted = (text: string) => {
    const range = parseIpRange(text);
    return range !== undefined && rangeContains(range, client.address);
  };
  if (sourceRanges !== undefined && !sourceRanges.some(isAdmitted)) return { kind: 'not-admitted' };
  const slots = assignSlots(backends);
  const hasAffinity = affinitySeconds !== undefined;
  const slot = modulo(jhash(hashedBytes(client, hasAffinity), HASH_SEED), slots.length);
  const backend = slots[slot];
  if (backend === undefined) return { kind: 'refused' };
  return { kind: 'backend', backend, slot, slots: slots.length, hasAffinity };
}

/** The address, and the port in a register of its own; the address alone where clients are kept with their backends. */
function hashedBytes({ address, port }: Client, addressAlone: boolean): Uint8Array {
  const length = familyOf(address) === 'IPv4' ? 4 : 16;
  const digits = ipAddressValue(address)
    .toString(16)
    .padStart(length * 2, '0');
  const bytes = Buffer.from(digits, 'hex');
  return addressAlone ? bytes : Buffer.concat([bytes, Buffer.from([port >> 8, port & 0xff, 0, 0])]);
}
