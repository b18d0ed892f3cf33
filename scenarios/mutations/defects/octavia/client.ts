import type { Defect } from '../../defect.ts';

const CLIENT = 'packages/openstack/client';
const SIMULATED = 'packages/sim/openstack';
const octavia = { unit: `${CLIENT}/octavia` };
const contract = { unit: `${SIMULATED}/contract` };

export const octaviaClientDefects: readonly Defect[] = [
  {
    name: 'a load balancer is deleted without what is below it',
    file: `${CLIENT}/octavia/octavia-client.ts`,
    find: "query: { cascade: 'true' }",
    replace: 'query: {}',
    foundBy: octavia,
  },
  {
    name: 'a batch that only adds takes the other members away',
    file: `${CLIENT}/octavia/octavia-client.ts`,
    find: "additiveOnly ? '?additive_only=true' : ''",
    replace: "additiveOnly ? '' : ''",
    foundBy: octavia,
  },
  {
    name: 'a batch leaves members that are no longer wanted',
    file: `${CLIENT}/octavia/octavia-client.ts`,
    find: "additiveOnly ? '?additive_only=true' : ''",
    replace: "additiveOnly ? '?additive_only=true' : '?additive_only=true'",
    foundBy: octavia,
  },
  {
    name: 'PENDING is taken for ERROR',
    file: `${CLIENT}/octavia/provisioning.ts`,
    find: "return { kind: 'pending', change: 'update' };",
    replace: "return { kind: 'error' };",
    foundBy: octavia,
  },
  {
    name: 'a load balancer that Octavia is at counts as one that others hold',
    file: `${CLIENT}/api/errors.ts`,
    find: '|^Invalid state \\S+ of loadbalancer',
    replace: '',
    foundBy: octavia,
  },
  {
    name: 'what a provider cannot do is asked of it for ever',
    file: `${CLIENT}/api/errors.ts`,
    find: "if (problem === 'unsupported') return 'terminal';",
    replace: '',
    foundBy: octavia,
  },
  {
    name: 'a path that Octavia does not have counts as a load balancer that is gone',
    file: `${CLIENT}/api/errors.ts`,
    find: "if (fieldOf(body, 'description') === '') return undefined;",
    replace: '',
    foundBy: octavia,
  },
  {
    name: 'every Octavia is thought to have every feature',
    file: `${CLIENT}/octavia/features.ts`,
    find: '{ major: 2, minor }',
    replace: '{ major: 2, minor: minor * 0 }',
    foundBy: octavia,
  },
  {
    name: 'the simulated Octavia takes a second change while it is at the first',
    file: `${SIMULATED}/octavia/world.ts`,
    find: 'if (!isFit) throw wrongState(state, id);',
    replace: 'void isFit;',
    foundBy: contract,
  },
  {
    name: 'the simulated Octavia keeps a weight that a batch does not name',
    file: `${SIMULATED}/octavia/members.ts`,
    find: "const SET_BACK = ['weight', ",
    replace: 'const SET_BACK = [',
    foundBy: contract,
  },
  {
    name: 'the simulated Octavia cleans up after a refusal',
    file: `${SIMULATED}/octavia/load-balancers.ts`,
    find: 'const port = vipPort(neutron, place, { id, projectId, provider });',
    replace: 'poolsIn(fields, []);\n  const port = vipPort(neutron, place, { id, projectId, provider });',
    foundBy: contract,
  },
  {
    name: 'a port is found by its id in capitals, by which nobody else knows it',
    file: `${CLIENT}/api/resource-api.ts`,
    find: 'return found.id === id ? found : undefined;',
    replace: 'return found;',
    foundBy: { unit: 'packages/openstack/octavia/ports.test.ts' },
  },
];
