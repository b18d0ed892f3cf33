import { ownMark } from '../../arm/index.ts';
import { AzureIndex } from '../load-balancers/azure-index.ts';
import type { ObservedAzure } from '../load-balancers/observed.ts';
import { securityRulesFor } from '../load-balancers/security-rules.ts';
import type { AzureWrite, Intention, Present } from '../load-balancers/target.ts';
import { serviceMark } from '../names.ts';
import { serviceOfName } from '../site.ts';
import { site } from './wanted.ts';

/** Services that the write would let somebody reach before the security group keeps the others out. */
export function letInUnguarded(
  wishes: readonly Intention[],
  observed: ObservedAzure,
  write: AzureWrite,
): readonly string[] {
  if (write.kind !== 'put-load-balancer') return [];
  const index = new AzureIndex(site, observed, wishes);
  const { loadBalancingRules: after = [] } = write.draft.properties;
  return wishes.flatMap((wish) => {
    if (wish.kind !== 'present' || isOpen(wish)) return [];
    const { loadBalancingRules: before = [] } = observed.loadBalancers.get(wish.loadBalancer)?.properties ?? {};
    const known = new Set(before.map(({ name }) => name));
    const isNew = after.some(({ name }) => serviceOfName(site, name) === wish.mark && !known.has(name));
    const isSafe =
      index.knowsAllAddressesOf(wish) &&
      index.hasSecurityRules(securityRulesFor(site, wish.wanted, index.addressesOf(wish)));
    return isNew && !isSafe ? [wish.subject] : [];
  });
}

function isOpen({ wanted }: Present): boolean {
  return wanted.scope === 'internal' && wanted.sourceRanges.kind === 'any';
}

/** Public addresses that two frontends hold. */
export function addressesHeldTwice({ loadBalancers }: ObservedAzure): readonly string[] {
  const held = [...loadBalancers.values()].flatMap(({ properties }) =>
    (properties.frontendIPConfigurations ?? []).flatMap((frontend) => frontend.properties.publicIPAddress?.id ?? []),
  );
  return held.filter((id, position) => held.indexOf(id) !== position);
}

/** What is not as intended, in sentences. */
export function differences(wishes: readonly Intention[], observed: ObservedAzure): readonly string[] {
  const rules = observed.securityGroup?.properties.securityRules ?? [];
  const priorities = rules.map(({ properties }) => properties.priority);
  const clashes = new Set(priorities).size < priorities.length ? ['two security rules have the same priority'] : [];
  return [...clashes, ...wishes.flatMap((wish) => differencesOf(wish, wishes, observed))];
}

function differencesOf(wish: Intention, wishes: readonly Intention[], observed: ObservedAzure): readonly string[] {
  const index = new AzureIndex(site, observed, wishes);
  const isOwn = ({ name }: { readonly name: string }) => serviceOfName(site, name) === wish.mark;
  const publicIps = [...observed.publicIps.values()].filter(({ tags }) => {
    const uid = ownMark(site, tags)?.service;
    return uid !== undefined && serviceMark(uid) === wish.mark;
  }).length;
  const securityRules = (observed.securityGroup?.properties.securityRules ?? []).filter(isOwn).length;
  const found = { publicIps, securityRules, isElsewhere: index.isAnywhere(wish.mark, loadBalancerOf(wish)), rules: 0 };
  if (wish.kind !== 'present')
    return unequal(wish, found, { publicIps: 0, securityRules: 0, isElsewhere: false, rules: 0 });
  const { wanted } = wish;
  const { loadBalancingRules = [] } = observed.loadBalancers.get(wish.loadBalancer)?.properties ?? {};
  const guards = securityRulesFor(site, wanted, index.addressesOf(wish));
  const expected = {
    publicIps: wanted.scope === 'public' ? wanted.families.length : 0,
    securityRules: guards.length,
    isElsewhere: false,
    rules: wanted.families.length * wanted.ports.length,
  };
  return [
    ...unequal(wish, { ...found, rules: loadBalancingRules.filter(isOwn).length }, expected),
    ...(index.knowsAllAddressesOf(wish) ? [] : [`${wish.subject} has not all its addresses`]),
    ...(index.hasSecurityRules(guards) ? [] : [`${wish.subject} is not guarded as it should be`]),
  ];
}

function loadBalancerOf(wish: Intention): string {
  return wish.kind === 'present' ? wish.loadBalancer : '';
}

function unequal(wish: Intention, found: object, expected: object): readonly string[] {
  const [left, right] = [JSON.stringify(found), JSON.stringify(expected)];
  return left === right ? [] : [`${wish.subject} has ${left} instead of ${right}`];
}
