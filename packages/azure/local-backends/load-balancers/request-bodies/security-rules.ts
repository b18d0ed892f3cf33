import { createHash } from 'node:crypto';
import { FairleadError, familyOf, type IpAddress, parseIpAddress } from '@fairlead/control';
import { matches, type SecurityRule, type SecurityRuleProperties } from '../../../arm/index.ts';
import type { ServiceMark } from '../../names.ts';
import { type AzureSite, serviceOfName } from '../../site.ts';
import { nameFor } from './child-resources.ts';
import type { WantedService } from '../desired.ts';

/** A rule without its priority, which depends on what else is there. */
export interface WantedRule {
  readonly name: string;
  readonly properties: Omit<SecurityRuleProperties, 'priority'>;
}

/** As many as fit into a name of Azure, in place of `allow`. */
const TAG_DIGITS = 5;

/** Azure refuses a longer one, and with it every rule of the group: whose a rule is, its name tells. */
const LONGEST_DESCRIPTION = 140;

/** In one security group. */
const MOST_RULES = 1_000;
/** In all its rules together. */
const MOST_SOURCES = 4_000;

/** What was let in is decided before what is kept out. From the first number to the last, whichever is higher. */
const PRIORITIES = { Allow: { from: 500, to: 2499 }, Deny: { from: 4096, to: 2500 } } as const;

/**
 * Who may reach the addresses of a Service. A public frontend lets no client in by itself; an internal one all that are
 * in the network. Where sources are restricted, all others are kept out by a rule of their own, whatever other rules say.
 */
export function securityRulesFor(
  site: AzureSite,
  wanted: WantedService,
  addresses: readonly IpAddress[],
): readonly WantedRule[] {
  return addresses.flatMap((address) => rulesForAddress(site, wanted, address));
}

function rulesForAddress(site: AzureSite, wanted: WantedService, address: IpAddress): readonly WantedRule[] {
  const { sourceRanges, scope } = wanted;
  const family = familyOf(address);
  const name = nameFor(site, wanted, family);
  const common = {
    direction: 'Inbound',
    description: `Service ${wanted.key} of cluster ${site.cluster}`.slice(0, LONGEST_DESCRIPTION),
    sourcePortRange: '*',
    destinationAddressPrefix: address,
  } as const;
  if (sourceRanges.kind === 'any') {
    return scope === 'internal' ? [] : allowRules(wanted, `${name}-allow`, { ...common, sourceAddressPrefix: '*' });
  }
  const ranges = sourceRanges[family];
  const deny: WantedRule = {
    name: `${name}-deny`,
    properties: { ...common, access: 'Deny', protocol: '*', sourceAddressPrefix: '*', destinationPortRange: '*' },
  };
  const byRange =
    ranges.length === 0 ? [] : allowRules(wanted, `${name}-allow`, { ...common, sourceAddressPrefixes: ranges });
  // Azure takes one service tag in a rule.
  const byTag = wanted.serviceTags.flatMap((tag) => {
    const suffix = createHash('sha256').update(tag.toLowerCase()).digest('hex').slice(0, TAG_DIGITS);
    return allowRules(wanted, `${name}-${suffix}`, { ...common, sourceAddressPrefix: tag });
  });
  return [...byRange, ...byTag, deny];
}

function allowRules(
  { ports }: WantedService,
  name: string,
  common: Omit<SecurityRuleProperties, 'access' | 'protocol' | 'priority'>,
): readonly WantedRule[] {
  return (['TCP', 'UDP'] as const).flatMap((protocol) => {
    const numbers = ports.filter((port) => port.protocol === protocol).map(({ port }) => String(port));
    if (numbers.length === 0) return [];
    const azures = protocol === 'TCP' ? 'Tcp' : 'Udp';
    return [
      {
        name: `${name}-${protocol.toLowerCase()}`,
        properties: { ...common, access: 'Allow', protocol: azures, destinationPortRanges: numbers },
      } as const,
    ];
  });
}

/** What a merge of rules comes to. */
export interface MergedRules {
  readonly rules: readonly SecurityRule[];
  /** The Services whose rules are changed by it. */
  readonly changed: ReadonlySet<ServiceMark>;
}

/**
 * The rules of a group after those of the Services in `wanted` are as wanted; those of all others stay as they are, unless
 * they are for an address that such a Service has now: its own rules alone say who comes to it. A rule that stays keeps
 * its priority. Throws a terminal error when no priority is left.
 */
