import { type Node, nodes, statusOf } from '@fairlead/kube';
import type { SimulatedAgent } from '@fairlead/sim/gateway';
import type { Drops } from './drops.ts';
import type { ServiceWorld } from './services.ts';

export const GATEWAYS = ['gw-1', 'gw-2', 'gw-3'];
export const NODES = ['north', 'south'];
export const POOLS = ['public', 'partners', 'bare'];
export const ADDRESSES = ['192.0.2.1', '192.0.2.2', '192.0.2.101', '192.0.2.102', '192.0.2.201', '2001:db8::1'];

/** Which gateways serve a pool, and whether one of them is enough. */
export const SERVED_BY: ReadonlyMap<string, { readonly gateways: readonly string[]; readonly enough: 'any' | 'all' }> =
  new Map([
    ['public', { gateways: ['gw-1', 'gw-2'], enough: 'any' }],
    ['partners', { gateways: ['gw-2', 'gw-3'], enough: 'all' }],
    ['bare', { gateways: [], enough: 'any' }],
  ]);

export function poolOf(address: string): string {
  if (address === '192.0.2.201') return 'bare';
  return address.startsWith('192.0.2.10') ? 'partners' : 'public';
}

/** A cluster, gateways with agents, and the part in two replicas. */
export interface GatewayWorld extends ServiceWorld {
  readonly agents: ReadonlyMap<string, SimulatedAgent>;
  readonly drops: Drops;
  /** Whether agents are asked now and then what they have. */
  readonly isCompared: boolean;
  /** Service -> the pods behind it that are ready, by the last part of their address. */
  readonly pods: Map<string, readonly number[]>;
  readonly readyNodes: Set<string>;
}

export async function setReady(
  { editor }: Pick<GatewayWorld, 'editor'>,
  name: string,
  isReady: boolean,
): Promise<void> {
  const addresses = [{ type: 'InternalIP', address: `10.9.0.${NODES.indexOf(name) + 1}` }] as const;
  const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }] as const;
  await editor.patchMerge<Node>(statusOf(nodes), { name }, { status: { addresses, conditions } });
}
