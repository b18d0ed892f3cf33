import type { Again } from '@fairlead/kube';
import type { LoadBalancer } from '../../client/index.ts';
import type { BalancerCloud } from '../balancer/cloud.ts';
import { type DesiredBalancer, desiredBalancer } from '../balancer/desired.ts';
import { type BalancerOwner, isOwn } from '../balancer/marks.ts';
import type { BalancerTree, ObservedBalancer } from '../balancer/observed.ts';
import { capabilitiesOf } from '../drivers/capabilities.ts';
import {
  memberRules,
  type MemberRule,
  type ReachedPool,
  type SecurityGroupDriver,
  sourcesOf,
} from '../drivers/security-groups.ts';
import { configuredSubnets, type Site } from '../drivers/site.ts';
import type { SubnetDriver } from '../drivers/subnet-driver.ts';
import { readResource } from '../resource/older-shapes.ts';
import type { KuryrLoadBalancer } from '../resource/types.ts';

/** When who is not done comes back: others have had their turn by then. */
export const MORE_RULES: Again = { afterMilliseconds: 100 };

/** What is known of a Service without Neutron, which may fail for ever at what a tenant chose. */
const UNTOLD: SubnetDriver = { rangesOf: async () => [] };

/**
 * Sees to it that load balancers reach their members, from where they are and from where they are to be. What has many
 * rules to make or to delete is told that it is not done, and comes back.
 */
export class MemberReach {
  readonly #site: Site;
  readonly #subnets: SubnetDriver;
  readonly #securityGroups: SecurityGroupDriver;
  readonly #cloud: Pick<BalancerCloud, 'standing'>;

  constructor(
    site: Site,
    subnets: SubnetDriver,
    securityGroups: SecurityGroupDriver,
    cloud: Pick<BalancerCloud, 'standing'>,
  ) {
    this.#site = site;
    this.#subnets = subnets;
    this.#securityGroups = securityGroups;
    this.#cloud = cloud;
  }

  /**
   * Notes what a load balancer needs that is there already, before any rule is taken for unused. Its status may have been
   * emptied, and a refused one may have other members than it asks for: only its own pass knows all.
   */
  async restore(key: string, resource: KuryrLoadBalancer, signal: AbortSignal): Promise<void> {
    this.restoreUntold(key);
    try {
      this.#securityGroups.wantAtLeast(key, await this.#rulesAsTold(resource, signal, UNTOLD));
      this.#securityGroups.wantAtLeast(key, await this.#rulesAsTold(resource, signal));
    } catch {
      // Its own pass tells of it.
      signal.throwIfAborted();
    }
  }

  /** Its resource is gone, or was forged: what is there is known when it is written anew. */
  restoreUntold(key: string): void {
    this.#securityGroups.wantAtLeast(key, []);
  }

  /** Until it is served elsewhere, it is reached where it is: a move may be refused, or take long. */
  async open(
    key: string,
    resource: KuryrLoadBalancer,
    desired: DesiredBalancer,
    observed: ObservedBalancer,
    signal: AbortSignal,
  ): Promise<boolean> {
    const there = await this.#rules(reachedBy(desired), vipSubnetsOf(observed), signal);
    this.#securityGroups.want(key, [...there, ...(await this.#rulesAsTold(resource, signal))]);
    return this.#securityGroups.ensure(key, signal);
  }

  /** It is served there, and nowhere else. */
  async settle(
    key: string,
    desired: DesiredBalancer,
    observed: ObservedBalancer,
    signal: AbortSignal,
  ): Promise<boolean> {
    this.#securityGroups.want(key, await this.#rules(reachedBy(desired), vipSubnetsOf(observed), signal));
    return this.#securityGroups.ensure(key, signal);
  }

