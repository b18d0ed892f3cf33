import {
  type ArmId,
  type ArmKind,
  type ArmRequestBody,
  type ArmResource,
  armName,
  hasFailed,
  type LoadBalancer,
  type NetworkSecurityGroup,
  type PublicIpAddress,
} from '../../arm/index.ts';
import type { BackendTracker } from '../backend-pools/backend-tracker.ts';
import type { ServiceMark } from '../names.ts';
import { type AzureSite, loadBalancerId, serviceOfTags } from '../site.ts';
import {
  type ChildResources,
  childResourcesFor,
  NO_CHILDREN,
  nameFor,
  withoutRules,
} from './request-bodies/child-resources.ts';
import type { WantedService } from './desired.ts';
import type { FailedWrites, SharedId } from './failed-writes.ts';
import { childrenIn, isAbandoned, mergeLoadBalancer, servicesIn } from './request-bodies/load-balancer-body.ts';
import { AzureIndex, type ObservedAzure } from './observed.ts';
import { publicAddressOf, publicIpChange } from './request-bodies/public-addresses.ts';
import { mergeSecurityRules, securityRulesFor, type WantedRule } from './request-bodies/security-rules.ts';
import type { Target } from './target.ts';

interface Put<Kind extends string, Resource extends ArmResource<ArmKind, unknown>> {
  readonly kind: Kind;
  readonly id: Resource['id'];
  readonly body: ArmRequestBody<Resource>;
}

/** Holds only for what was read; undefined: there was nothing. */
export interface Conditional {
  readonly etag: string | undefined;
}

/** One write to Azure, and the Services that it is for. */
export type AzureWrite = { readonly subjects: readonly Target['subject'][] } & (
  | (Put<'put-public-ip', PublicIpAddress> & Conditional)
  | (Put<'put-security-group', NetworkSecurityGroup> & Conditional)
  | (Put<'put-load-balancer', LoadBalancer> & Conditional)
  | { readonly kind: 'delete-public-ip'; readonly id: ArmId<'publicIPAddresses'> }
  | ({ readonly kind: 'delete-load-balancer'; readonly id: ArmId<'loadBalancers'> } & Conditional)
);

/** The call a write makes, as the journal and crash tests name it. */
export function callOf({ kind, id }: AzureWrite): string {
  const verb = kind.startsWith('put') ? 'PUT' : 'DELETE';
  const resource = id.split('/').at(-2) ?? '';
  return `${verb} ${resource}/${armName(id)}`;
}

/** What a plan is made from. */
export interface PlanInput {
  readonly site: AzureSite;
  readonly targets: readonly Target[];
  readonly observed: ObservedAzure;
  readonly backends: Pick<BackendTracker, 'addresses' | 'isNode'>;
  /** Nothing is known of them before the first write. */
  readonly failedWrites?: Pick<FailedWrites, 'isFor' | 'inOrder'>;
  /**
   * Services that nobody can reach yet. What Azure failed at in a load balancer may be theirs, and it shows that as if it
   * were there: written again with each change of another Service, it would fail that, too. So others leave it out.
   */
  readonly unserved?: ReadonlySet<ServiceMark>;
}

type Indexed = PlanInput & { readonly index: AzureIndex };

/**
 * The writes to make next; none when everything is as wanted, as far as it can be. They come in an order in which no
 * client ever reaches a Service that should not: its address, who may reach it, and only then the rules that let
 * traffic in; and the other way round when it goes. Ask again with what Azure answered, until there are none.
 */
export function nextWrites(input: PlanInput): readonly AzureWrite[] {
  const indexed = { ...input, index: new AzureIndex(input.site, input.observed, input.targets) };
  for (const phase of [publicIpWrites, securityGroupWrites, loadBalancerWrites, removals]) {
    const writes = phase(indexed);
    if (writes.length > 0) return writes;
  }
  return [];
}

/** Why nothing can be done for a Service, whatever becomes of the others: it cannot have its public address. */
export function obstacleTo(site: AzureSite, observed: ObservedAzure, target: Target): unknown {
  if (target.kind !== 'present' || target.wanted.scope !== 'public') return undefined;
  const { wanted } = target;
  try {
    for (const family of wanted.families) {
      publicIpChange(site, wanted, family, publicAddressOf(site, observed, wanted, family));
    }
    return undefined;
  } catch (error) {
    return error;
  }
}

