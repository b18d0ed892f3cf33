import type { IpFamily } from '@fairlead/control';
import type { Service } from '@fairlead/kube';
import { objectKeyOf } from '@fairlead/service';
import { armIdKey, type LoadBalancer } from '../../arm/index.ts';
import { oldPoolName } from '../names.ts';
import { type AzureSite, poolId, serviceOfName } from '../site.ts';
import { nameFor } from './child-resources.ts';
import type { AdoptedPools, WantedService } from './desired.ts';

/** The pools that another controller made for Services, and that these can take over. */
export class AdoptablePools {
  readonly #site: AzureSite;
  readonly #cluster: readonly Service[];
  readonly #loadBalancers: ReadonlyMap<string, LoadBalancer>;
  #meanings: ReadonlyMap<string, number> | undefined;

  /** `cluster` has all Services; the load balancers are by name in lower case. */
  constructor(site: AzureSite, cluster: readonly Service[], loadBalancers: ReadonlyMap<string, LoadBalancer>) {
    this.#site = site;
    this.#cluster = cluster;
    this.#loadBalancers = loadBalancers;
  }

  /** The load balancer on which a pool waits for the Service. */
  whereFor(wanted: WantedService): string | undefined {
    const all = [...this.#loadBalancers.values()];
    return all.find(({ name }) => Object.keys(this.on(name, wanted)).length > 0)?.name;
  }

  /**
   * Those of the Service on this load balancer: under the old name, which no other Service could mean, used by no rule
   * of another owner, and before the Service has one of its own.
   */
  on(loadBalancerName: string, wanted: WantedService): AdoptedPools {
    const loadBalancer = this.#loadBalancers.get(loadBalancerName.toLowerCase());
    if (loadBalancer === undefined) return wanted.adoptedPools;
    const found = wanted.families.flatMap((family) => {
      const name = wanted.adoptedPools[family] ?? this.#adoptable(loadBalancer, wanted, family);
      return name === undefined ? [] : [[family, name] as const];
    });
    return Object.fromEntries(found);
  }

  #adoptable(loadBalancer: LoadBalancer, wanted: WantedService, family: IpFamily): string | undefined {
    const pools = loadBalancer.properties.backendAddressPools ?? [];
    const find = (name: string) => pools.find((pool) => pool.name.toLowerCase() === name.toLowerCase());
    const oldName = oldPoolName(objectKeyOf(wanted.key), family);
    const pool = find(oldName);
    if (pool === undefined || find(nameFor(this.#site, wanted, family)) !== undefined) return undefined;
    this.#meanings ??= oldPoolNames(this.#cluster);
    if (this.#meanings.get(oldName) !== 1) return undefined;
    return isUsedByOthers(this.#site, loadBalancer, pool.name) ? undefined : pool.name;
  }
}

/** Old names in lower case -> how many Services and families they may stand for: two share none. */
function oldPoolNames(services: readonly Service[]): ReadonlyMap<string, number> {
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

function isUsedByOthers(site: AzureSite, { name, properties }: LoadBalancer, pool: string): boolean {
  const id = armIdKey(poolId(site, name, pool));
  return (properties.loadBalancingRules ?? []).some((rule) => {
    const { backendAddressPool, backendAddressPools = [] } = rule.properties;
    const used = [backendAddressPool, ...backendAddressPools].flatMap((reference) => reference?.id ?? []);
    return serviceOfName(site, rule.name) === undefined && used.some((candidate) => armIdKey(candidate) === id);
  });
}
