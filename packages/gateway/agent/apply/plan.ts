import { familyOf, type IpAddress, parseIpRange, rangeContains } from '@fairlead/control';
import { type Backend, frontendKey, type VirtualServer } from '../../protocol/configuration.ts';
import type { Changes, VirtualServers } from '../../protocol/delta.ts';
import { backendKey } from '../nftables/slots.ts';
import type { Flows } from './node.ts';

/** The addresses of virtual servers, each once. */
export function addressesOf(virtualServers: Iterable<VirtualServer>): ReadonlySet<IpAddress> {
  const addresses = new Set<IpAddress>();
  for (const { address } of virtualServers) addresses.add(address);
  return addresses;
}

/**
 * One step from one configuration to another. An address goes before the rules that serve it do, and comes after them:
 * no packet meets a gateway that holds the address and does not know the Service.
 */
export type ApplyStep =
  | { readonly kind: 'record-begun' }
  | { readonly kind: 'use-addresses'; readonly addresses: ReadonlySet<IpAddress> }
  | { readonly kind: 'change-table' }
  | { readonly kind: 'forget-flows' }
  | { readonly kind: 'record-done' };

export function applySteps(before: ReadonlySet<IpAddress>, after: ReadonlySet<IpAddress>): readonly ApplyStep[] {
  const staying = new Set([...before].filter((address) => after.has(address)));
  return [
    { kind: 'record-begun' },
    ...(staying.size < before.size ? [{ kind: 'use-addresses', addresses: staying } as const] : []),
    { kind: 'change-table' },
    ...(staying.size < after.size ? [{ kind: 'use-addresses', addresses: after } as const] : []),
    { kind: 'forget-flows' },
    { kind: 'record-done' },
  ];
}

/** To forget flows takes a walk over all that the kernel knows: beyond so many, flows to more than what went are forgotten. */
export const MANY_FLOWS = 16;

/**
 * What the kernel's memory of flows must lose. TCP ends by itself and is left to drain; UDP and SCTP would go on to a
 * backend that is no longer there. Where that is much, flows are forgotten that could have stayed: they find their way anew.
 */
export function staleFlows(before: VirtualServers, { put, remove }: Changes): readonly Flows[] {
  const next = new Map(put.map((one) => [frontendKey(one), one]));
  const exact = [...put, ...remove].flatMap((changed): readonly Flows[] => {
    const { address, protocol, port } = changed;
    const old = before.get(frontendKey(changed));
    if (old === undefined || protocol === 'TCP') return [];
    const gone = goneBackends(old, next.get(frontendKey(changed)));
    return gone.map((backend) => ({ frontend: { address, protocol, port }, backend }));
  });
  const ofAddress = ({ frontend: { address, protocol } }: Flows) => ({ frontend: { address, protocol } });
  const wider: readonly ((flows: Flows) => Flows)[] = [
    ({ frontend }) => ({ frontend }),
    (flows) =>
      flows.backend === undefined ? flows : { ...ofAddress(flows), backend: { address: flows.backend.address } },
  ];
  const few = [exact, ...wider.map((widen) => eachOnce(exact.map(widen)))].find(({ length }) => length <= MANY_FLOWS);
  return few ?? eachOnce(exact.map(ofAddress));
}

/**
 * What began while the table was gone: the kernel goes on treating such flows as addressed to the gateway itself. TCP is
 * reset by itself.
 */
export function strayFlows(virtualServers: Iterable<VirtualServer>): readonly Flows[] {
  const found: Flows[] = [];
  for (const { address, protocol } of virtualServers) {
    if (protocol !== 'TCP') found.push({ frontend: { address, protocol } });
  }
  return eachOnce(found);
}

/** Those whose source ranges keep out clients that were let in before. */
export function narrowed(before: VirtualServers, { put }: Changes): readonly VirtualServer[] {
  return put.filter((one) => {
    const old = before.get(frontendKey(one));
    if (old === undefined || one.sourceRanges === undefined) return false;
    const wider = new Set(one.sourceRanges);
    return old.sourceRanges === undefined || old.sourceRanges.some((range) => !wider.has(range));
  });
}

export function mayConnect({ address, sourceRanges }: VirtualServer, client: IpAddress): boolean {
  if (sourceRanges === undefined) return true;
  if (familyOf(client) !== familyOf(address)) return false;
  return sourceRanges.some((text) => {
    const range = parseIpRange(text);
    return range !== undefined && rangeContains(range, client);
  });
}

function goneBackends(before: VirtualServer, after: VirtualServer | undefined): readonly Backend[] {
  const staying = new Set((after?.backends ?? []).map(backendKey));
  return before.backends.filter((backend) => !staying.has(backendKey(backend)));
}

function eachOnce(all: readonly Flows[]): readonly Flows[] {
  return [...new Map(all.map((flows) => [JSON.stringify(flows), flows])).values()];
}