function publicIpWrites({ site, targets, index }: Indexed): readonly AzureWrite[] {
  return targets.flatMap((target) => {
    if (target.kind !== 'present' || target.wanted.scope !== 'public') return [];
    const { wanted, subject } = target;
    return wanted.families.flatMap((family): readonly AzureWrite[] => {
      const address = index.publicAddressOf(wanted, family);
      const body = publicIpChange(site, wanted, family, address);
      if (body === undefined || address.kind !== 'made') return [];
      return [{ kind: 'put-public-ip', id: address.id, body, etag: address.there?.etag, subjects: [subject] }];
    });
  });
}

function securityGroupWrites(input: Indexed): readonly AzureWrite[] {
  const { site, targets, observed } = input;
  if (observed.securityGroup === undefined) return [];
  const wanted = new Map<ServiceMark, readonly WantedRule[]>();
  for (const target of targets) {
    const rules = securityRulesOf(input, target);
    if (rules !== undefined) wanted.set(target.mark, rules);
  }
  const { id, name: _name, etag, ...group } = observed.securityGroup;
  const { rules, changed } = mergeSecurityRules(site, group.properties.securityRules ?? [], wanted);
  // Azure shows what was written also where it failed at it.
  const isRepeated = changed.size === 0 && hasFailed(group);
  const marks = isRepeated ? concerned(input, id, wanted, (list) => list.length > 0) : changed;
  if (marks.size === 0) return [];
  const body = { ...group, properties: { ...group.properties, securityRules: rules } };
  return [{ kind: 'put-security-group', id, body, etag, subjects: subjectsOf(targets, marks) }];
}

/** Undefined while they are to stay as they are: rules go only when no load balancer has anything of the Service. */
function securityRulesOf({ site, index }: Indexed, target: Target): readonly WantedRule[] | undefined {
  if (target.kind === 'detached') return undefined;
  if (target.kind === 'absent') return index.isAnywhere(target.mark) ? undefined : [];
  if (!index.knowsAllAddressesOf(target)) return undefined;
  return securityRulesFor(site, target.wanted, index.addressesOf(target));
}

function loadBalancerWrites(input: Indexed): readonly AzureWrite[] {
  const { site, targets, observed, backends, index } = input;
  const there = [...observed.loadBalancers.values()].map(({ name }) => name);
  const names = new Map([...there, ...neededLoadBalancers(targets)].map((name) => [name.toLowerCase(), name]));
  return [...names].flatMap(([key, name]) => {
    const current = observed.loadBalancers.get(key);
    const wanted = new Map<ServiceMark, ChildResources>();
    for (const target of targets) {
      const children = childResourcesAt(input, target, name);
      if (children !== undefined) wanted.set(target.mark, children);
    }
    const merge = { site, wanted, ownerOf: index.ownerOf, backends };
    const { body, changed } = mergeLoadBalancer(current, merge);
    const isRepeated = changed.size === 0 && current !== undefined && hasFailed(current);
    const marks = isRepeated ? concerned(input, current.id, wanted, (children) => children !== NO_CHILDREN) : changed;
    if (marks.size === 0) return [];
    const put = { kind: 'put-load-balancer', subjects: subjectsOf(targets, marks) } as const;
    if (current === undefined) return [{ ...put, id: loadBalancerId(site, name), body, etag: undefined }];
    const { id, etag } = current;
    if (!hasFailed(current)) return [{ ...put, id, body, etag }];
    const rest = mergeLoadBalancer(current, { ...merge, wanted: withoutOthers(input, current, wanted) });
    return [{ ...put, id, body: rest.body, etag }];
  });
}

/** What the Service is to have in this load balancer now; undefined: what it has. */
function childResourcesAt(input: Indexed, target: Target, loadBalancer: string): ChildResources | undefined {
  const { site, observed, backends, index } = input;
  if (target.kind !== 'present') return NO_CHILDREN;
  if (target.loadBalancer.toLowerCase() !== loadBalancer.toLowerCase()) return NO_CHILDREN;
  // A public address serves one frontend at a time: it has to leave the other first.
  if (index.isAnywhere(target.mark, loadBalancer)) return undefined;
  const { wanted } = target;
  const isKnown = index.knowsAllAddressesOf(target);
  if (wanted.scope === 'public' && !isKnown) return undefined;
  const publicIps = wanted.families.map((family) => index.publicAddressOf(wanted, family));
  const children = childResourcesFor(site, wanted, loadBalancer, backends, publicIps);
  if (observed.securityGroup === undefined || !isGuarded(wanted)) return children;
  if (!isKnown) return withoutRules(children);
  const rules = securityRulesFor(site, wanted, index.addressesOf(target));
  return index.hasSecurityRules(rules) ? children : undefined;
}

/** Whether it takes rules of a security group to let the right clients in, and no others. */
function isGuarded({ scope, sourceRanges }: WantedService): boolean {
  return scope === 'public' || sourceRanges.kind === 'only';
}

