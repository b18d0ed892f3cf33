import { byAge, type Service } from '@fairlead/kube';
import { type ClaimedService, type ServiceKey, serviceKey, type UnservedService } from '@fairlead/service';
import type { LoadBalancer } from '../../arm/index.ts';
import { markOf, type ServiceMark, serviceMark } from '../names.ts';
import { type AzureSite, serviceOfName } from '../site.ts';
import { type DesiredOptions, desiredFor, recordedLoadBalancer, type WantedService } from './desired.ts';
import { AdoptablePools, noLoadBalancerFor, type PlacementRequest, placeServices } from './placement.ts';
import { type PresentTarget, presentOn, type Target, without } from './target.ts';

/** A Service that has its place. */
export interface ServedService {
  readonly kind: 'serve';
  readonly claim: ClaimedService;
  readonly target: PresentTarget;
  /** The load balancer that it has to leave first. */
  readonly movesFrom: string | undefined;
}

/** What was decided for one Service. */
export type Outcome = ServedService | UnservedService;

export interface DecisionInput {
  readonly site: AzureSite;
  readonly options: DesiredOptions;
  /** Those to decide for. */
  readonly services: readonly Service[];
  /** All there are. */
  readonly cluster: readonly Service[];
  /** As they are in Azure, by name in lower case. */
  readonly loadBalancers: ReadonlyMap<string, LoadBalancer>;
}

/** Decides for these Services, oldest first. A leader goes by it, and `plan` and `why` are made of it. */
export function decide(input: DecisionInput): ReadonlyMap<ServiceKey, Outcome> {
  const { site, options, services, cluster, loadBalancers } = input;
  const read = services
    .toSorted(byAge)
    .map((service) => [serviceKey(service.metadata), desiredFor(service, options)] as const);
  const pools = new AdoptablePools(site, cluster, loadBalancers);
  const there = new ServicesThere(site, loadBalancers);
  const requests = read.flatMap(([, desired]) =>
    desired.kind === 'serve' ? [placementRequest(desired.wanted, pools, there)] : [],
  );
  const occupied = occupiedBy(input, new Set(read.map(([key]) => key)), there);
  const placements = placeServices(requests, site.loadBalancers, occupied);
  const outcomes = read.map(([key, desired]): [ServiceKey, Outcome] => {
    if (desired.kind !== 'serve') return [key, desired];
    const { claim, wanted } = desired;
    const loadBalancer = placements.get(key);
    if (loadBalancer === undefined)
      return [key, { kind: 'refuse', claim, refusal: noLoadBalancerFor(wanted, site.loadBalancers) }];
    const recorded = wanted.recordedLoadBalancer;
    const movesFrom = recorded?.toLowerCase() === loadBalancer.toLowerCase() ? undefined : recorded;
    // What it took over stays behind when it moves.
    const staying = movesFrom === undefined ? wanted : { ...wanted, adoptedPools: {} };
    const target = presentOn(loadBalancer, { ...wanted, adoptedPools: pools.on(loadBalancer, staying) });
    return [key, { kind: 'serve', claim, target, movesFrom }];
  });
  return new Map(outcomes);
}

/** A new Service goes where a pool waits for it that it can take over. */
function placementRequest(wanted: WantedService, pools: AdoptablePools, there: ServicesThere): PlacementRequest {
  const { key, scope, allowed, families, ports } = wanted;
  const recorded = wanted.recordedLoadBalancer ?? pools.whereFor(wanted);
  const rulesThere = recorded === undefined ? 0 : there.count(recorded, serviceMark(wanted.uid));
  return { service: key, scope, allowed, rules: families.length * ports.length, recorded, rulesThere };
}

/** Which Services have rules on which load balancers. */
class ServicesThere {
  readonly #owners: ReadonlyMap<string, readonly (ServiceMark | undefined)[]>;

  constructor(site: AzureSite, loadBalancers: ReadonlyMap<string, LoadBalancer>) {
    const ownersOn = ({ properties }: LoadBalancer) =>
      (properties.loadBalancingRules ?? []).map((rule) => serviceOfName(site, rule.name));
    this.#owners = new Map([...loadBalancers].map(([name, body]) => [name.toLowerCase(), ownersOn(body)]));
  }

  /** For each load balancer in lower case, whose each of its rules is; undefined for those of others. */
  get owners(): ReadonlyMap<string, readonly (ServiceMark | undefined)[]> {
    return this.#owners;
  }

  count(loadBalancer: string, mark: ServiceMark): number {
    return this.#owners.get(loadBalancer.toLowerCase())?.filter((owner) => owner === mark).length ?? 0;
  }
}

/**
 * The rules of all but the Services that are asked about, where they are; and where such a Service is recorded to be that
 * has none there yet, those it is to have. A record alone takes no room: its owner can write anything into it.
 */
function occupiedBy(
  { options, cluster }: DecisionInput,
  except: ReadonlySet<ServiceKey>,
  there: ServicesThere,
): ReadonlyMap<string, number> {
  const asked = new Set(cluster.filter(({ metadata }) => except.has(serviceKey(metadata))).map(markOf));
  const rules = new Map<string, number>();
  for (const [name, owners] of there.owners) {
    rules.set(name, owners.filter((owner) => owner === undefined || !asked.has(owner)).length);
  }
  for (const service of cluster) {
    const name = recordedLoadBalancer(service)?.toLowerCase();
    const mark = markOf(service);
    if (name === undefined || asked.has(mark) || there.count(name, mark) > 0) continue;
    const desired = desiredFor(service, options);
    if (desired.kind !== 'serve') continue;
    const { ports, families } = desired.wanted;
    rules.set(name, (rules.get(name) ?? 0) + ports.length * families.length);
  }
  return rules;
}

/** For a Service that has to leave a load balancer before it goes to another; undefined for all others. */
export function detachedTargetOf(key: ServiceKey, outcome: Outcome): Target | undefined {
  if (outcome.kind !== 'serve' || outcome.movesFrom === undefined) return undefined;
  return without('detached', key, outcome.claim.service);
}

/** What an outcome means for Azure; undefined: nothing is touched. */
export function targetOf(key: ServiceKey, outcome: Outcome): Target | undefined {
  if (outcome.kind === 'serve') return outcome.target;
  return outcome.kind === 'release' ? without('absent', key, outcome.claim.service) : undefined;
}
