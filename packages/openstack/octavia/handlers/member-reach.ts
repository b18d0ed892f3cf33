import { verdictOf } from '@fairlead/control';
import type { Again } from '@fairlead/kube';
import { type DesiredBalancer, desiredBalancer } from '../balancer/desired.ts';
import type { ObservedBalancer } from '../balancer/observed.ts';
import type { LbaasDriver } from '../drivers/lbaas-driver.ts';
import { memberRules, type MemberRule, type SecurityGroupDriver, sourcesOf } from '../drivers/security-groups.ts';
import { configuredSubnets, type Site } from '../drivers/site.ts';
import type { SubnetDriver } from '../drivers/subnet-driver.ts';
import { readResource } from '../resource/older-shapes.ts';
import type { KuryrLoadBalancer } from '../resource/types.ts';

/** When who is not done comes back: others have had their turn by then. */
export const MORE_RULES: Again = { afterMilliseconds: 100 };

/**
 * Sees to it that load balancers reach their members, from where they are and from where they are to be. What has many
 * rules to make or to delete is told that it is not done, and comes back.
 */
export class MemberReach {
  readonly #site: Site;
  readonly #subnets: SubnetDriver;
  readonly #securityGroups: SecurityGroupDriver;
  readonly #lbaas: Pick<LbaasDriver, 'find'>;

  constructor(
    site: Site,
    subnets: SubnetDriver,
    securityGroups: SecurityGroupDriver,
    lbaas: Pick<LbaasDriver, 'find'>,
  ) {
    this.#site = site;
    this.#subnets = subnets;
    this.#securityGroups = securityGroups;
    this.#lbaas = lbaas;
  }

  /** Notes what a load balancer needs that is there already, before any rule is taken for unused. */
  async restore(key: string, resource: KuryrLoadBalancer, signal: AbortSignal): Promise<void> {
    try {
      this.#securityGroups.want(key, await this.#rulesAsTold(resource, signal));
    } catch (error) {
      signal.throwIfAborted();
      // Its own pass tells of it. What Neutron will never tell of is no reason to keep rules.
      if (verdictOf(error) !== 'terminal') this.#securityGroups.wantUnknown(key);
    }
  }

  /** Until it is served elsewhere, it is reached where it is: a move may be refused, or take long. */
  async open(
    key: string,
    resource: KuryrLoadBalancer,
    desired: DesiredBalancer,
    observed: ObservedBalancer,
    signal: AbortSignal,
  ): Promise<boolean> {
    const there = await this.#rules(desired, vipSubnetsOf(observed), signal);
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
    this.#securityGroups.want(key, await this.#rules(desired, vipSubnetsOf(observed), signal));
    return this.#securityGroups.ensure(key, signal);
  }

  /** What it asks for is refused: it is reached where it is, and nowhere else. What is told of may be gone by now. */
  async keep(key: string, resource: KuryrLoadBalancer, signal: AbortSignal): Promise<boolean> {
    const isThere = await this.#isThere(resource, signal);
    this.#securityGroups.want(key, isThere ? await this.#rulesAsTold(resource, signal) : []);
    return this.#securityGroups.ensure(key, signal);
  }

  /** It needs nothing any more; another pass takes its rules away. */
  forget(key: string): void {
    this.#securityGroups.want(key, []);
  }

  /** Another may have changed the rules: the next time they are looked at. */
  suspect(): void {
    this.#securityGroups.suspect();
  }

  async #isThere({ status }: KuryrLoadBalancer, signal: AbortSignal): Promise<boolean> {
    const { memberSecurityGroupIds } = this.#site;
    const id = status?.loadbalancer?.id;
    if (id === undefined || memberSecurityGroupIds.length === 0) return false;
    return (await this.#lbaas.find(id, signal)) !== undefined;
  }

  /** What it needs on the load balancer that its status tells of. */
  async #rulesAsTold(resource: KuryrLoadBalancer, signal: AbortSignal): Promise<readonly MemberRule[]> {
    const { loadbalancer } = resource.status ?? {};
    if (!loadbalancer) return [];
    const { provider, subnet_id } = loadbalancer;
    const desired = desiredBalancer(readResource(resource), this.#site, provider);
    if (desired === undefined) return [];
    return this.#rules(desired, subnet_id === undefined ? [] : [subnet_id], signal);
  }

  async #rules(
    desired: DesiredBalancer,
    vipSubnetIds: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly MemberRule[]> {
    const { memberSecurityGroupIds } = this.#site;
    if (memberSecurityGroupIds.length === 0) return [];
    const sources = sourcesOf(desired, this.#site);
    const configured = new Set(configuredSubnets(this.#site).map(({ id }) => id));
    const used = [...vipSubnetIds, ...memberSubnetsOf(desired)];
    const chosen = desired.keepsClientAddresses ? [] : used.filter((id) => !configured.has(id));
    return memberRules(desired, memberSecurityGroupIds, [
      ...sources,
      ...(await this.#subnets.rangesOf(chosen, signal)),
    ]);
  }
}

function vipSubnetsOf({ serving }: ObservedBalancer): readonly string[] {
  if (serving === undefined) return [];
  const { vip_subnet_id, additional_vips } = serving.balancer;
  return [
    ...(vip_subnet_id === undefined ? [] : [vip_subnet_id]),
    ...additional_vips.map(({ subnet_id }) => subnet_id),
  ];
}

function memberSubnetsOf({ listeners }: DesiredBalancer): readonly string[] {
  return listeners.flatMap(({ pool }) => pool.members.flatMap(({ subnet_id }) => subnet_id ?? []));
}
