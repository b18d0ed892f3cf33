import { serviceUid } from '@fairlead/control';
import { byAge, type Service } from '@fairlead/kube';
import { type ClaimedService, type ServiceKey, serviceKey, type UnservedService } from '@fairlead/service';
import type { LoadBalancer } from '../../arm/index.ts';
import type { BackendTracker } from '../backend-pools/backend-tracker.ts';
import { serviceMark } from '../names.ts';
import type { AzureSite } from '../site.ts';
import { adoptablePools, type OldPoolNames, oldPoolNames } from './adoption.ts';
import { adoptedPools, type DesiredOptions, desiredFor, recordedLoadBalancer, type WantedService } from './desired.ts';
import { type PlacementRequest, placeServices } from './placement.ts';
import type { Intention, Present } from './target.ts';

/** What was decided for one Service, with its place and the pools it takes over. */
export type Decision =
  | {
      readonly kind: 'serve';
      readonly claim: ClaimedService;
      readonly wanted: WantedService;
      readonly loadBalancer: string;
      /** Where it has to leave first. */
      readonly movesFrom: string | undefined;
    }
  | UnservedService;

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
export function decide(input: DecisionInput): ReadonlyMap<ServiceKey, Decision> {
  const { site, options, services, cluster, loadBalancers } = input;
  const decided = services
    .toSorted(byAge)
    .map((service) => [serviceKey(service.metadata), desiredFor(service, options)] as const);
  let names: OldPoolNames | undefined;
  const oldNames = () => {
    names ??= oldPoolNames(cluster);
    return names;
  };
  const requests = decided.flatMap(([, desired]) =>
    desired.kind === 'serve' ? [placementRequest(desired.wanted, input, oldNames)] : [],
  );
  const placements = placeServices(
    requests,
    site.loadBalancers,
    occupiedBy(cluster, new Set(decided.map(([key]) => key))),
  );
  const decisions = decided.map(([key, desired]): [ServiceKey, Decision] => {
    if (desired.kind !== 'serve') return [key, desired];
    const { claim, wanted } = desired;
    const placement = placements.get(key);
    if (placement?.kind !== 'placed') {
      const { code = 'no-load-balancer', message = 'it was not placed' } = placement ?? {};
      return [key, { kind: 'refuse', claim, refusal: { code, message } }];
    }
    const { loadBalancer } = placement;
    const recorded = wanted.recordedLoadBalancer;
    const isMove = recorded !== undefined && recorded.toLowerCase() !== loadBalancer.toLowerCase();
    // What it took over stays behind when it moves.
    const staying = isMove ? { ...wanted, adoptedPools: {} } : wanted;
    const adopted = adoptablePools(site, staying, loadBalancers.get(loadBalancer.toLowerCase()), oldNames);
    const movesFrom = isMove ? recorded : undefined;
    return [key, { kind: 'serve', claim, wanted: { ...wanted, adoptedPools: adopted }, loadBalancer, movesFrom }];
  });
  return new Map(decisions);
}

/** A new Service goes where a pool waits for it that it can take over. */
function placementRequest(
  wanted: WantedService,
  { site, loadBalancers }: DecisionInput,
  oldNames: () => OldPoolNames,
): PlacementRequest {
  const { key, scope, allowed, families, ports } = wanted;
  const waiting = () =>
    [...loadBalancers.values()].find((loadBalancer) => {
      return Object.keys(adoptablePools(site, wanted, loadBalancer, oldNames)).length > 0;
    })?.name;
  const recorded = wanted.recordedLoadBalancer ?? waiting();
  return { service: key, scope, allowed, rules: families.length * ports.length, recorded };
}

/** The rules of all other Services, where they are recorded to be. */
function occupiedBy(cluster: readonly Service[], except: ReadonlySet<ServiceKey>): ReadonlyMap<string, number> {
  const rules = new Map<string, number>();
  for (const service of cluster) {
    const name = recordedLoadBalancer(service)?.toLowerCase();
    if (name === undefined || except.has(serviceKey(service.metadata))) continue;
    const { ports = [], ipFamilies = ['IPv4'] } = service.spec;
    rules.set(name, (rules.get(name) ?? 0) + ports.length * ipFamilies.length);
  }
  return rules;
}

/** What a decision means for Azure; undefined: nothing is touched. */
export function intentionFor(
  key: ServiceKey,
  decision: Decision,
  backends: Pick<BackendTracker, 'addresses'>,
): Intention | undefined {
  if (decision.kind === 'serve') return presentAt(key, decision, backends);
  return decision.kind === 'release' ? { ...ownerOf(key, decision.claim.service), kind: 'absent' } : undefined;
}

export function presentAt(
  key: ServiceKey,
  { claim, wanted, loadBalancer }: Extract<Decision, { kind: 'serve' }>,
  backends: Pick<BackendTracker, 'addresses'>,
): Present {
  const contents = { IPv4: backends.addresses(key, 'IPv4'), IPv6: backends.addresses(key, 'IPv6') };
  return {
    ...ownerOf(key, claim.service),
    kind: 'present',
    adopted: wanted.adoptedPools,
    wanted,
    loadBalancer,
    contents,
  };
}

/** Leaves where it is, before it goes elsewhere. */
export function detachedFrom(key: ServiceKey, service: Service): Intention {
  return { ...ownerOf(key, service), kind: 'detached' };
}

function ownerOf(subject: ServiceKey, service: Service): Pick<Intention, 'mark' | 'subject' | 'adopted'> {
  const uid = serviceUid(service.metadata.uid ?? '');
  return { mark: serviceMark(uid), subject, adopted: adoptedPools(service) };
}
