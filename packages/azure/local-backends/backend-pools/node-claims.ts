import { compareTexts } from '@fairlead/control';
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

/** A claim, and the rules that its namespace has with it and those before it. */
interface Share {
  readonly claim: RuleClaim;
  readonly share: number;
}

/** The claims of one namespace on a node: those with the fewest rules first, and of these the oldest. */
class NamespaceClaims {
  readonly #sorted: RuleClaim[] = [];
  #rules = 0;

  get rules(): number {
    return this.#rules;
  }

  get isEmpty(): boolean {
    return this.#sorted.length === 0;
  }

  add(claim: RuleClaim): void {
    this.#sorted.splice(this.#placeOf(claim), 0, claim);
    this.#rules += claim.rules;
  }

  delete(claim: RuleClaim): void {
    this.#sorted.splice(this.#placeOf(claim), 1);
    this.#rules -= claim.rules;
  }

  /**
   * Those that may find room on the node, after so many rules of the same namespace. No other can: each has more rules
   * than those before it, so that the first that finds none is the last that need be asked.
   */
  shares(before: number): readonly Share[] {
    const shares: Share[] = [];
    let rules = 0;
    for (const claim of this.#sorted) {
      rules += claim.rules;
      if (rules > MOST_RULES_PER_NODE) break;
      shares.push({ claim, share: before + rules });
    }
    return shares;
  }

  /** Where it is, or would be. */
  #placeOf(claim: RuleClaim): number {
    let [from, to] = [0, this.#sorted.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const other = this.#sorted[middle];
      if (other !== undefined && (other.rules - claim.rules || byAge(other, claim)) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

/** All claims on one node, in such an order that who has room is found without looking at all of them. */
export class NodeClaims {
  readonly #claims = new Map<ServiceKey, RuleClaim>();
  /** By namespace: those that are there, and those that are new. */
  readonly #there = new Map<string, NamespaceClaims>();
  readonly #new = new Map<string, NamespaceClaims>();
  #rules = 0;

  get services(): readonly ServiceKey[] {
    return [...this.#claims.keys()];
  }

  get isEmpty(): boolean {
    return this.#claims.size === 0;
  }

  get(service: ServiceKey): RuleClaim | undefined {
    return this.#claims.get(service);
  }

  set(claim: RuleClaim): void {
    this.delete(claim.service);
    this.#claims.set(claim.service, claim);
    this.#rules += claim.rules;
    const { namespace } = objectKeyOf(claim.service);
    const namespaces = this.#namespacesOf(claim);
    const claims = namespaces.get(namespace) ?? new NamespaceClaims();
    namespaces.set(namespace, claims);
    claims.add(claim);
  }

  delete(service: ServiceKey): void {
    const claim = this.#claims.get(service);
    if (claim === undefined) return;
    this.#claims.delete(service);
    this.#rules -= claim.rules;
    const { namespace } = objectKeyOf(service);
    const namespaces = this.#namespacesOf(claim);
    const claims = namespaces.get(namespace);
    claims?.delete(claim);
    if (claims?.isEmpty) namespaces.delete(namespace);
  }

  /** Those that the node has room for, where it has not for all. */
  admitted(): ReadonlySet<ServiceKey> | 'all' {
    if (this.#rules <= MOST_RULES_PER_NODE) return 'all';
    const there = [...this.#there.values()].flatMap((claims) => claims.shares(0));
    const fresh = [...this.#new].flatMap(([name, claims]) => claims.shares(this.#there.get(name)?.rules ?? 0));
    const services = new Set<ServiceKey>();
    let rules = 0;
    for (const { claim } of [...there.toSorted(byShare), ...fresh.toSorted(byShare)]) {
      if (rules + claim.rules > MOST_RULES_PER_NODE) continue;
      rules += claim.rules;
      services.add(claim.service);
    }
    return services;
  }

  #namespacesOf({ isNew }: RuleClaim): Map<string, NamespaceClaims> {
    return isNew ? this.#new : this.#there;
  }
}

function byShare(left: Share, right: Share): number {
  return left.share - right.share || byAge(left.claim, right.claim);
}

function byAge(left: RuleClaim, right: RuleClaim): number {
  return compareTexts(left.createdAt, right.createdAt) || compareTexts(left.service, right.service);
}
