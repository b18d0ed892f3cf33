import { parseIpAddress } from '@fairlead/control';
import {
  type ArmRequestBody,
  armIdKey,
  clusterTags,
  type Frontend,
  type LoadBalancer,
  matches,
  ownMark,
} from '../../../arm/index.ts';
import type { BackendTracker } from '../../backend-pools/backend-tracker.ts';
import { mergeEntries } from '../../backend-pools/pool-entries.ts';
import type { ServiceMark } from '../../names.ts';
import { type AzureSite, poolId, serviceOfName } from '../../site.ts';
import { CHILD_LISTS, type ChildList, type ChildResources, type PoolChild } from './child-resources.ts';

/** What a change of a load balancer comes to. */
export interface MergedLoadBalancer {
  readonly body: ArmRequestBody<LoadBalancer>;
  /** The Services whose child resources are changed by it; none: nothing is to be written. */
  readonly changed: ReadonlySet<ServiceMark>;
}

/** Whose a child resource is: by the mark in its name, or because the pool was taken over. */
export type ChildOwner = (list: ChildList, name: string) => ServiceMark | undefined;

/** `adopted` maps names of pools in lower case to the Services that took them over. */
export function childOwner(site: AzureSite, adopted: ReadonlyMap<string, ServiceMark>): ChildOwner {
  return (list, name) => {
    const marked = serviceOfName(site, name);
    // A pool that was taken over carries no mark: what does is never another Service's, whatever that records.
    return marked ?? (list === 'backendAddressPools' ? adopted.get(name.toLowerCase()) : undefined);
  };
}

/** Whether a rule of the Service leads to the pool: what its owner records is no proof that it took the pool over. */
export function usesPool(
  site: AzureSite,
  { name, properties }: LoadBalancer,
  pool: string,
  mark: ServiceMark,
): boolean {
  const id = armIdKey(poolId(site, name, pool));
  return (properties.loadBalancingRules ?? []).some((rule) => {
    const { backendAddressPool, backendAddressPools = [] } = rule.properties;
    const used = [backendAddressPool, ...backendAddressPools].flatMap((reference) => reference?.id ?? []);
    return serviceOfName(site, rule.name) === mark && used.some((candidate) => armIdKey(candidate) === id);
  });
}

export interface MergeOptions {
  readonly site: AzureSite;
  /** What each Service in question is to have here; all others keep what they have. */
  readonly wanted: ReadonlyMap<ServiceMark, ChildResources>;
  readonly ownerOf: ChildOwner;
  readonly backends: Pick<BackendTracker, 'isNode'>;
}

/**
 * The load balancer after the Services in question have exactly the child resources they should have. What a pool holds
 * that is there already counts as no difference, as the updater sees to that; but when the load balancer is written
 * anyway, it goes along.
 */
export function mergeLoadBalancer(current: LoadBalancer | undefined, options: MergeOptions): MergedLoadBalancer {
  const { site, wanted, ownerOf, backends } = options;
  const start = current === undefined ? emptyLoadBalancer(site) : withoutIdentity(current);
  const before = start.properties;
  const changed = new Set<ServiceMark>();
  const merge = <Child extends { readonly name: string }>(
    list: ChildList,
    there: readonly Child[] = [],
    wantedOf: (children: ChildResources) => readonly Child[],
    policy: MergePolicy<Child> = asAWhole(),
  ) => {
    const targets = [...wanted].flatMap(([mark, children]) =>
      wantedOf(children).map((child) => [child.name.toLowerCase(), { mark, child }] as const),
    );
    const missing = new Map(targets);
    const kept = there.flatMap((child): readonly Child[] => {
      const mark = ownerOf(list, child.name);
      if (mark === undefined || !wanted.has(mark)) return [child];
      const target = missing.get(child.name.toLowerCase())?.child;
      missing.delete(child.name.toLowerCase());
      if (target === undefined || !policy.isAsWanted(child, target)) changed.add(mark);
      return target === undefined ? [] : [policy.written(child, target)];
    });
    for (const { mark } of missing.values()) changed.add(mark);
    return [...kept, ...[...missing.values()].map(({ child }) => child)];
  };
  const frontends = merge(
    'frontendIPConfigurations',
    before.frontendIPConfigurations,
    (children) => children.frontendIPConfigurations,
    asFrontends,
  );
  const pools = merge(
    'backendAddressPools',
    before.backendAddressPools,
    (children) => children.backendAddressPools,
    asPools(backends),
  );
  const probes = merge('probes', before.probes, (children) => children.probes);
  const rules = merge('loadBalancingRules', before.loadBalancingRules, (children) => children.loadBalancingRules);
  const merged = { frontendIPConfigurations: frontends, backendAddressPools: pools, probes, loadBalancingRules: rules };
  return { body: { ...start, properties: { ...before, ...merged } }, changed };
}

