import type { FloatingIp } from '../../client/index.ts';
import type { KuryrLoadBalancerStatus } from '../resource/types.ts';
import { type BalancerOwner, isOwn } from './marks.ts';
import type { ObservedBalancer } from './observed.ts';

export type FoundStatus = Omit<KuryrLoadBalancerStatus, 'conditions'>;

/** What the status says of what was found, in the words that Kuryr had for it. */
export function statusFrom(
  owner: BalancerOwner,
  { serving, tree, floatingIps }: ObservedBalancer,
  securityGroupIds: readonly string[],
): FoundStatus {
  if (serving === undefined) return {};
  const { balancer } = serving;
  const { id, name, project_id, provider, vip_address, vip_port_id, vip_subnet_id } = balancer;
  const more = balancer.additional_vips.map(({ ip_address }) => ip_address);
  const floating = floatingIps.find(({ port_id }) => port_id !== null && port_id === vip_port_id);
  return {
    loadbalancer: {
      id,
      ip: vip_address,
      name,
      project_id,
      provider,
      security_groups: securityGroupIds,
      ...(vip_port_id === undefined ? {} : { port_id: vip_port_id }),
      ...(vip_subnet_id === undefined ? {} : { subnet_id: vip_subnet_id }),
      ...(more.length === 0 ? {} : { additional_ips: more }),
    },
    ...(floating === undefined ? {} : { service_pub_ip_info: publicIp(owner, floating) }),
    ...(tree === undefined ? {} : childrenOf(owner, tree)),
  };
}

function publicIp(owner: BalancerOwner, floating: FloatingIp) {
  const alloc_method = isOwn(floating, owner) ? 'pool' : 'user';
  return { ip_id: floating.id, ip_addr: floating.floating_ip_address, alloc_method };
}

function childrenOf(
  owner: BalancerOwner,
  { balancer, listeners, pools, members }: NonNullable<ObservedBalancer['tree']>,
) {
  const own = <Child extends { readonly id: string; readonly tags: readonly string[]; readonly description: string }>(
    children: readonly Child[],
  ) => children.filter((child) => isOwn(child, owner)).toSorted(byId);
  const ownPools = own(pools);
  return {
    listeners: own(listeners).map((listener) => ({
      id: listener.id,
      loadbalancer_id: balancer.id,
      name: listener.name,
      port: listener.protocol_port,
      project_id: listener.project_id,
      protocol: listener.protocol,
      ...timeout('timeout_client_data', listener.timeout_client_data),
      ...timeout('timeout_member_data', listener.timeout_member_data),
    })),
    pools: ownPools.map((pool) => ({
      id: pool.id,
      loadbalancer_id: balancer.id,
      name: pool.name,
      project_id: pool.project_id,
      protocol: pool.protocol,
      ...(pool.listeners[0] === undefined ? {} : { listener_id: pool.listeners[0].id }),
    })),
    members: ownPools.flatMap((pool) =>
      (members.get(pool.id) ?? []).toSorted(byId).map((member) => ({
        id: member.id,
        ip: member.address,
        name: member.name,
        pool_id: pool.id,
        port: member.protocol_port,
        project_id: member.project_id,
        ...(member.subnet_id === undefined ? {} : { subnet_id: member.subnet_id }),
      })),
    ),
  };
}

function byId(left: { readonly id: string }, right: { readonly id: string }): number {
  return left.id < right.id ? -1 : 1;
}

function timeout<Name extends string>(name: Name, value: number | null | undefined): Partial<Record<Name, number>> {
  const found: Partial<Record<Name, number>> = {};
  if (value !== null && value !== undefined) found[name] = value;
  return found;
}
