import { type Clock, type ClusterId, type IpFamily, Lanes, parseIpRange } from '@fairlead/control';
import {
  type Member,
  type NeutronClient,
  problemIn,
  type SecurityGroupRule,
  type SecurityGroupRuleRequest,
} from '../../client/index.ts';
import { clusterText, isOfCluster } from '../balancer/marks.ts';
import { configuredSubnets, type Site } from './site.ts';

/** A rule that lets load balancers reach what is behind them. */
export type MemberRule = Omit<SecurityGroupRuleRequest, 'description'>;

const EVERYWHERE: Readonly<Record<IpFamily, string>> = { IPv4: '0.0.0.0/0', IPv6: '::/0' };

/**
 * From where members are reached: amphorae have an interface in the subnets of members, and reach others from that of
 * their VIP. A load balancer in the switches leaves the addresses of clients as they are.
 */
export function sourcesOf(keepsClientAddresses: boolean, site: Site): readonly string[] {
  if (keepsClientAddresses) return Object.values(EVERYWHERE);
  return [...new Set(configuredSubnets(site).map(({ cidr }) => cidr))];
}

/** Members that are, or are to be, behind a load balancer. */
export interface ReachedPool {
  readonly protocol: string;
  readonly members: readonly (Partial<Pick<Member, 'monitor_port' | 'subnet_id'>> & Pick<Member, 'protocol_port'>)[];
}

/**
 * The rules that the members of a load balancer need in their security groups: their ports, and where nodes tell of
 * their health, from where they are reached.
 */
