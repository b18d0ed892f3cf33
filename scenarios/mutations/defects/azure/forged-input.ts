import type { Defect } from '../../defect.ts';

const LOAD_BALANCERS = 'packages/azure/local-backends/load-balancers';
const foundBy = { unit: 'packages/azure/local-backends/forged-input.test.ts' };

/** What owners of Services could do to others by what they may write: annotations and records. */
export const forgedInputDefects: readonly Defect[] = [
  {
    name: 'a subnet that we may not use holds up all Services of the load balancer',
    file: `${LOAD_BALANCERS}/apply.ts`,
    find: 'if (refusal?.codes.includes(LINKED)) return true;',
    replace: '',
    foundBy,
  },
  {
    name: 'a subnet that Azure failed at holds up all Services of the load balancer',
    file: `${LOAD_BALANCERS}/apply.ts`,
    find: 'if (refusal?.status === 400 && refusal.codes.includes(NOT_PROVISIONED)) return true;',
    replace: '',
    foundBy,
  },
  {
    name: 'a subnet that is not there holds up all Services of the load balancer',
    file: `${LOAD_BALANCERS}/apply.ts`,
    find: "return verdictOf(error) === 'terminal';",
    replace: "return verdictOf(error) === 'terminal' && refusal?.status !== 404;",
    foundBy,
  },
  {
    name: 'a policy that forbids what one Service asks for holds up all Services of the load balancer',
    file: `${LOAD_BALANCERS}/apply.ts`,
    find: "return verdictOf(error) === 'terminal';",
    replace: "return verdictOf(error) === 'terminal' && refusal?.status !== 403;",
    foundBy,
  },
  {
    name: 'a resource group that may not be read holds up every Service',
    file: `${LOAD_BALANCERS}/observed.ts`,
    find: "      call.signal?.throwIfAborted();\n      return [resourceGroup, { kind: 'unread', error }];",
    replace: '      throw error;',
    foundBy,
  },
  {
    name: 'a resource group that is called .. is read',
    file: `${LOAD_BALANCERS}/observed.ts`,
    find: '/^[-\\w.()]{0,89}[-\\w()]$/',
    replace: '/^[-\\w.()]{1,90}$/',
    foundBy,
  },
  {
    name: 'one resource group more is read than the docs say',
    file: `${LOAD_BALANCERS}/observed.ts`,
    find: 'index >= MOST_GROUPS',
    replace: 'index > MOST_GROUPS',
    foundBy,
  },
  {
    name: 'resource groups are read however many there are',
    file: `${LOAD_BALANCERS}/observed.ts`,
    find: 'const MOST_GROUPS = 20;',
    replace: 'const MOST_GROUPS = 2_000;',
    foundBy,
  },
  {
    name: 'a sweep reads the resource groups that Services name',
    file: `${LOAD_BALANCERS}/reconciler.ts`,
    find: '{ placed: cluster, addressed: [] }',
    replace: '{ placed: cluster, addressed: cluster }',
    foundBy,
  },
  {
    name: 'a recorded pool may have any name',
    file: `${LOAD_BALANCERS}/desired.ts`,
    find: 'isFamily(family) && isResourceName(name)',
    replace: "isFamily(family) && name !== ''",
    foundBy,
  },
  {
    name: 'a Service that is not served takes room where it says it is',
    file: `${LOAD_BALANCERS}/outcome.ts`,
    find: "    if (desired.kind !== 'serve') continue;\n    const { ports, families } = desired.wanted;",
    replace: "    const { ports = [], ipFamilies: families = ['IPv4'] } = service.spec;",
    foundBy,
  },
  {
    name: 'an address is taken that was made for another part or cluster',
    file: `${LOAD_BALANCERS}/request-bodies/public-addresses.ts`,
    find: "ownershipOf(site, tags) !== 'unmarked'",
    replace: "ownershipOf(site, tags) === 'ours'",
    foundBy,
  },
  {
    name: 'an address that Azure has not made is put on a load balancer',
    file: `${LOAD_BALANCERS}/request-bodies/public-addresses.ts`,
    find: "user === undefined && state !== 'Succeeded'",
    replace: "user === undefined && state === 'Deleting'",
    foundBy: { unit: `${LOAD_BALANCERS}/request-bodies` },
  },
  {
    name: 'a subnet may have any name',
    file: `${LOAD_BALANCERS}/annotated.ts`,
    find: 'name === undefined || isResourceName(name)',
    replace: "name === undefined || name !== ''",
    foundBy,
  },
  {
    name: 'a Service may name as many service tags as it likes',
    file: `${LOAD_BALANCERS}/annotated.ts`,
    find: 'const MOST_SERVICE_TAGS = 20;',
    replace: 'const MOST_SERVICE_TAGS = 2_000;',
    foundBy,
  },
  {
    name: 'a Service may name as many source ranges as it likes',
    file: `${LOAD_BALANCERS}/annotated.ts`,
    find: 'const MOST_SOURCE_RANGES = 1_000;',
    replace: 'const MOST_SOURCE_RANGES = 100_000;',
    foundBy,
  },
  {
    name: 'a security group gets more source ranges than Azure takes',
    file: `${LOAD_BALANCERS}/request-bodies/security-rules.ts`,
    find: 'if (sources > MOST_SOURCES && sources > sourcesIn(current)) throw',
    replace: 'if (sources > 10 * MOST_SOURCES) throw',
    foundBy: { unit: `${LOAD_BALANCERS}/request-bodies` },
  },
  {
    name: 'a security rule has a longer description than Azure takes',
    file: `${LOAD_BALANCERS}/request-bodies/security-rules.ts`,
    find: 'const LONGEST_DESCRIPTION = 140;',
    replace: 'const LONGEST_DESCRIPTION = 255;',
    foundBy: { unit: `${LOAD_BALANCERS}/request-bodies` },
  },
];
