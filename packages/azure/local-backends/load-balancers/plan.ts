import { FairleadError, type IpAddress, type IpFamily } from '@fairlead/control';
import { type ArmDraft, holds, type PublicIpAddress, serviceTags } from '../../arm/index.ts';
import type { ServiceMark } from '../names.ts';
import { type AzureSite, loadBalancerId, publicIpId, serviceOfTags } from '../site.ts';
import { AzureIndex } from './azure-index.ts';
import { NO_PARTS, nameFor, partsFor, type ServiceParts, withoutRules } from './child-resources.ts';
import type { WantedService } from './desired.ts';
import { isAbandoned, mergeLoadBalancer } from './load-balancer-body.ts';
import type { ObservedAzure } from './observed.ts';
import { mergeSecurityRules, securityRulesFor, type WantedRule } from './security-rules.ts';
import type { AzureWrite, Intention } from './target.ts';

/** What a plan is made from. */
export interface PlanningTable {
  readonly site: AzureSite;
  readonly intentions: readonly Intention[];
  readonly observed: ObservedAzure;
  readonly isNode: (address: IpAddress) => boolean;
}

type Indexed = PlanningTable & { readonly index: AzureIndex };

/**
 * The writes to make next; none when everything is as intended, as far as it can be. They come in an order in which
 * nobody ever reaches a Service who should not: its address, who may reach it, and only then the rules that let
 * traffic in; and the other way round when it goes. Ask again with what Azure answered, until there are none.
 */
export function nextWrites(table: PlanningTable): readonly AzureWrite[] {
  const indexed = { ...table, index: new AzureIndex(table.site, table.observed, table.intentions) };
  for (const phase of [publicIpWrites, securityGroupWrites, loadBalancerWrites, removals]) {
    const writes = phase(indexed);
    if (writes.length > 0) return writes;
  }
  return [];
}

function publicIpWrites({ site, intentions, observed }: Indexed): readonly AzureWrite[] {
  return intentions.flatMap((intention) => {
    if (intention.kind !== 'present' || intention.wanted.scope !== 'public') return [];
    const { wanted, subject } = intention;
    return wanted.families.flatMap((family) => {
      const name = nameFor(site, wanted, family);
      const there = observed.publicIps.get(name.toLowerCase());
      const draft = publicIpDraft(site, wanted, family, there);
      if (there !== undefined && holds(there, draft)) return [];
      return [{ kind: 'put-public-ip', id: publicIpId(site, name), draft, subjects: [subject] } as const];
    });
  });
}

function publicIpDraft(
  site: AzureSite,
  wanted: WantedService,
  family: IpFamily,
  there: PublicIpAddress | undefined,
): ArmDraft<PublicIpAddress> {
  if (there !== undefined && serviceOfTags(site, there.tags) === undefined) {
    throw new FairleadError(`the public IP address ${there.name} is there and is not ours: rename or remove it`, {
      verdict: 'terminal',
      code: 'address-not-ours',
    });
  }
  return {
    location: there?.location ?? site.location,
    sku: { name: 'Standard' },
    tags: { ...there?.tags, ...serviceTags(site, wanted.uid) },
    properties: { ...there?.properties, publicIPAllocationMethod: 'Static', publicIPAddressVersion: family },
  };
}

function securityGroupWrites(table: Indexed): readonly AzureWrite[] {
  const { site, intentions, observed } = table;
  if (observed.securityGroup === undefined) return [];
  const wanted = new Map<ServiceMark, readonly WantedRule[]>();
  for (const intention of intentions) {
    const rules = securityRulesOf(table, intention);
    if (rules !== undefined) wanted.set(intention.mark, rules);
  }
  const { id, name: _name, etag, ...body } = observed.securityGroup;
  const { rules, changed } = mergeSecurityRules(site, body.properties.securityRules ?? [], wanted);
  if (changed.size === 0) return [];
  const draft = { ...body, properties: { ...body.properties, securityRules: rules } };
  return [{ kind: 'put-security-group', id, draft, etag, subjects: subjectsOf(intentions, changed) }];
}

/** Undefined while they are to stay as they are: rules go only when no load balancer has anything of the Service. */
function securityRulesOf({ site, index }: Indexed, intention: Intention): readonly WantedRule[] | undefined {
  if (intention.kind === 'detached') return undefined;
  if (intention.kind === 'absent') return index.isAnywhere(intention.mark) ? undefined : [];
  if (!index.knowsAllAddressesOf(intention)) return undefined;
  return securityRulesFor(site, intention.wanted, index.addressesOf(intention));
}

