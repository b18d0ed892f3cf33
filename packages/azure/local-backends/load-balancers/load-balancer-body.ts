import { type IpAddress, parseIpAddress } from '@fairlead/control';
import { type ArmDraft, clusterTags, holds, type LoadBalancer, ownMark } from '../../arm/index.ts';
import { mergeEntries } from '../backend-pools/pool-entries.ts';
import type { ServiceMark } from '../names.ts';
import { type AzureSite, serviceOfName } from '../site.ts';
import { PART_LISTS, type PartList, type PoolPart, type ServiceParts } from './child-resources.ts';

/** What a change of a load balancer comes to. */
export interface MergedLoadBalancer {
  readonly draft: ArmDraft<LoadBalancer>;
  /** The Services whose parts are changed by it; none: nothing is to be written. */
  readonly changed: ReadonlySet<ServiceMark>;
}

/** Whose a part is: by the mark in its name, or because the pool was taken over. */
export type PartOwner = (list: PartList, name: string) => ServiceMark | undefined;

/** `adopted` maps names of pools in lower case to the Services that took them over. */
export function partOwner(site: AzureSite, adopted: ReadonlyMap<string, ServiceMark>): PartOwner {
  return (list, name) => {
    const taken = list === 'backendAddressPools' ? adopted.get(name.toLowerCase()) : undefined;
    return taken ?? serviceOfName(site, name);
  };
}

export interface MergeOptions {
  readonly site: AzureSite;
  /** What each Service in question is to have here; all others keep what they have. */
  readonly wanted: ReadonlyMap<ServiceMark, ServiceParts>;
  readonly ownerOf: PartOwner;
  readonly isNode: (address: IpAddress) => boolean;
}

/**
 * The load balancer after the Services in question have exactly the parts they should have. What a pool holds that is
 * there already counts as no difference, as the updater sees to that; but when the load balancer is written anyway, it
 * goes along.
 */
export function mergeLoadBalancer(current: LoadBalancer | undefined, options: MergeOptions): MergedLoadBalancer {
  const { wanted, isNode } = options;
  const body = current === undefined ? emptyLoadBalancer(options.site) : withoutIdentity(current);
  const before = body.properties;
  const changed = new Set<ServiceMark>();
  const merge = <Part extends Named>(
    list: PartList,
    there: readonly Part[] | undefined,
    wantedOf: (parts: ServiceParts) => readonly Part[],
    ways: WaysWithParts<Part> = asAWhole(),
  ) => {
    const owner = ({ name }: Part) => {
      const mark = options.ownerOf(list, name);
      return mark !== undefined && wanted.has(mark) ? mark : undefined;
    };
    return mergeParts(there ?? [], targetsOf(wanted, wantedOf), owner, ways, changed);
  };
  const properties = {
    ...before,
    frontendIPConfigurations: merge(
      'frontendIPConfigurations',
      before.frontendIPConfigurations,
      (parts) => parts.frontendIPConfigurations,
    ),
    backendAddressPools: merge(
      'backendAddressPools',
      before.backendAddressPools,
      (parts) => parts.backendAddressPools,
      asPools(isNode),
    ),
    probes: merge('probes', before.probes, (parts) => parts.probes),
    loadBalancingRules: merge('loadBalancingRules', before.loadBalancingRules, (parts) => parts.loadBalancingRules),
  };
  return { draft: { ...body, properties }, changed };
}

/** The Services that have something in the load balancer. */
export function servicesIn({ properties }: LoadBalancer, ownerOf: PartOwner): ReadonlySet<ServiceMark> {
  return new Set(
    PART_LISTS.flatMap((list) => (properties[list] ?? []).flatMap(({ name }) => ownerOf(list, name) ?? [])),
  );
}

/** Made by us for this cluster, and with nothing at all in it any more, also of kinds we do not know. */
export function isAbandoned(site: AzureSite, { tags, properties }: LoadBalancer): boolean {
  const mark = ownMark(site, tags);
  if (mark === undefined || mark.service !== undefined) return false;
  return Object.values(properties).every((value) => !Array.isArray(value) || value.length === 0);
}

type Named = { readonly name: string };

/** By name in lower case. */
type Targets<Part> = ReadonlyMap<string, { readonly mark: ServiceMark; readonly part: Part }>;

/** How parts of a kind are dealt with that are there and are to stay. */
interface WaysWithParts<Part> {
  isAsWanted(part: Part, target: Part): boolean;
  /** What it becomes when the load balancer is written. */
  written(part: Part, target: Part): Part;
}

function asAWhole<Part>(): WaysWithParts<Part> {
  return { isAsWanted: holds, written: (part, target) => (holds(part, target) ? part : target) };
}

function asPools(isNode: (address: IpAddress) => boolean): WaysWithParts<PoolPart> {
  return {
    isAsWanted: (pool, target) => holds(pool.properties.virtualNetwork, target.properties.virtualNetwork),
    written: (pool, target) => {
      const entries = pool.properties.loadBalancerBackendAddresses ?? [];
      const addresses = (target.properties.loadBalancerBackendAddresses ?? []).flatMap(
        ({ properties }) => parseIpAddress(properties.ipAddress ?? '')?.address ?? [],
      );
      const merged = mergeEntries(entries, addresses, isNode) ?? entries;
      const { virtualNetwork } = target.properties;
      const changes = virtualNetwork === undefined ? {} : { virtualNetwork };
      return { ...pool, properties: { ...pool.properties, ...changes, loadBalancerBackendAddresses: merged } };
    },
  };
}

function targetsOf<Part extends Named>(
  wanted: ReadonlyMap<ServiceMark, ServiceParts>,
  wantedOf: (parts: ServiceParts) => readonly Part[],
): Targets<Part> {
  const found = [...wanted].flatMap(([mark, parts]) =>
    wantedOf(parts).map((part) => [part.name.toLowerCase(), { mark, part }] as const),
  );
  return new Map(found);
}

/** `owner` knows the Services in question; the parts of all others stay. */
function mergeParts<Part extends Named>(
  there: readonly Part[],
  targets: Targets<Part>,
  owner: (part: Part) => ServiceMark | undefined,
  ways: WaysWithParts<Part>,
  changed: Set<ServiceMark>,
): readonly Part[] {
  const missing = new Map(targets);
  const kept = there.flatMap((part): readonly Part[] => {
    const mark = owner(part);
    if (mark === undefined) return [part];
    const target = missing.get(part.name.toLowerCase())?.part;
    missing.delete(part.name.toLowerCase());
    if (target === undefined || !ways.isAsWanted(part, target)) changed.add(mark);
    return target === undefined ? [] : [ways.written(part, target)];
  });
  const added = [...missing.values()];
  for (const { mark } of added) changed.add(mark);
  return [...kept, ...added.map(({ part }) => part)];
}

function emptyLoadBalancer(site: AzureSite): ArmDraft<LoadBalancer> {
  return { location: site.location, sku: { name: 'Standard' }, tags: clusterTags(site), properties: {} };
}

function withoutIdentity({ id: _id, name: _name, etag: _etag, ...body }: LoadBalancer): ArmDraft<LoadBalancer> {
  return body;
}
