import type { IpFamily } from '@fairlead/control';
import type { Service } from '@fairlead/kube';
import { objectKeyOf, type Refusal, type ServiceKey } from '@fairlead/service';
import { armIdKey, type LoadBalancer } from '../../arm/index.ts';
import type { ConfiguredLoadBalancer, FrontendScope } from '../configuration.ts';
import { oldPoolName, serviceMark } from '../names.ts';
import { type AzureSite, poolId } from '../site.ts';
import { nameFor } from './request-bodies/child-resources.ts';
import type { AdoptedPools, WantedService } from './desired.ts';
import { usesPool } from './request-bodies/load-balancer-body.ts';

/** On one load balancer: Azure allows each network interface so many, and every node is behind all of them. */
const MOST_RULES = 250;

/** A Service as far as its place matters. */
export interface PlacementRequest {
  readonly service: ServiceKey;
  readonly scope: FrontendScope;
  /** Load balancing rules it needs: ports times families. */
  readonly rules: number;
  /** The load balancers that the Service names, if it names any. */
  readonly allowed: readonly string[] | undefined;
  /** The load balancer it was placed on before. */
  readonly recorded: string | undefined;
  /** How many rules it has there. */
  readonly rulesThere: number;
}

/**
 * Where each Service goes: it stays where it was placed before, as long as it may be there; a new one goes to the load
 * balancer with the fewest rules that has room for its own, the first of the list on a tie. Owners can write into what is
 * recorded, and more ports into a Service: on a load balancer that is full, it holds for no more rules than are there.
 * `occupied` has the rules of the Services that are not asked about, and of others than us, by load balancer in lower
 * case. A Service for which there is no load balancer is not in the answer.
 */
export function placeServices(
  requests: readonly PlacementRequest[],
  loadBalancers: readonly ConfiguredLoadBalancer[],
  occupied: ReadonlyMap<string, number>,
): ReadonlyMap<ServiceKey, string> {
  const rules = new Map(occupied);
  const rulesOn = (name: string) => rules.get(name.toLowerCase()) ?? 0;
  const count = (name: string, more: number) => rules.set(name.toLowerCase(), rulesOn(name) + more);
  const hasRoom = (name: string, more: number) => rulesOn(name) + more <= MOST_RULES;
  const placements = new Map<ServiceKey, string>();
  const place = (request: PlacementRequest, name: string, more: number) => {
    count(name, more);
    placements.set(request.service, name);
  };
  const staying = requests.flatMap((request) => {
    const name = candidates(request, loadBalancers).find((candidate) => isAt(request, candidate));
    return name === undefined ? [] : [{ request, name, more: request.rules - request.rulesThere }];
  });
  for (const { request, name } of staying) count(name, request.rulesThere);
  for (const { request, name, more } of staying) if (more <= 0 || hasRoom(name, more)) place(request, name, more);
  for (const request of requests) {
    if (placements.has(request.service)) continue;
    const [first] = candidates(request, loadBalancers)
      .filter((name) => hasRoom(name, request.rules))
      .toSorted((left, right) => rulesOn(left) - rulesOn(right));
    if (first !== undefined) place(request, first, request.rules);
  }
  return placements;
}

function candidates(
  { scope, allowed }: Pick<PlacementRequest, 'scope' | 'allowed'>,
  loadBalancers: readonly ConfiguredLoadBalancer[],
): readonly string[] {
  const names = loadBalancers.filter(({ frontends }) => frontends === scope).map(({ name }) => name);
  if (allowed === undefined) return names;
  const lower = allowed.map((name) => name.toLowerCase());
  return names.filter((name) => lower.includes(name.toLowerCase()));
}

function isAt({ recorded }: PlacementRequest, name: string): boolean {
  return recorded?.toLowerCase() === name.toLowerCase();
}

export function noLoadBalancerFor(
  request: Pick<PlacementRequest, 'scope' | 'allowed'>,
  loadBalancers: readonly ConfiguredLoadBalancer[],
): Refusal {
  const { scope, allowed } = request;
  const full = candidates(request, loadBalancers);
  if (full.length > 0) {
    const message =
      `there is no room for its rules on ${full.join(', ')}, each of which takes ${MOST_RULES}: ` +
      'add a load balancer under parts.azure-local.loadBalancers, or remove rules that are not needed';
    return { code: 'load-balancers-full', message };
  }
  const among = allowed === undefined ? '' : ` among ${allowed.join(', ')}`;
  const message =
    `there is no load balancer for ${scope} frontends${among}: ` +
    'add one under parts.azure-local.loadBalancers, or change what the Service asks for';
  return { code: 'no-load-balancer', message };
}

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
   * Those of the Service on this load balancer: one that its own rules lead to, as recorded; or one under the old name,
   * which no other Service could mean, used by no rule of another owner, and before the Service has one of its own.
   */
  on(loadBalancerName: string, wanted: WantedService): AdoptedPools {
    const loadBalancer = this.#loadBalancers.get(loadBalancerName.toLowerCase());
    if (loadBalancer === undefined) return {};
    const found = wanted.families.flatMap((family) => {
      const recorded = wanted.adoptedPools[family];
      const isOurs = recorded !== undefined && usesPool(this.#site, loadBalancer, recorded, serviceMark(wanted.uid));
      const name = isOurs ? recorded : this.#adoptable(loadBalancer, wanted, family);
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

/** Before the Service has a rule of its own, every rule is another's. */
function isUsedByOthers(site: AzureSite, { name, properties }: LoadBalancer, pool: string): boolean {
  const id = armIdKey(poolId(site, name, pool));
  const { loadBalancingRules = [], outboundRules = [], inboundNatRules = [] } = properties;
  const several = loadBalancingRules.flatMap((rule) => rule.properties.backendAddressPools ?? []);
  // By an outbound rule, all nodes of the pool reach the internet: those that do not serve the Service, too.
  const single = [...loadBalancingRules, ...outboundRules, ...inboundNatRules].flatMap(
    (rule) => rule.properties.backendAddressPool ?? [],
  );
  return [...several, ...single].some((used) => armIdKey(used.id) === id);
}
