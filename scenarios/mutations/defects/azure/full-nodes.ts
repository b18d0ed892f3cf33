import type { Defect } from '../../defect.ts';

const LOCAL = 'packages/azure/local-backends';
const POOLS = `${LOCAL}/backend-pools`;
const BALANCERS = `${LOCAL}/load-balancers`;

/** Who has room on a node whose network interface takes no more rules, and who is told. */
export const fullNodesDefects: readonly Defect[] = [
  {
    name: 'more rules lead to a node than its network interface takes',
    file: `${POOLS}/rules-per-node.ts`,
    find: 'if (rules + claim.rules > MOST_RULES_PER_NODE) continue;',
    replace: '',
    foundBy: { unit: `${LOCAL}/full-nodes` },
  },
  {
    name: 'a Service with many rules takes nodes away from those with few',
    file: `${POOLS}/rules-per-node.ts`,
    find: 'left.rules - right.rules',
    replace: 'right.rules - left.rules',
    foundBy: { unit: `${LOCAL}/full-nodes` },
  },
  {
    name: 'who makes many Services takes nodes away from other namespaces',
    file: `${POOLS}/rules-per-node.ts`,
    find: 'left.share - right.share',
    replace: 'left.claim.rules - right.claim.rules',
    foundBy: { unit: `${POOLS}/rules-per-node` },
  },
  {
    name: 'a Service that a node has no room for keeps it from all that come after',
    file: `${POOLS}/rules-per-node.ts`,
    find: 'if (rules + claim.rules > MOST_RULES_PER_NODE) continue;',
    replace: 'if (rules + claim.rules > MOST_RULES_PER_NODE) break;',
    foundBy: { unit: `${POOLS}/rules-per-node` },
  },
  {
    name: 'a Service that is not there yet takes nodes away from others of its namespace',
    file: `${POOLS}/rules-per-node.ts`,
    find: 'return byNews(left, right) || left.rules',
    replace: 'return left.rules',
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
    find: 'new Set(this.#crowdedNodes(service))',
    replace: 'new Set<string>()',
    foundBy: { unit: `${LOCAL}/full-nodes` },
  },
  {
    name: 'nobody hears that a node has no room any more',
    file: `${POOLS}/backend-tracker.ts`,
    find: 'for (const name of this.#crowdedNodes(service)) crowded.add(name);',
    replace: '',
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
