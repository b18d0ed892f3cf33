import { objectKeyOf, type ServiceKey } from '@fairlead/service';

/** Azure takes 300 for each network interface, over all load balancers; the rest is for the rules of others. */
export const MOST_RULES_PER_NODE = 250;

/** A Service that would have its rules lead to a node. */
export interface RuleClaim {
  readonly service: ServiceKey;
  /** Of all its families. */
  readonly rules: number;
  /** When it was made, as the cluster tells it. */
  readonly createdAt: string;
  /** Its rules are not there yet: until they are, it takes from nobody what they have. */
  readonly isNew?: true;
}

/**
 * Which Services have endpoints on a node, and whether it has room for their rules. Where it has not for all, namespaces
 * share it: the one that has the least there goes first, with those of its Services first that have the fewest rules, and
 * of these with the oldest. So neither who asks for many ports nor who makes many Services takes it away from others.
 */
export class RulesPerNode {
  /** Node -> Service -> claim. */
  readonly #claims = new Map<string, Map<ServiceKey, RuleClaim>>();
  /** Node -> the rules of all of them. */
  readonly #totals = new Map<string, number>();
  /** Crowded node -> those it has room for, until its claims change. */
  readonly #admitted = new Map<string, ReadonlySet<ServiceKey>>();

  claimants(node: string): readonly ServiceKey[] {
    return [...(this.#claims.get(node)?.keys() ?? [])];
  }

  isCrowded(node: string): boolean {
    return (this.#totals.get(node) ?? 0) > MOST_RULES_PER_NODE;
  }

  set(node: string, claim: RuleClaim): void {
    if (this.#claims.get(node)?.get(claim.service) === claim) return;
    this.delete(node, claim.service);
    const claims = this.#claims.get(node) ?? new Map<ServiceKey, RuleClaim>();
    this.#claims.set(node, claims.set(claim.service, claim));
    this.#count(node, claim.rules);
  }

  delete(node: string, service: ServiceKey): void {
    const claims = this.#claims.get(node);
    const claim = claims?.get(service);
    if (claims === undefined || claim === undefined) return;
    claims.delete(service);
    this.#count(node, -claim.rules);
    if (claims.size === 0) {
      this.#claims.delete(node);
      this.#totals.delete(node);
    }
  }

  hasRoom(node: string, claim: RuleClaim): boolean {
    const claims = this.#claims.get(node) ?? new Map<ServiceKey, RuleClaim>();
    const known = claims.get(claim.service);
    if ((this.#totals.get(node) ?? 0) - (known?.rules ?? 0) + claim.rules <= MOST_RULES_PER_NODE) return true;
    if (known !== claim) return admitted([...new Map(claims).set(claim.service, claim).values()]).has(claim.service);
    const those = this.#admitted.get(node) ?? admitted([...claims.values()]);
    this.#admitted.set(node, those);
    return those.has(claim.service);
  }

  #count(node: string, more: number): void {
    this.#totals.set(node, (this.#totals.get(node) ?? 0) + more);
    this.#admitted.delete(node);
  }
}

/** Those of the claims on one node that it has room for. */
function admitted(claims: readonly RuleClaim[]): ReadonlySet<ServiceKey> {
  const ofNamespaces = new Map<string, number>();
  const shares = claims.toSorted(byRules).map((claim) => {
    const { namespace } = objectKeyOf(claim.service);
    const share = (ofNamespaces.get(namespace) ?? 0) + claim.rules;
    ofNamespaces.set(namespace, share);
    return { claim, share };
  });
  const services = new Set<ServiceKey>();
  let rules = 0;
  for (const { claim } of shares.toSorted(byShare)) {
    if (rules + claim.rules > MOST_RULES_PER_NODE) continue;
    rules += claim.rules;
    services.add(claim.service);
  }
  return services;
}

/** A claim, and the rules that its namespace has with it and those before it. */
interface Share {
  readonly claim: RuleClaim;
  readonly share: number;
}

function byShare(left: Share, right: Share): number {
  return byNews(left.claim, right.claim) || left.share - right.share || byAge(left.claim, right.claim);
}

function byRules(left: RuleClaim, right: RuleClaim): number {
  return byNews(left, right) || left.rules - right.rules || byAge(left, right);
}

function byNews(left: RuleClaim, right: RuleClaim): number {
  return Number(left.isNew ?? false) - Number(right.isNew ?? false);
}

function byAge(left: RuleClaim, right: RuleClaim): number {
  const [older, younger] = [`${left.createdAt} ${left.service}`, `${right.createdAt} ${right.service}`];
  return older < younger ? -1 : 1;
}
