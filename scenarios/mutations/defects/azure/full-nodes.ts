import type { Defect } from '../../defect.ts';

const LOCAL = 'packages/azure/local-backends';
const POOLS = `${LOCAL}/backend-pools`;
const BALANCERS = `${LOCAL}/load-balancers`;

/** Who has room on a node whose network interface takes no more rules, and who is told. */
export const fullNodesDefects: readonly Defect[] = [
  {
    name: 'more rules lead to a node than its network interface takes',
    file: `${POOLS}/node-claims.ts`,
    find: 'if (rules + claim.rules > MOST_RULES_PER_NODE) continue;',
    replace: '',
    foundBy: { unit: `${LOCAL}/full-nodes` },
  },
  {
    name: 'a Service with many rules takes nodes away from those with few',
    file: `${POOLS}/node-claims.ts`,
    find: 'other.rules - claim.rules',
    replace: 'claim.rules - other.rules',
    foundBy: { unit: `${LOCAL}/full-nodes` },
  },
  {
    name: 'who makes many Services takes nodes away from other namespaces',
    file: `${POOLS}/node-claims.ts`,
    find: 'left.share - right.share',
    replace: 'left.claim.rules - right.claim.rules',
    foundBy: { unit: `${POOLS}/rules-per-node` },
  },
  {
    name: 'a Service that a node has no room for keeps it from all that come after',
    file: `${POOLS}/node-claims.ts`,
    find: 'if (rules + claim.rules > MOST_RULES_PER_NODE) continue;',
    replace: 'if (rules + claim.rules > MOST_RULES_PER_NODE) break;',
    foundBy: { unit: `${POOLS}/rules-per-node` },
  },
  {
    name: 'a Service that is not there yet takes nodes away from others of its namespace',
    file: `${POOLS}/node-claims.ts`,
    find: 'return isNew ? this.#new : this.#there;',
    replace: 'return this.#there;',
    foundBy: { unit: `${POOLS}/rules-per-node` },
  },
  {
    name: 'what a namespace has on a node does not count for those of its Services that are new there',
    file: `${POOLS}/node-claims.ts`,
    find: 'claims.shares(this.#there.get(name)?.rules ?? 0)',
    replace: 'claims.shares(0)',
    foundBy: { unit: `${POOLS}/rules-per-node` },
  },
  {
    name: 'the Service of a namespace that just fills a node is not asked whether it has room',
    file: `${POOLS}/node-claims.ts`,
    find: 'if (rules > MOST_RULES_PER_NODE) break;',
    replace: 'if (rules >= MOST_RULES_PER_NODE) break;',
    foundBy: { unit: `${POOLS}/rules-per-node` },
  },
  {
    name: 'a claim on a node is taken out at the wrong place',
    file: `${POOLS}/node-claims.ts`,
    find: 'this.#sorted.splice(this.#placeOf(claim), 1);',
    replace: 'this.#sorted.pop();',
    foundBy: { unit: `${POOLS}/rules-per-node` },
  },
  {
    name: 'every Service on a crowded node is looked at again, whoever changes there',
    file: `${POOLS}/rules-per-node.ts`,
    find: 'other !== service && isIn(before, other) !== isIn(after, other)',
    replace: 'other !== service',
    foundBy: { unit: `${POOLS}/backend-tracker` },
  },
  {
    name: 'a Service that is followed again as it was is taken for another claim',
    file: `${POOLS}/rules-per-node.ts`,
    find: 'if (isSame(claims.get(claim.service), claim)) return [];',
    replace: 'if (claims.get(claim.service) === claim) return [];',
    foundBy: { unit: `${POOLS}/rules-per-node` },
  },
  {
    name: 'the owner of a Service that is made anew is not told that nodes have no room for it',
    file: `${POOLS}/pool-registry.ts`,
    find: '    this.#leftOut.delete(service);\n',
    replace: '',
    foundBy: { unit: `${LOCAL}/full-nodes` },
  },
  {
    name: 'a Service that Azure refuses keeps the room on nodes that it was to have',
    file: `${POOLS}/pool-registry.ts`,
    find: 'else if (services.get(key) === undefined) this.follow(backends.unfollow(key));',
    replace: '',
    foundBy: { unit: `${LOCAL}/full-nodes` },
  },
  {
    name: 'the rules of one family only count for a node',
    file: `${BALANCERS}/request-bodies/child-resources.ts`,
    find: 'families.length * ports.length',
    replace: 'ports.length',
    foundBy: { unit: `${LOCAL}/full-nodes` },
  },
  {
    name: 'the rules of a Service that can no longer be served lead to no node',
    file: `${POOLS}/pool-registry.ts`,
    find: 'rules: rules.length',
    replace: 'rules: 0',
    foundBy: { unit: `${LOCAL}/full-nodes` },
  },
  {
    name: 'nodes without room are counted wrongly',
    file: `${POOLS}/update-reporter.ts`,
    find: 'nodes.length - MOST_NODES_SHOWN',
    replace: 'nodes.length',
    foundBy: { unit: `${LOCAL}/full-nodes` },
  },
  {
    name: 'a Service that is not there yet takes nodes away from others',
    file: `${POOLS}/pool-registry.ts`,
    find: '{ ...info, isNew: true }',
    replace: 'info',
    foundBy: { unit: `${LOCAL}/full-nodes` },
  },
  {
    name: 'nobody hears that a node has room again',
    file: `${POOLS}/backend-tracker.ts`,
    find: 'const moved = left.flatMap((name) => this.#rules.delete(name, service));',
    replace: 'const moved = left.flatMap((name) => (this.#rules.delete(name, service), []));',
    foundBy: { unit: `${LOCAL}/full-nodes` },
  },
  {
    name: 'nobody hears that a node has no room any more',
    file: `${POOLS}/backend-tracker.ts`,
    find: 'if (claim !== undefined) moved.push(...[...nodes].flatMap((name) => this.#rules.set(name, claim)));',
    replace: 'if (claim !== undefined) for (const name of nodes) this.#rules.set(name, claim);',
    foundBy: { unit: `${POOLS}/backend-tracker` },
  },
  {
    name: 'what is looked at leaves out the rules of a Service that can no longer be served',
    file: `${LOCAL}/report/snapshot.ts`,
    find: "outcome.kind === 'refuse' && body !== undefined",
    replace: "outcome.kind !== 'refuse' && body !== undefined",
    foundBy: { unit: `${LOCAL}/full-nodes` },
  },
];
