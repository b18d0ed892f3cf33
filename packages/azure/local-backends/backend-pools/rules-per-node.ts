import type { ServiceKey } from '@fairlead/service';
import { NodeClaims, type RuleClaim } from './node-claims.ts';

/** The Services that a node has room for; `all` while it has room for all that are there. */
type Admitted = ReadonlySet<ServiceKey> | 'all';

/**
 * Which Services have endpoints on a node, and whether it has room for their rules. Where it has not for all, namespaces
 * share it: the one that has the least there goes first, with those of its Services first that have the fewest rules, and
 * of these with the oldest. So neither who asks for many ports nor who makes many Services takes it away from others.
 */
export class RulesPerNode {
  readonly #claims = new Map<string, NodeClaims>();
  readonly #admitted = new Map<string, Admitted>();

  claimants(node: string): readonly ServiceKey[] {
    return this.#claims.get(node)?.services ?? [];
  }

  /** Gives the other Services that the node has room for, and had not before, or the other way round. */
  set(node: string, claim: RuleClaim): readonly ServiceKey[] {
    const claims = this.#claims.get(node) ?? new NodeClaims();
    this.#claims.set(node, claims);
    if (isSame(claims.get(claim.service), claim)) return [];
    return this.#change(node, claims, claim.service, () => claims.set(claim));
  }

  /** Gives the same. */
  delete(node: string, service: ServiceKey): readonly ServiceKey[] {
    const claims = this.#claims.get(node);
    if (claims?.get(service) === undefined) return [];
    const moved = this.#change(node, claims, service, () => claims.delete(service));
    if (claims.isEmpty) {
      this.#claims.delete(node);
      this.#admitted.delete(node);
    }
    return moved;
  }

  /** Also for a Service that claims nothing there. */
  hasRoom(node: string, service: ServiceKey): boolean {
    if (this.#claims.get(node)?.get(service) === undefined) return true;
    return isIn(this.#admitted.get(node) ?? 'all', service);
  }

  #change(node: string, claims: NodeClaims, service: ServiceKey, work: () => void): readonly ServiceKey[] {
    const before = this.#admitted.get(node) ?? 'all';
    work();
    const after = claims.admitted();
    this.#admitted.set(node, after);
    if (before === 'all' && after === 'all') return [];
    const asked = before === 'all' || after === 'all' ? claims.services : new Set([...before, ...after]);
    return [...asked].filter((other) => other !== service && isIn(before, other) !== isIn(after, other));
  }
}

function isIn(admitted: Admitted, service: ServiceKey): boolean {
  return admitted === 'all' || admitted.has(service);
}

function isSame(known: RuleClaim | undefined, claim: RuleClaim): boolean {
  return known?.rules === claim.rules && known.createdAt === claim.createdAt && known.isNew === claim.isNew;
}
