import type { Service } from '@fairlead/kube';
import { objectKeyOf } from '@fairlead/service';
import { armIdKey, type LoadBalancer } from '../../arm/index.ts';
import { oldPoolName } from '../names.ts';
import { type AzureSite, poolId, serviceOfName } from '../site.ts';
import { nameFor } from './child-resources.ts';
import type { AdoptedPools, WantedService } from './desired.ts';

/** Names of pools as other controllers make them, in lower case -> how many Services and families they may stand for. */
export type OldPoolNames = ReadonlyMap<string, number>;

/** Of all load balancers in the cluster, whoever serves them: a name that two could mean belongs to neither. */
export function oldPoolNames(services: readonly Service[]): OldPoolNames {
  const counts = new Map<string, number>();
  for (const { metadata, spec } of services) {
    if (spec.type !== 'LoadBalancer') continue;
    for (const family of spec.ipFamilies ?? (['IPv4'] as const)) {
      const name = oldPoolName(metadata, family);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return counts;
}

/**
 * The pools of this load balancer that another controller made for the Service and that it can take over: under the old
 * name, which no other Service could mean, used by nobody's rules, and before it has one of its own.
 */
export function adoptablePools(
  site: AzureSite,
  wanted: WantedService,
  loadBalancer: LoadBalancer | undefined,
  names: () => OldPoolNames,
): AdoptedPools {
  if (loadBalancer === undefined) return wanted.adoptedPools;
  const pools = loadBalancer.properties.backendAddressPools ?? [];
  const has = (name: string) => pools.find((pool) => pool.name.toLowerCase() === name.toLowerCase());
  const found = wanted.families.flatMap((family) => {
    const recorded = wanted.adoptedPools[family];
    if (recorded !== undefined) return [[family, recorded] as const];
    const old = oldPoolName(objectKeyOf(wanted.key), family);
    const pool = has(old);
    if (pool === undefined || names().get(old) !== 1 || has(nameFor(site, wanted, family)) !== undefined) return [];
    return isUsedByOthers(site, loadBalancer, pool.name) ? [] : [[family, pool.name] as const];
  });
  return Object.fromEntries(found);
}

function isUsedByOthers(site: AzureSite, { name, properties }: LoadBalancer, pool: string): boolean {
  const id = armIdKey(poolId(site, name, pool));
  return (properties.loadBalancingRules ?? []).some((rule) => {
    const { backendAddressPool, backendAddressPools = [] } = rule.properties;
    const used = [backendAddressPool, ...backendAddressPools].flatMap((reference) => reference?.id ?? []);
    return serviceOfName(site, rule.name) === undefined && used.some((candidate) => armIdKey(candidate) === id);
  });
}