function removals(input: Indexed): readonly AzureWrite[] {
  return [...publicIpRemovals(input), ...loadBalancerRemovals(input)];
}

/** Public addresses of the Service that it is not to have, and that no frontend holds any more. */
function publicIpRemovals({ site, targets, observed, index }: Indexed): readonly AzureWrite[] {
  const byMark = new Map(targets.map((target) => [target.mark, target]));
  return [...observed.publicIps.values()].flatMap(({ id, name, tags }) => {
    const mark = serviceOfTags(site, tags);
    const target = mark === undefined ? undefined : byMark.get(mark);
    if (target === undefined || target.kind === 'detached' || index.isHeld(id)) return [];
    if (target.kind === 'present' && isWantedAddress(site, target.wanted, name)) return [];
    return [{ kind: 'delete-public-ip', id, subjects: [target.subject] } as const];
  });
}

function isWantedAddress(
  site: AzureSite,
  { scope, families, ownAddresses, ...wanted }: WantedService,
  name: string,
): boolean {
  if (scope !== 'public') return false;
  const made = families.filter((family) => ownAddresses[family] === undefined);
  return made.some((family) => nameFor(site, wanted, family).toLowerCase() === name.toLowerCase());
}

/** Load balancers that were made for this cluster and that no Service needs. */
function loadBalancerRemovals({ site, targets, observed }: Indexed): readonly AzureWrite[] {
  const needed = new Set(neededLoadBalancers(targets).map((name) => name.toLowerCase()));
  return [...observed.loadBalancers].flatMap(([name, loadBalancer]) => {
    if (needed.has(name) || !isAbandoned(site, loadBalancer)) return [];
    const { id, etag } = loadBalancer;
    return [{ kind: 'delete-load-balancer', id, etag, subjects: [] } as const];
  });
}

function neededLoadBalancers(targets: readonly Target[]): readonly string[] {
  return targets.flatMap((target) => (target.kind === 'present' ? [target.loadBalancer] : []));
}

/** The Services that a write is for at which Azure failed: who has something there, and who was to leave it so. */
function concerned<Things>(
  { targets, failedWrites }: PlanInput,
  id: SharedId,
  wanted: ReadonlyMap<ServiceMark, Things>,
  isAny: (things: Things) => boolean,
): ReadonlySet<ServiceMark> {
  const isConcerned = ({ kind, mark }: Target) => {
    const things = wanted.get(mark);
    return things !== undefined && (kind === 'absent' || isAny(things) || failedWrites?.isFor(id, mark) === true);
  };
  return new Set(targets.filter(isConcerned).map(({ mark }) => mark));
}

/**
 * What is wanted; and of those that this is not about, nothing for who cannot be reached yet, and for all others that the
 * failed writes were for what they had before: they are told of the failure, and try again themselves.
 */
function withoutOthers(
  input: Indexed,
  current: LoadBalancer,
  wanted: ReadonlyMap<ServiceMark, ChildResources>,
): ReadonlyMap<ServiceMark, ChildResources> {
  const { targets, unserved = new Set() } = input;
  const asked = new Set(targets.map(({ mark }) => mark));
  const nothing = [...unserved].map((mark) => [mark, NO_CHILDREN] as const);
  const others = [...childrenBefore(input, current), ...nothing].filter(([mark]) => !asked.has(mark));
  return new Map([...wanted, ...others]);
}

/** What those have been changed from who are still there. The nodes in their pools go on following their pods. */
function childrenBefore(
  { failedWrites, index: { ownerOf } }: Indexed,
  current: LoadBalancer,
): readonly (readonly [ServiceMark, ChildResources])[] {
  const before = failedWrites?.inOrder(current.id);
  if (before === undefined) return [];
  const marks = [...servicesIn(current, ownerOf)].filter((mark) => failedWrites?.isFor(current.id, mark));
  return marks.map((mark) => {
    const { backendAddressPools } = childrenIn(current, mark, ownerOf);
    const there = new Map(backendAddressPools.map((pool) => [pool.name.toLowerCase(), pool]));
    const children = childrenIn(before, mark, ownerOf);
    const pools = children.backendAddressPools.map((pool) => there.get(pool.name.toLowerCase()) ?? pool);
    return [mark, { ...children, backendAddressPools: pools }];
  });
}

function subjectsOf(targets: readonly Target[], marks: ReadonlySet<ServiceMark>): readonly Target['subject'][] {
  return targets.filter(({ mark }) => marks.has(mark)).map(({ subject }) => subject);
}