/** The Services that have something in the load balancer. */
export function servicesIn({ properties }: LoadBalancer, ownerOf: ChildOwner): ReadonlySet<ServiceMark> {
  return new Set(
    CHILD_LISTS.flatMap((list) => (properties[list] ?? []).flatMap(({ name }) => ownerOf(list, name) ?? [])),
  );
}

/** What a Service has in the load balancer. */
export function childrenIn({ properties }: LoadBalancer, mark: ServiceMark, ownerOf: ChildOwner): ChildResources {
  const owned = <Child extends { readonly name: string }>(list: ChildList, children: readonly Child[] = []) =>
    children.filter(({ name }) => ownerOf(list, name) === mark);
  const { frontendIPConfigurations, backendAddressPools, probes, loadBalancingRules } = properties;
  return {
    frontendIPConfigurations: owned('frontendIPConfigurations', frontendIPConfigurations),
    backendAddressPools: owned('backendAddressPools', backendAddressPools),
    probes: owned('probes', probes),
    loadBalancingRules: owned('loadBalancingRules', loadBalancingRules),
  };
}

/** Made by us for this cluster, and with nothing at all in it any more, also of kinds we do not know. */
export function isAbandoned(site: AzureSite, { tags, properties }: LoadBalancer): boolean {
  const mark = ownMark(site, tags);
  if (mark === undefined || mark.service !== undefined) return false;
  return Object.values(properties).every((value) => !Array.isArray(value) || value.length === 0);
}

/** How child resources of a kind are merged that are there and are to stay. */
interface MergePolicy<Child> {
  isAsWanted(child: Child, target: Child): boolean;
  /** What it becomes when the load balancer is written. */
  written(child: Child, target: Child): Child;
}

function asAWhole<Child>(): MergePolicy<Child> {
  return { isAsWanted: matches, written: (child, target) => (matches(child, target) ? child : target) };
}

/** In which zones a frontend is was decided when it was made. */
const asFrontends: MergePolicy<Frontend> = {
  isAsWanted: (frontend, { zones: _zones, ...target }) => matches(frontend, target),
  written: (frontend, { zones: _zones, ...target }) => {
    if (matches(frontend, target)) return frontend;
    return frontend.zones === undefined ? target : { ...target, zones: frontend.zones };
  },
};

function asPools(backends: MergeOptions['backends']): MergePolicy<PoolChild> {
  return {
    isAsWanted: (pool, target) => matches(pool.properties.virtualNetwork, target.properties.virtualNetwork),
    written: (pool, target) => {
      const entries = pool.properties.loadBalancerBackendAddresses ?? [];
      const addresses = (target.properties.loadBalancerBackendAddresses ?? []).flatMap(
        ({ properties }) => parseIpAddress(properties.ipAddress ?? '')?.address ?? [],
      );
      const merged = mergeEntries(entries, addresses, backends) ?? entries;
      const { virtualNetwork } = target.properties;
      const changes = virtualNetwork === undefined ? {} : { virtualNetwork };
      return { ...pool, properties: { ...pool.properties, ...changes, loadBalancerBackendAddresses: merged } };
    },
  };
}

function emptyLoadBalancer(site: AzureSite): ArmRequestBody<LoadBalancer> {
  return { location: site.location, sku: { name: 'Standard' }, tags: clusterTags(site), properties: {} };
}

function withoutIdentity({ id: _id, name: _name, etag: _etag, ...body }: LoadBalancer): ArmRequestBody<LoadBalancer> {
  return body;
}