  /** What it asks for is refused, or it is held where it leaves: the members that it has are reached where they are, and nothing else is. */
  async keep(key: string, owner: BalancerOwner, signal: AbortSignal): Promise<boolean> {
    if (this.#site.memberSecurityGroupIds.length === 0) return true;
    const rules: MemberRule[] = [];
    for (const tree of await this.#cloud.standing(owner, signal)) {
      const { provider } = tree.balancer;
      const keepsClientAddresses = capabilitiesOf(provider, this.#site.features).clientAddresses;
      const pools = poolsOf(owner, tree);
      rules.push(...(await this.#rules({ keepsClientAddresses, pools }, subnetsOf(tree.balancer), signal)));
    }
    this.#securityGroups.want(key, rules);
    return this.#securityGroups.ensure(key, signal);
  }

  /** It needs nothing any more; a sweep takes its rules away. */
  forget(key: string): void {
    this.#securityGroups.want(key, []);
  }

  /** Takes away what nobody needs and nobody comes back for. */
  async sweep(signal: AbortSignal): Promise<Again | void> {
    const milliseconds = await this.#securityGroups.sweep(signal);
    if (milliseconds === undefined) return;
    return { afterMilliseconds: Math.max(milliseconds, MORE_RULES.afterMilliseconds) };
  }

  /** Another may have changed the rules: the next time they are looked at. */
  suspect(): void {
    this.#securityGroups.suspect();
  }

  /** What it needs on the load balancer that its status tells of. */
  async #rulesAsTold(
    resource: KuryrLoadBalancer,
    signal: AbortSignal,
    subnets = this.#subnets,
  ): Promise<readonly MemberRule[]> {
    const { loadbalancer } = resource.status ?? {};
    if (!loadbalancer) return [];
    const { provider, subnet_id } = loadbalancer;
    const desired = desiredBalancer(readResource(resource), this.#site, provider);
    if (desired === undefined) return [];
    return this.#rules(reachedBy(desired), subnet_id === undefined ? [] : [subnet_id], signal, subnets);
  }

  async #rules(
    { keepsClientAddresses, pools }: Reached,
    vipSubnetIds: readonly string[],
    signal: AbortSignal,
    subnets = this.#subnets,
  ): Promise<readonly MemberRule[]> {
    const { memberSecurityGroupIds } = this.#site;
    if (memberSecurityGroupIds.length === 0) return [];
    const sources = sourcesOf(keepsClientAddresses, this.#site);
    const configured = new Set(configuredSubnets(this.#site).map(({ id }) => id));
    const used = [...vipSubnetIds, ...memberSubnetsOf(pools)];
    const chosen = keepsClientAddresses ? [] : used.filter((id) => !configured.has(id));
    return memberRules(pools, memberSecurityGroupIds, [...sources, ...(await subnets.rangesOf(chosen, signal))]);
  }
}

/** What is behind one load balancer, and whether that leaves the addresses of clients as they are. */
interface Reached {
  readonly keepsClientAddresses: boolean;
  readonly pools: readonly ReachedPool[];
}

function reachedBy({ keepsClientAddresses, listeners }: DesiredBalancer): Reached {
  return { keepsClientAddresses, pools: listeners.map(({ pool }) => pool) };
}

/** The members of a Service, as they are. */
function poolsOf(owner: BalancerOwner, { pools, members }: BalancerTree): readonly ReachedPool[] {
  return pools.map(({ id, protocol }) => {
    return { protocol, members: (members.get(id) ?? []).filter((member) => isOwn(member, owner)) };
  });
}

function vipSubnetsOf({ serving }: ObservedBalancer): readonly string[] {
  return serving === undefined ? [] : subnetsOf(serving.balancer);
}

function subnetsOf({ vip_subnet_id, additional_vips }: LoadBalancer): readonly string[] {
  return [
    ...(vip_subnet_id === undefined ? [] : [vip_subnet_id]),
    ...additional_vips.map(({ subnet_id }) => subnet_id),
  ];
}

function memberSubnetsOf(pools: readonly ReachedPool[]): readonly string[] {
  return pools.flatMap(({ members }) => members.flatMap(({ subnet_id }) => subnet_id ?? []));
}
