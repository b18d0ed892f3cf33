import { ownMark } from '../../arm/index.ts';
import { AzureIndex, type ObservedAzure } from '../load-balancers/observed.ts';
import type { AzureWrite } from '../load-balancers/plan.ts';
import { securityRulesFor } from '../load-balancers/request-bodies/security-rules.ts';
import type { PresentTarget, Target } from '../load-balancers/target.ts';
import { serviceMark } from '../names.ts';
import { serviceOfName } from '../site.ts';
import { site } from './wanted.ts';

/** Services that clients could reach by the write before the security group keeps others out. */
export function letInUnguarded(
  targets: readonly Target[],
  observed: ObservedAzure,
  write: AzureWrite,
): readonly string[] {
  if (write.kind !== 'put-load-balancer') return [];
  const index = new AzureIndex(site, observed, targets);
  const { loadBalancingRules: after = [] } = write.body.properties;
  return targets.flatMap((target) => {
    if (target.kind !== 'present' || isOpen(target)) return [];
    const { loadBalancingRules: before = [] } = observed.loadBalancers.get(target.loadBalancer)?.properties ?? {};
    const known = new Set(before.map(({ name }) => name));
    const isNew = after.some(({ name }) => serviceOfName(site, name) === target.mark && !known.has(name));
    const isSafe =
      index.knowsAllAddressesOf(target) &&
      index.hasSecurityRules(securityRulesFor(site, target.wanted, index.addressesOf(target)));
    return isNew && !isSafe ? [target.subject] : [];
  });
}

function isOpen({ wanted }: PresentTarget): boolean {
  return wanted.scope === 'internal' && wanted.sourceRanges.kind === 'any';
}

/** Public addresses that two frontends hold. */
export function addressesHeldTwice({ loadBalancers }: ObservedAzure): readonly string[] {
  const held = [...loadBalancers.values()].flatMap(({ properties }) =>
    (properties.frontendIPConfigurations ?? []).flatMap((frontend) => frontend.properties.publicIPAddress?.id ?? []),
  );
  return held.filter((id, position) => held.indexOf(id) !== position);
}

/** What is not as it should be, in sentences. */
export function differences(targets: readonly Target[], observed: ObservedAzure): readonly string[] {
  const rules = observed.securityGroup?.properties.securityRules ?? [];
  const priorities = rules.map(({ properties }) => properties.priority);
  const clashes = new Set(priorities).size < priorities.length ? ['two security rules have the same priority'] : [];
  return [...clashes, ...targets.flatMap((target) => differencesOf(target, targets, observed))];
}

function differencesOf(target: Target, targets: readonly Target[], observed: ObservedAzure): readonly string[] {
  const index = new AzureIndex(site, observed, targets);
  const isOwn = ({ name }: { readonly name: string }) => serviceOfName(site, name) === target.mark;
  const publicIps = [...observed.publicIps.values()].filter(({ tags }) => {
    const uid = ownMark(site, tags)?.service;
    return uid !== undefined && serviceMark(uid) === target.mark;
  }).length;
  const securityRules = (observed.securityGroup?.properties.securityRules ?? []).filter(isOwn).length;
  const found = {
    publicIps,
    securityRules,
    isElsewhere: index.isAnywhere(target.mark, loadBalancerOf(target)),
    rules: 0,
  };
  if (target.kind !== 'present')
    return unequal(target, found, { publicIps: 0, securityRules: 0, isElsewhere: false, rules: 0 });
  const { wanted } = target;
  const { loadBalancingRules = [] } = observed.loadBalancers.get(target.loadBalancer)?.properties ?? {};
  const guards = securityRulesFor(site, wanted, index.addressesOf(target));
  const expected = {
    publicIps: wanted.scope === 'public' ? wanted.families.length : 0,
    securityRules: guards.length,
    isElsewhere: false,
    rules: wanted.families.length * wanted.ports.length,
  };
  return [
    ...unequal(target, { ...found, rules: loadBalancingRules.filter(isOwn).length }, expected),
    ...(index.knowsAllAddressesOf(target) ? [] : [`${target.subject} has not all its addresses`]),
    ...(index.hasSecurityRules(guards) ? [] : [`${target.subject} is not guarded as it should be`]),
  ];
}

function loadBalancerOf(target: Target): string {
  return target.kind === 'present' ? target.loadBalancer : '';
}

function unequal(target: Target, found: object, expected: object): readonly string[] {
  const [left, right] = [JSON.stringify(found), JSON.stringify(expected)];
  return left === right ? [] : [`${target.subject} has ${left} instead of ${right}`];
}
