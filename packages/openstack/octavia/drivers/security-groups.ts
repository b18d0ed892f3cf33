import { type ClusterId, type IpFamily, Lanes, parseIpRange } from '@fairlead/control';
import {
  type NeutronClient,
  problemIn,
  type SecurityGroupRule,
  type SecurityGroupRuleRequest,
} from '../../client/index.ts';
import type { DesiredBalancer } from '../balancer/desired.ts';
import { clusterText, isOfCluster } from '../balancer/marks.ts';
import { configuredSubnets, type Site } from './site.ts';

/** A rule that lets load balancers reach what is behind them. */
export type MemberRule = Omit<SecurityGroupRuleRequest, 'description'>;

const EVERYWHERE: Readonly<Record<IpFamily, string>> = { IPv4: '0.0.0.0/0', IPv6: '::/0' };

/**
 * From where members are reached: amphorae have an interface in the subnets of members, and reach others from that of
 * their VIP. A load balancer in the switches leaves the addresses of clients as they are.
 */
export function sourcesOf({ keepsClientAddresses }: DesiredBalancer, site: Site): readonly string[] {
  if (keepsClientAddresses) return Object.values(EVERYWHERE);
  return [...new Set(configuredSubnets(site).map(({ cidr }) => cidr))];
}

/**
 * The rules that the members of a load balancer need in their security groups: their ports, and where nodes tell of
 * their health, from where they are reached.
 */
export function memberRules(
  desired: DesiredBalancer,
  groupIds: readonly string[],
  sourceCidrs: readonly string[],
): readonly MemberRule[] {
  const rules = new Map<string, MemberRule>();
  for (const { pool } of desired.listeners) {
    const transport = pool.protocol === 'UDP' ? 'udp' : pool.protocol === 'SCTP' ? 'sctp' : 'tcp';
    const ports = pool.members.flatMap(({ protocol_port, monitor_port }) => [
      [transport, protocol_port] as const,
      ...(monitor_port === undefined ? [] : [['tcp', monitor_port] as const]),
    ]);
    for (const [protocol, port] of ports) {
      for (const security_group_id of groupIds) {
        for (const remote_ip_prefix of sourceCidrs) {
          const ethertype = parseIpRange(remote_ip_prefix)?.family ?? 'IPv4';
          const range = { port_range_min: port, port_range_max: port };
          const rule = {
            security_group_id,
            direction: 'ingress',
            ethertype,
            protocol,
            ...range,
            remote_ip_prefix,
          } as const;
          rules.set(ruleKey(rule), rule);
        }
      }
    }
  }
  return [...rules.values()];
}

/** Neutron takes two rules for the same when these are equal, whatever their descriptions. */
function ruleKey(rule: MemberRule | SecurityGroupRule): string {
  const { security_group_id, direction, ethertype, protocol, port_range_min, port_range_max } = rule;
  return [security_group_id, direction, ethertype, protocol, port_range_min, port_range_max, sourceIn(rule)].join(' ');
}

/** One that names no source admits everybody of its family. */
function sourceIn(rule: MemberRule | SecurityGroupRule): string {
  const group = 'remote_group_id' in rule ? (rule.remote_group_id ?? undefined) : undefined;
  return rule.remote_ip_prefix ?? group ?? EVERYWHERE[rule.ethertype === 'IPv6' ? 'IPv6' : 'IPv4'];
}

/** Sees to it that load balancers reach their members: the rules that Services need, each once for all of them. */
export interface SecurityGroupDriver {
  /** What a Service needs from now on. */
  want(key: string, rules: readonly MemberRule[]): void;
  /**
   * Creates what is missing, and deletes those of ours that no Service needs any more, where something has changed.
   * Rejects when a rule of this Service cannot be created; that of another is the other's to tell.
   */
  ensure(key: string, signal: AbortSignal): Promise<void>;
  /** Another may have changed the rules: the next time they are looked at. */
  suspect(): void;
}

/** The security groups of Neutron. */
export class NeutronSecurityGroups implements SecurityGroupDriver {
  readonly #neutron: NeutronClient;
  readonly #cluster: ClusterId;
  readonly #groupIds: readonly string[];
  readonly #lane = new Lanes(1);
  /** Service key -> rule key -> rule */
  readonly #wanted = new Map<string, ReadonlyMap<string, MemberRule>>();

  /** Whether the rules were as they should be when they were last looked at, and nothing has been wanted since. */
  #isKnown = false;

  constructor(neutron: NeutronClient, cluster: ClusterId, groupIds: readonly string[]) {
    this.#neutron = neutron;
    this.#cluster = cluster;
    this.#groupIds = groupIds;
  }

  want(key: string, rules: readonly MemberRule[]): void {
    const before = this.#wanted.get(key) ?? new Map<string, MemberRule>();
    const after = new Map(rules.map((rule) => [ruleKey(rule), rule]));
    if (before.size === after.size && [...after.keys()].every((rule) => before.has(rule))) return;
    this.#isKnown = false;
    if (after.size === 0) this.#wanted.delete(key);
    else this.#wanted.set(key, after);
  }

  suspect(): void {
    this.#isKnown = false;
  }

  /** One at a time: two that look at the same moment would create the same rule. */
  async ensure(key: string, signal: AbortSignal): Promise<void> {
    if (this.#groupIds.length === 0) return;
    await this.#lane.run('', async () => this.#isKnown || this.#ensure(key, signal), signal);
  }

  async #ensure(key: string, signal: AbortSignal): Promise<void> {
    // What is wanted from here on makes it unknown again.
    this.#isKnown = true;
    try {
      await this.#bringInStep(key, signal);
    } catch (error) {
      this.#isKnown = false;
      throw error;
    }
  }

  async #bringInStep(key: string, signal: AbortSignal): Promise<void> {
    const own = this.#wanted.get(key) ?? new Map<string, MemberRule>();
    const wanted = new Map([...this.#wanted.values()].flatMap((rules) => [...rules]));
    const there = await this.#neutron.listSecurityGroupRules({ security_group_id: this.#groupIds }, { signal });
    const found = new Set(there.map(ruleKey));
    // First, as a quota may be met.
    for (const rule of there) {
      if (!isOfCluster(rule, this.#cluster) || wanted.has(ruleKey(rule))) continue;
      await this.#neutron.deleteSecurityGroupRule(rule.id, { signal });
    }
    const missing = (rules: ReadonlyMap<string, MemberRule>) => [...rules].filter(([name]) => !found.has(name));
    for (const [, rule] of missing(own)) await this.#create(rule, signal);
    try {
      for (const [name, rule] of missing(wanted)) if (!own.has(name)) await this.#create(rule, signal);
    } catch {
      signal.throwIfAborted();
      this.#isKnown = false;
    }
  }

  /** Another who created the same rule meanwhile has done it for us. Neutron has conflicts that say nothing of it, too. */
  async #create(rule: MemberRule, signal: AbortSignal): Promise<void> {
    const description = clusterText(this.#cluster, 'load balancers reach their members');
    try {
      await this.#neutron.createSecurityGroupRule({ ...rule, description }, { signal });
    } catch (error) {
      if (problemIn(error) !== 'exists') throw error;
    }
  }
}
