import type { Refusal, ServiceKey } from '@fairlead/service';
import type { ConfiguredLoadBalancer, FrontendScope } from '../configuration.ts';

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
}

/**
 * Where each Service goes: it stays where it was placed before, as long as it may be there; a new one goes to the load
 * balancer with the fewest rules, the first of the list on a tie. `occupied` has the rules of the Services that are not
 * asked about, by load balancer in lower case. A Service for which there is no load balancer is not in the answer.
 */
export function placeServices(
  requests: readonly PlacementRequest[],
  loadBalancers: readonly ConfiguredLoadBalancer[],
  occupied: ReadonlyMap<string, number>,
): ReadonlyMap<ServiceKey, string> {
  const rules = new Map(occupied);
  const rulesOn = (name: string) => rules.get(name.toLowerCase()) ?? 0;
  const count = (name: string, more: number) => rules.set(name.toLowerCase(), rulesOn(name) + more);
  const stays = (request: PlacementRequest) => candidates(request, loadBalancers).find((name) => isAt(request, name));
  for (const request of requests) {
    const name = stays(request);
    if (name !== undefined) count(name, request.rules);
  }
  const placements = new Map<ServiceKey, string>();
  for (const request of requests) {
    const kept = stays(request);
    const [first] = candidates(request, loadBalancers).toSorted((left, right) => rulesOn(left) - rulesOn(right));
    const chosen = kept ?? first;
    if (chosen === undefined) continue;
    if (kept === undefined) count(chosen, request.rules);
    placements.set(request.service, chosen);
  }
  return placements;
}

function candidates(
  { scope, allowed }: PlacementRequest,
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

export function noLoadBalancerFor({ scope, allowed }: Pick<PlacementRequest, 'scope' | 'allowed'>): Refusal {
  const among = allowed === undefined ? '' : ` among ${allowed.join(', ')}`;
  const message =
    `there is no load balancer for ${scope} frontends${among}: ` +
    'add one under parts.azure-local.loadBalancers, or change what the Service asks for';
  return { code: 'no-load-balancer', message };
}