function loadBalancerWrites(table: Indexed): readonly AzureWrite[] {
  const { site, intentions, observed, isNode, index } = table;
  const there = [...observed.loadBalancers.values()].map(({ name }) => name);
  const names = new Map([...there, ...neededLoadBalancers(intentions)].map((name) => [name.toLowerCase(), name]));
  return [...names].flatMap(([key, name]) => {
    const current = observed.loadBalancers.get(key);
    const wanted = new Map<ServiceMark, ServiceParts>();
    for (const intention of intentions) {
      const parts = partsAt(table, intention, name);
      if (parts !== undefined) wanted.set(intention.mark, parts);
    }
    const { draft, changed } = mergeLoadBalancer(current, { site, wanted, ownerOf: index.ownerOf, isNode });
    if (changed.size === 0) return [];
    const id = current?.id ?? loadBalancerId(site, name);
    const subjects = subjectsOf(intentions, changed);
    return [{ kind: 'put-load-balancer', id, draft, etag: current?.etag, subjects } as const];
  });
}

/** What the Service is to have in this load balancer now; undefined: what it has. */
function partsAt(table: Indexed, intention: Intention, loadBalancer: string): ServiceParts | undefined {
  const { site, observed, index } = table;
  if (intention.kind !== 'present') return NO_PARTS;
  if (intention.loadBalancer.toLowerCase() !== loadBalancer.toLowerCase()) return NO_PARTS;
  // A public address serves one frontend at a time: it has to leave the other first.
  if (index.isAnywhere(intention.mark, loadBalancer)) return undefined;
  const { wanted, contents } = intention;
  const parts = partsFor(site, wanted, loadBalancer, contents);
  const isKnown = index.knowsAllAddressesOf(intention);
  if (wanted.scope === 'public' && !isKnown) return undefined;
  if (observed.securityGroup === undefined || !isGuarded(wanted)) return parts;
  if (!isKnown) return withoutRules(parts);
  const rules = securityRulesFor(site, wanted, index.addressesOf(intention));
  return index.hasSecurityRules(rules) ? parts : undefined;
}

/** Whether it takes rules of a security group to let the right ones in, and nobody else. */
function isGuarded({ scope, sourceRanges }: WantedService): boolean {
  return scope === 'public' || sourceRanges.kind === 'only';
}

function removals(table: Indexed): readonly AzureWrite[] {
  return [...publicIpRemovals(table), ...loadBalancerRemovals(table)];
}

/** Public addresses of the Service that it is not to have, and that no frontend holds any more. */
function publicIpRemovals({ site, intentions, observed, index }: Indexed): readonly AzureWrite[] {
  const byMark = new Map(intentions.map((intention) => [intention.mark, intention]));
  return [...observed.publicIps.values()].flatMap(({ id, name, tags }) => {
    const mark = serviceOfTags(site, tags);
    const intention = mark === undefined ? undefined : byMark.get(mark);
    if (intention === undefined || intention.kind === 'detached' || index.isHeld(id)) return [];
    if (intention.kind === 'present' && isWantedAddress(site, intention.wanted, name)) return [];
    return [{ kind: 'delete-public-ip', id, subjects: [intention.subject] } as const];
  });
}

function isWantedAddress(site: AzureSite, wanted: WantedService, name: string): boolean {
  if (wanted.scope !== 'public') return false;
  return wanted.families.some((family) => nameFor(site, wanted, family).toLowerCase() === name.toLowerCase());
}

/** Load balancers that were made for this cluster and that nobody needs. */
function loadBalancerRemovals({ site, intentions, observed }: Indexed): readonly AzureWrite[] {
  const needed = new Set(neededLoadBalancers(intentions).map((name) => name.toLowerCase()));
  return [...observed.loadBalancers].flatMap(([name, loadBalancer]) => {
    if (needed.has(name) || !isAbandoned(site, loadBalancer)) return [];
    const { id, etag } = loadBalancer;
    return [{ kind: 'delete-load-balancer', id, etag, subjects: [] } as const];
  });
}

function neededLoadBalancers(intentions: readonly Intention[]): readonly string[] {
  return intentions.flatMap((intention) => (intention.kind === 'present' ? [intention.loadBalancer] : []));
}

function subjectsOf(
  intentions: readonly Intention[],
  marks: ReadonlySet<ServiceMark>,
): readonly Intention['subject'][] {
  return intentions.filter(({ mark }) => marks.has(mark)).map(({ subject }) => subject);
}
