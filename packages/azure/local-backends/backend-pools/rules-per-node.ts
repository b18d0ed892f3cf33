import type { ServiceKey } from '@fairlead/service';

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
 * Which Services have endpoints on a node, and whether it has room for their rules. Where it has not, those with the
 * fewest rules go first, and the oldest of those: who asks for many is left out before others are.
 */
export class RulesPerNode {
  /** Node -> Service -> claim. */
  readonly #claims = new Map<string, Map<ServiceKey, RuleClaim>>();
  /** Node -> the rules of all of them. */
  readonly #totals = new Map<string, number>();

  claimants(node: string): readonly ServiceKey[] {
    return [...(this.#claims.get(node)?.keys() ?? [])];
  }

  isCrowded(node: string): boolean {
    return (this.#totals.get(node) ?? 0) > MOST_RULES_PER_NODE;
  }

  set(node: string, claim: RuleClaim): void {
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
    const known = this.#claims.get(node)?.get(claim.service)?.rules ?? 0;
    if ((this.#totals.get(node) ?? 0) - known + claim.rules <= MOST_RULES_PER_NODE) return true;
    let rules = claim.rules;
    for (const other of this.#claims.get(node)?.values() ?? []) {
      if (other.service !== claim.service && isBefore(other, claim)) rules += other.rules;
    }
    return rules <= MOST_RULES_PER_NODE;
  }

  #count(node: string, more: number): void {
    this.#totals.set(node, (this.#totals.get(node) ?? 0) + more);
  }
}

function isBefore(left: RuleClaim, right: RuleClaim): boolean {
  if (left.isNew !== right.isNew) return right.isNew === true;
  if (left.rules !== right.rules) return left.rules < right.rules;
  if (left.createdAt !== right.createdAt) return left.createdAt < right.createdAt;
  return left.service < right.service;
}