export function mergeSecurityRules(
  site: AzureSite,
  current: readonly SecurityRule[],
  wanted: ReadonlyMap<ServiceMark, readonly WantedRule[]>,
): MergedRules {
  const missing = new Map([...wanted.values()].flat().map((rule) => [rule.name.toLowerCase(), rule]));
  const heirs = new Map(
    [...wanted].flatMap(([mark, rules]) => rules.map((rule) => [destinationOf(rule), mark] as const)),
  );
  const changed = new Set<ServiceMark>();
  const kept: SecurityRule[] = [];
  const toPlace: WantedRule[] = [];
  for (const rule of current) {
    const owner = serviceOfName(site, rule.name);
    if (owner === undefined || !wanted.has(owner)) {
      const heir = owner === undefined ? undefined : heirs.get(destinationOf(rule));
      if (heir === undefined) kept.push(rule);
      else changed.add(heir);
      continue;
    }
    const target = missing.get(rule.name.toLowerCase());
    missing.delete(rule.name.toLowerCase());
    if (target !== undefined && isInRange(rule, target) && matches(rule, target)) {
      kept.push(rule);
      continue;
    }
    changed.add(owner);
    if (target === undefined) continue;
    if (isInRange(rule, target)) kept.push(withPriority(target, rule.properties.priority));
    else toPlace.push(target);
  }
  const placed = placeRules([...toPlace, ...missing.values()], kept);
  if (placed.length > 0 && kept.length + placed.length > MOST_RULES) throw tooManyRules();
  const sources = sourcesIn([...kept, ...placed]);
  if (sources > MOST_SOURCES && sources > sourcesIn(current)) throw tooManySources();
  for (const rule of placed) {
    const owner = serviceOfName(site, rule.name);
    if (owner !== undefined) changed.add(owner);
  }
  return { rules: [...kept, ...placed], changed };
}

function destinationOf({ properties }: WantedRule): string | undefined {
  const { destinationAddressPrefix: text } = properties;
  return parseIpAddress(text ?? '')?.address ?? text;
}

function tooManyRules(): FairleadError {
  return new FairleadError(
    `the security group would have more than the ${MOST_RULES} rules that Azure takes: remove rules that are not needed`,
    { verdict: 'terminal', code: 'security-group-full' },
  );
}

/** One that lists none, or of which Azure says so, is for one range or for any source. */
function sourcesIn(rules: readonly SecurityRule[]): number {
  return rules.reduce((sum, { properties }) => sum + Math.max(1, properties.sourceAddressPrefixes?.length ?? 0), 0);
}

function tooManySources(): FairleadError {
  return new FairleadError(
    `the security group would have more than the ${MOST_SOURCES} source ranges that Azure takes: remove some that are not needed`,
    { verdict: 'terminal', code: 'security-group-full' },
  );
}

function placeRules(rules: readonly WantedRule[], others: readonly SecurityRule[]): readonly SecurityRule[] {
  const taken = new Set(
    others.filter(({ properties }) => isInbound(properties.direction)).map(({ properties }) => properties.priority),
  );
  return rules.map((rule) => {
    const priority = freePriority(rule, taken);
    taken.add(priority);
    return withPriority(rule, priority);
  });
}

/** Azure does not always spell its words as they were written. */
function isInbound(direction: string): boolean {
  return direction.toLowerCase() === 'inbound';
}

function freePriority({ name, properties }: WantedRule, taken: ReadonlySet<number>): number {
  const { from, to } = PRIORITIES[properties.access];
  const step = Math.sign(to - from);
  for (let priority = from; priority !== to + step; priority += step) if (!taken.has(priority)) return priority;
  throw new FairleadError(
    `the security group has no free priority from ${from} to ${to} for ${name}: remove rules that are not needed`,
    { verdict: 'terminal', code: 'security-group-full' },
  );
}

function isInRange({ properties: { priority } }: SecurityRule, { properties: { access } }: WantedRule): boolean {
  const { from, to } = PRIORITIES[access];
  return priority >= Math.min(from, to) && priority <= Math.max(from, to);
}

function withPriority({ name, properties }: WantedRule, priority: number): SecurityRule {
  return { name, properties: { ...properties, priority } };
}