export function memberRules(
  pools: readonly ReachedPool[],
  groupIds: readonly string[],
  sourceCidrs: readonly string[],
): readonly MemberRule[] {
  const rules = new Map<string, MemberRule>();
  for (const pool of pools) {
    const transport = pool.protocol === 'UDP' ? 'udp' : pool.protocol === 'SCTP' ? 'sctp' : 'tcp';
    const ports = pool.members.flatMap(({ protocol_port, monitor_port }) => [
      [transport, protocol_port] as const,
      ...(typeof monitor_port === 'number' ? [['tcp', monitor_port] as const] : []),
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
  /** What is told of a Service that has not been looked at yet: until `want` says all, no rule is taken for unused. */
  wantAtLeast(key: string, rules: readonly MemberRule[]): void;
  /**
   * Creates some of what is missing of what this Service needs, and deletes some of those of ours that none needs any
   * more, where something has changed. Resolves with whether nothing is left to do for the Service: who has more to do
   * comes back, and keeps no place that another could have meanwhile. Rejects when a rule cannot be created.
   */
  ensure(key: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Deletes some of those of ours that no Service needs any more, for who has gone and for who comes back for its own
   * alone. Resolves with after how many milliseconds there may be more to delete; undefined when there is none, or when
   * `onUnswept` will tell of it.
   */
  sweep(signal: AbortSignal): Promise<number | undefined>;
  /** Another may have changed the rules: the next time they are looked at. */
  suspect(): void;
}

/** A tenant can need as many rules as there are ports: the others have their turn in between. */
const MOST_CHANGES_AT_ONCE = 10;
/** How long is waited for the next Service to be looked at: one that always fails keeps no unused rule for ever. */
const PATIENCE_MILLISECONDS = 300_000;
/** Nor do many that are looked at one after the other, as a tenant lets them. */
const PATIENCE_WITH_ALL_MILLISECONDS = 3_600_000;

/** The security groups of Neutron. */
export class NeutronSecurityGroups implements SecurityGroupDriver {
  readonly #neutron: NeutronClient;
  readonly #cluster: ClusterId;
  readonly #groupIds: readonly string[];
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #onUnswept: () => void;
  readonly #lane = new Lanes(1);
  /** Service key -> rule key -> rule */
  readonly #wanted = new Map<string, ReadonlyMap<string, MemberRule>>();
  /** Of Services that have not been looked at yet. */
  readonly #unseen = new Set<string>();
  /** Since when the next of these is waited for. */
  #waitsSince: number | undefined;
  /** Since when the first of these is. */
  #waitsFrom: number | undefined;
  /** Service key -> keys of rules that it needed before, and that are to go unless another needs them. */
  readonly #dropped = new Map<string, ReadonlySet<string>>();
  /** Rule key -> ids of those that are ours; undefined when they have to be looked at. */
  #found: Map<string, readonly string[]> | undefined;
  #suspicions = 0;
  /** Whether none of those that were found is unused, and nothing less has been wanted since. */
  #isSwept = false;

  constructor(
    neutron: NeutronClient,
    cluster: ClusterId,
    groupIds: readonly string[],
    clock: Pick<Clock, 'monotonic'>,
    onUnswept: () => void,
  ) {
    this.#neutron = neutron;
    this.#cluster = cluster;
    this.#groupIds = groupIds;
    this.#clock = clock;
    this.#onUnswept = onUnswept;
  }

  want(key: string, rules: readonly MemberRule[]): void {
    const before = this.#wanted.get(key) ?? new Map<string, MemberRule>();
    const after = new Map(rules.map((rule) => [ruleKey(rule), rule]));
    const wasUnseen = this.#unseen.delete(key);
    if (wasUnseen) this.#waitsSince = undefined;
    const dropped = [...before.keys()].filter((rule) => !after.has(rule));
    if (after.size === 0) this.#wanted.delete(key);
    else this.#wanted.set(key, after);
    if (dropped.length > 0) this.#dropped.set(key, new Set([...(this.#dropped.get(key) ?? []), ...dropped]));
    if (dropped.length === 0 && !wasUnseen) return;
    this.#isSwept = false;
    this.#onUnswept();
  }

  wantAtLeast(key: string, rules: readonly MemberRule[]): void {
    this.want(key, rules);
    this.#unseen.add(key);
  }

  suspect(): void {
    this.#doubt();
    this.#onUnswept();
  }

  #doubt(): void {
    this.#suspicions += 1;
    this.#found = undefined;
    this.#isSwept = false;
  }

  /** One at a time: two that look at the same moment would create the same rule. */
  async ensure(key: string, signal: AbortSignal): Promise<boolean> {
    return this.#groupIds.length === 0 || this.#lane.run('', () => this.#advance(key, signal), signal);
  }

  async sweep(signal: AbortSignal): Promise<number | undefined> {
    return this.#groupIds.length === 0 ? undefined : this.#lane.run('', () => this.#sweepRest(signal), signal);
  }

  /** Makes some of the changes; whether nothing is left to do for the Service. */
  async #advance(key: string, signal: AbortSignal): Promise<boolean> {
    const own = this.#dropped.get(key) ?? new Set();
    this.#dropped.delete(key);
    try {
      // First, as a quota may be met.
      const left = await this.#sweepSome(own, signal);
      const isGone = ![...own].some((rule) => left.has(rule));
      if (!isGone) this.#dropped.set(key, own);
      // This one comes back for its own alone.
      if (left.size > 0) this.#onUnswept();
      const isMade = await this.#createSome(key, signal);
      return isGone && isMade;
    } catch (error) {
      this.suspect();
      throw error;
    }
  }

  async #sweepRest(signal: AbortSignal): Promise<number | undefined> {
    try {
      await this.#sweepSome(new Set(), signal);
    } catch (error) {
      // Who asked for it tries again.
      this.#doubt();
      throw error;
    }
    return this.#isSwept ? undefined : this.#patienceForUnseen();
  }

  async #look(signal: AbortSignal): Promise<Map<string, readonly string[]>> {
    if (this.#found !== undefined) return this.#found;
    const suspicions = this.#suspicions;
    const there = await this.#neutron.listSecurityGroupRules({ security_group_id: this.#groupIds }, { signal });
    const found = new Map<string, readonly string[]>();
    for (const rule of there) {
      const ours = isOfCluster(rule, this.#cluster) ? [rule.id] : [];
      found.set(ruleKey(rule), [...(found.get(ruleKey(rule)) ?? []), ...ours]);
    }
    if (suspicions === this.#suspicions) this.#found = found;
    return found;
  }

  /** Deletes some of those that no Service needs, its own before those of others; those that are left. */
  async #sweepSome(own: ReadonlySet<string>, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const found = await this.#look(signal);
    if (this.#isSwept || this.#patienceForUnseen() > 0) return new Set();
    const wanted = new Set([...this.#wanted.values()].flatMap((rules) => [...rules.keys()]));
    const unused = [...found].filter(([rule, ids]) => ids.length > 0 && !wanted.has(rule));
    const [ofOthers, ofOwn] = [unused.filter(([rule]) => !own.has(rule)), unused.filter(([rule]) => own.has(rule))];
    const ordered = [...ofOwn, ...ofOthers];
    // What is wanted less from here on makes it unswept again.
    this.#isSwept = unused.length <= MOST_CHANGES_AT_ONCE;
    for (const [rule, ids] of ordered.slice(0, MOST_CHANGES_AT_ONCE)) {
      for (const id of ids) await this.#neutron.deleteSecurityGroupRule(id, { signal });
      found.delete(rule);
    }
    return new Set(ordered.slice(MOST_CHANGES_AT_ONCE).map(([rule]) => rule));
  }

  /** For how many milliseconds more the next Service that has not been looked at is waited for. */
  #patienceForUnseen(): number {
    if (this.#unseen.size === 0) return 0;
    const now = this.#clock.monotonic();
    this.#waitsSince ??= now;
    this.#waitsFrom ??= now;
    const until = this.#waitsFrom + PATIENCE_WITH_ALL_MILLISECONDS;
    return Math.max(0, Math.min(this.#waitsSince + PATIENCE_MILLISECONDS, until) - now);
  }

  /** Whether all rules that the Service needs are there. */
  async #createSome(key: string, signal: AbortSignal): Promise<boolean> {
    const found = await this.#look(signal);
    const missing = [...(this.#wanted.get(key) ?? [])].filter(([rule]) => !found.has(rule));
    for (const [name, rule] of missing.slice(0, MOST_CHANGES_AT_ONCE)) {
      found.set(name, await this.#create(rule, signal));
    }
    return missing.length <= MOST_CHANGES_AT_ONCE;
  }

  /** Another who created the same rule meanwhile has done it for us. Neutron has conflicts that say nothing of it, too. */
  async #create(rule: MemberRule, signal: AbortSignal): Promise<readonly string[]> {
    const description = clusterText(this.#cluster, 'load balancers reach their members');
    try {
      const { id } = await this.#neutron.createSecurityGroupRule({ ...rule, description }, { signal });
      return [id];
    } catch (error) {
      if (problemIn(error) !== 'exists') throw error;
      return [];
    }
  }
}
