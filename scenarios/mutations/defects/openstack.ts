import type { Defect } from '../defect.ts';

const CLIENT = 'packages/openstack/client';
const PORTS = 'packages/openstack/ports';
const keystone = { unit: `${CLIENT}/keystone` };
const neutron = { unit: `${CLIENT}/neutron` };
const ports = { unit: PORTS };
const takenAway = { unit: `${PORTS}/taken-away` };
const named = { unit: `${PORTS}/named` };
const adoption = { unit: `${PORTS}/adoption` };

export const openStackDefects: readonly Defect[] = [
  {
    name: 'a token of OpenStack is renewed by every caller',
    file: 'packages/cloud/tokens.ts',
    find: 'this.#loading ??= this.#load()',
    replace: 'this.#loading = this.#load()',
    foundBy: keystone,
  },
  {
    name: 'a wrong password is tried by every caller, until Keystone locks the user',
    file: `${CLIENT}/keystone/keystone.ts`,
    find: 'if (refused !== undefined && this.#options.clock.monotonic() < refused.until) throw refused.error;',
    replace: 'void refused;',
    foundBy: keystone,
  },
  {
    name: 'a port looks gone when Keystone is not found',
    file: `${CLIENT}/keystone/keystone.ts`,
    find: 'const refusal = await this.#refusal(error, signal);',
    replace:
      "if (problemIn(error) === 'not-found') throw error;\n      const refusal = await this.#refusal(error, signal);",
    foundBy: keystone,
  },
  {
    name: 'a page is left out of a list of OpenStack',
    file: `${CLIENT}/api/resource-api.ts`,
    find: 'if (!page.hasMore || marker === undefined)',
    replace: 'if (found.size > 2 || !page.hasMore || marker === undefined)',
    foundBy: neutron,
  },
  {
    name: 'a creation in OpenStack is repeated after a lost answer',
    file: `${CLIENT}/api/session.ts`,
    find: "call.method === 'POST'",
    replace: 'false',
    foundBy: neutron,
  },
  {
    name: 'a change in OpenStack overwrites what was written since it was read',
    file: `${CLIENT}/api/resource-api.ts`,
    find: "{ headers: { 'if-match': `revision_number=${revision}` } }",
    replace: '{}',
    foundBy: neutron,
  },
  {
    name: 'a path that Neutron does not have counts as an object that is gone',
    file: `${CLIENT}/api/errors.ts`,
    find: " || type === 'HTTPNotFound'",
    replace: '',
    foundBy: neutron,
  },
  {
    name: 'reads go on while OpenStack throttles writes',
    file: `${CLIENT}/api/dialect.ts`,
    find: "side: () => 'requests'",
    replace: 'side: (verb) => verb',
    foundBy: neutron,
  },
  {
    name: 'address pairs of others are overwritten instead of merged',
    file: `${PORTS}/plan.ts`,
    find: '[...port.allowed_address_pairs, ...missing',
    replace: '[...missing',
    foundBy: ports,
  },
  {
    name: 'a pair of another program is taken away with ours',
    file: `${PORTS}/address-pairs.ts`,
    find: '!addresses.has(address) || !isOwn(port, pair)',
    replace: '!addresses.has(address)',
    foundBy: ports,
  },
  {
    name: 'a port without our mark is deleted',
    file: `${PORTS}/observed.ts`,
    find: 'isMarkedOurs(scope, port) ? poolOf(port) : naming',
    replace: 'poolOf(port) ?? naming',
    foundBy: ports,
  },
  {
    name: 'a port of another cluster counts as ours',
    file: `${PORTS}/owner.ts`,
    find: 'marks.every((mark) => isOurs(mark, scope))',
    replace: 'marks.some((mark) => mark.part === scope.part)',
    foundBy: ports,
  },
  {
    name: 'a floating IP of another port is taken',
    file: `${PORTS}/plan.ts`,
    find: 'one.port_id === null && one.floating_network_id === floating_network_id',
    replace: 'one.floating_network_id === floating_network_id',
    foundBy: ports,
  },
  {
    name: 'a floating IP of a user is deleted',
    file: `${PORTS}/plan.ts`,
    find: 'one.port_id === null && isMarkedOurs(scope, one))',
    replace: 'one.port_id === null && scope.part !== "")',
    foundBy: ports,
  },
  {
    name: 'a port is deleted while a Service uses it',
    file: `${PORTS}/plan.ts`,
    find: '!usedPortIds.has(port.id)',
    replace: 'usedPortIds.size >= 0 && port.id !== ""',
    foundBy: ports,
  },
  {
    name: 'a port that has no tags yet is not found again',
    file: `${PORTS}/owner.ts`,
    find: 'readOwnerText(description)].filter',
    replace: 'undefined].filter',
    foundBy: ports,
  },
  {
    name: 'a port is deleted while a gateway may still send from its address',
    file: `${PORTS}/plan.ts`,
    find: '...detachSteps(observed.ports, addresses, gatewayPortIds),',
    replace: '...(addresses.size < 0 ? detachSteps(observed.ports, addresses, gatewayPortIds) : []),',
    foundBy: ports,
  },
  {
    name: 'gateways may go on sending from the address of a port that another program deleted',
    file: `${PORTS}/provider.ts`,
    find: 'if (lost.length > 0) await this.#detach(new Set(lost), signal);',
    replace: '',
    foundBy: ports,
  },
  {
    name: 'a port that was begun is forgotten, and another one made',
    file: `${PORTS}/provider.ts`,
    find: 'this.#begun.set(id, { pool, family });',
    replace: '',
    foundBy: ports,
  },
  {
    name: 'a port whose creation was not answered is not looked for',
    file: `${PORTS}/provider.ts`,
    find: 'this.#mayHaveLost = true;\n      throw error;',
    replace: 'throw error;',
    foundBy: ports,
  },
  {
    name: 'floating IPs that a leader left without a port stay',
    file: `${PORTS}/provider.ts`,
    find: 'if (unwanted.length === 0 && !this.#hasSpare) return;',
    replace: 'if (unwanted.length === 0) return;',
    foundBy: ports,
  },
  {
    name: 'a port is given to a Service before it has its floating IP',
    file: `${PORTS}/provider.ts`,
    find: 'const asItIs = lacksFloatingIp(this.#pools.scope(), own) ? undefined : own;',
    replace: 'const asItIs = lacksFloatingIp(this.#pools.scope(), own) ? own : own;',
    foundBy: ports,
  },
  {
    name: 'ports are made although the Lease may end before the call does',
    file: `${PORTS}/address-cloud.ts`,
    find: 'leadership === undefined ? {}',
    replace: 'leadership !== undefined ? {}',
    foundBy: ports,
  },
  {
    name: 'the address of a port that another program deleted goes to another Service',
    file: 'packages/gateway/controller/addresses/supply-worker.ts',
    find: 'if (allocator.replaces(made)) return startOver();',
    replace: 'void startOver;',
    foundBy: takenAway,
  },
  {
    name: 'a port that a user made is given back, and not used again',
    file: 'packages/gateway/controller/addresses/allocation.ts',
    find: '!l2Port.stays && !this.isUsed(l2Port)',
    replace: '!this.isUsed(l2Port)',
    foundBy: named,
  },
  {
    name: 'a port that a user made gets our tags',
    file: `${PORTS}/plan.ts`,
    find: 'if (own.isOfUser) return undefined;',
    replace: '',
    foundBy: named,
  },
  {
    name: 'a port is adopted that ch-k8s-lbaas never made',
    file: `${PORTS}/owner.ts`,
    find: ' && marked.tags.includes(FORMER_TAG)',
    replace: '',
    foundBy: adoption,
  },
  {
    name: 'a port of another cluster is adopted because an annotation names it',
    file: `${PORTS}/plan.ts`,
    find: ' && isFormer(port) && isShown(port)',
    replace: ' && isFormer(port)',
    foundBy: adoption,
  },
  {
    name: 'the floating IP of an adopted port is left behind',
    file: `${PORTS}/plan.ts`,
    find: ' && !isFormer(floatingIp)',
    replace: '',
    foundBy: adoption,
  },
  {
    name: 'a port of ours that was lost sight of stays until there is another leader',
    file: 'packages/openstack/ports/as-given.ts',
    find: '!given.isKnown(id) || (stays && !given.isGiven(id))',
    replace: 'stays && !given.isGiven(id)',
    foundBy: { unit: 'packages/openstack/ports/taken-away' },
  },
];
