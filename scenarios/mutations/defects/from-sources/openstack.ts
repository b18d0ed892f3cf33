import type { Defect } from '../../defect.ts';

/** Thought of from the sources of the OpenStack client and `openstack/ports` alone, before any test was looked at. */
export const openStackDefectsFromSources: readonly Defect[] = [
  {
    name: 'gateways of one pool may send from the addresses of another',
    file: 'packages/openstack/ports/gateway-pairs.ts',
    find: 'const its = [...given.values(), ...more].filter((own) => own.pool === pool);',
    replace: 'const its = [...given.values(), ...more];',
    foundBy: { unit: 'packages/openstack/ports/neutron-addresses.test.ts' },
  },
  {
    name: 'the tags that others put on a port are lost',
    file: 'packages/openstack/ports/owner.ts',
    find: 'return missing.length === 0 ? undefined : [...tags, ...missing];',
    replace: 'return missing.length === 0 ? undefined : missing;',
    foundBy: { unit: 'packages/openstack/ports/neutron-ports.test.ts' },
  },
  {
    name: 'a resource is deleted whatever became of it since it was read',
    file: 'packages/openstack/client/api/resource-api.ts',
    find: 'await this.send({ ...about, ...conditionOf(options) }, options);',
    replace: 'await this.send(about, options);',
    foundBy: { unit: 'packages/openstack/ports/neutron-ports.test.ts' },
  },
  {
    name: 'a port that got another fixed address is as it was given',
    file: 'packages/openstack/ports/assignments.ts',
    find: `const isSame = ({ port: { id }, address, fixedAddress }: OwnPort) => {
    const now = found.get(id);
    if (now?.address !== address || now.fixedAddress !== fixedAddress) return false;`,
    replace: `const isSame = ({ port: { id }, address }: OwnPort) => {
    const now = found.get(id);
    if (now?.address !== address) return false;`,
    foundBy: { unit: 'packages/openstack/ports/neutron-addresses.test.ts' },
  },
  {
    name: 'ports that could not be given back are forgotten',
    file: 'packages/openstack/ports/provider.ts',
    find: `        for (const [id, begun] of unwanted) this.#begun.set(id, begun);
`,
    replace: '',
    foundBy: { unit: 'packages/openstack/ports/neutron-addresses.test.ts' },
  },
  {
    name: 'a password that was refused is tried again at once',
    file: 'packages/openstack/client/keystone/keystone.ts',
    find: "const isRefused = ['unauthorized', 'not-found'].includes(problemIn(error) ?? '');",
    replace: "const isRefused = ['unauthorized'].includes(problemIn(error) ?? '');",
    foundBy: { unit: 'packages/openstack/client/keystone' },
  },
  {
    name: 'of several regions the first is taken',
    file: 'packages/openstack/client/keystone/catalog.ts',
    find: 'if (new Set(fitting.map(regionOf)).size > 1) {',
    replace: 'if (new Set(fitting.map(regionOf)).size > 2) {',
    foundBy: { unit: 'packages/openstack/client/keystone' },
  },
];
