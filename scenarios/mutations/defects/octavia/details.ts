import type { Defect } from '../../defect.ts';

const HOME = 'packages/openstack/octavia';
const FIELDS = { unit: `${HOME}/handlers/service-fields.test.ts` } as const;
const STATUS = { unit: `${HOME}/handlers/resource-status.test.ts` } as const;
const DESIRED = { unit: `${HOME}/balancer/desired.test.ts` } as const;
const SITE = { unit: `${HOME}/drivers/read-site.test.ts` } as const;
const GROUPS = { unit: `${HOME}/drivers/security-groups.test.ts` } as const;

/** In the single values that are read, said or compared. */
export const octaviaDetailDefects: readonly Defect[] = [
  {
    name: 'what was refused before another attempt waits on as if there had been none',
    file: `${HOME}/handlers/waiting/parked.ts`,
    find: '      this.#parked.delete(key);\n      return undefined;',
    replace: '      return undefined;',
    foundBy: { unit: `${HOME}/handlers/waiting/parked.test.ts` },
  },
  {
    name: 'another flavor is left out in silence',
    file: `${HOME}/balancer/plan.ts`,
    find: "    ['flavor', flavorId, there.flavor_id],\n",
    replace: '',
    foundBy: { unit: `${HOME}/put-right.test.ts` },
  },
  {
    name: 'the floating IP of a load balancer that was made twice goes with the second',
    file: `${HOME}/balancer/cloud.ts`,
    find: '[...all].filter((id) => id !== serving.vip_port_id)',
    replace: '[...all]',
    foundBy: { unit: `${HOME}/put-right.test.ts` },
  },
  {
    name: 'the port of a VIP is made before it is known that Octavia has not the provider',
    file: `${HOME}/balancer/require-known.ts`,
    find: 'if (provider !== undefined && !(await lbaas.hasProvider(provider, signal))) {',
    replace: 'if (provider !== undefined && provider !== desired.provider) {',
    foundBy: { unit: `${HOME}/refused.test.ts` },
  },
  {
    name: 'the port of a VIP is made before it is known that Octavia has not the availability zone',
    file: `${HOME}/balancer/require-known.ts`,
    find: 'if (availabilityZone !== undefined && !(await lbaas.hasAvailabilityZone(availabilityZone, signal))) {',
    replace: 'if (availabilityZone !== undefined && availabilityZone !== desired.availabilityZone) {',
    foundBy: { unit: `${HOME}/refused.test.ts` },
  },
  {
    name: 'a load balancer is to be in a zone that is switched off',
    file: `${HOME}/drivers/octavia-driver.ts`,
    find: 'zone.enabled && zone.name === name',
    replace: 'zone.name === name',
    foundBy: { unit: `${HOME}/drivers/octavia-driver.test.ts` },
  },
  {
    name: 'a member of a user loses the address at which its health is asked',
    file: `${HOME}/balancer/requests.ts`,
    find: '    ...(monitor_address === undefined ? {} : { monitor_address }),\n',
    replace: '',
    foundBy: { unit: `${HOME}/balancer/tree-steps.test.ts` },
  },
  {
    name: 'a floating IP is taken from another port',
    file: `${HOME}/balancer/floating-ips.ts`,
    find: 'chosen.port_id !== null || isMarked',
    replace: 'isMarked',
    foundBy: { unit: `${HOME}/balancer/floating-ips.test.ts` },
  },
  {
    name: 'a rule that admits a security group is taken for one that admits everybody',
    file: `${HOME}/drivers/security-groups.ts`,
    find: 'rule.remote_ip_prefix ?? group ?? EVERYWHERE',
    replace: 'rule.remote_ip_prefix ?? EVERYWHERE',
    foundBy: GROUPS,
  },
  {
    name: 'rules that were read before a suspicion are believed after it',
    file: `${HOME}/drivers/security-groups.ts`,
    find: 'if (suspicions === this.#suspicions) this.#found',
    replace: 'this.#found',
    foundBy: GROUPS,
  },
  {
    name: 'what changed under our hands is told as a failure',
    file: `${HOME}/handlers/resource-status.ts`,
    find: "  if (verdictOf(error) === 'stale') return [];\n",
    replace: '',
    foundBy: STATUS,
  },
  {
    name: 'the members of a load balancer are not told while Octavia is at a change of it',
    file: `${HOME}/handlers/resource-status.ts`,
    find: '    ...(members === undefined ? {} : { members }),\n',
    replace: '',
    foundBy: STATUS,
  },
  {
    name: 'a health monitor waits longer for an answer than until it asks again',
    file: `${HOME}/handlers/service-fields.ts`,
    find: 'timeout > delay || ',
    replace: '',
    foundBy: { unit: `${HOME}/golden.test.ts` },
  },
  {
    name: 'every Octavia is thought to know version 2 of the PROXY protocol',
    file: `${HOME}/drivers/capabilities.ts`,
    find: "table.layer7 && features.has('proxyv2')",
    replace: 'table.layer7',
    foundBy: FIELDS,
  },
  {
    name: 'every Octavia is thought to have second VIPs',
    file: `${HOME}/drivers/capabilities.ts`,
    find: "table.additionalVips && features.has('additional-vips')",
    replace: 'table.additionalVips',
    foundBy: FIELDS,
  },
  {
    name: 'a pool that has lost its listener is left on a load balancer of another',
    file: `${HOME}/drivers/octavia-driver.ts`,
    find: 'carrying(tags, [...listeners, ...pools])',
    replace: 'carrying(tags, [...listeners])',
    foundBy: { unit: `${HOME}/drivers/octavia-driver.test.ts` },
  },
  {
    name: 'load balancers that no Service stands behind go all at once',
    file: `${HOME}/controller.ts`,
    find: 'guard.allow(leftovers, there.size, begunAt)',
    replace: 'leftovers',
    foundBy: { unit: `${HOME}/comparison.test.ts` },
  },
  {
    name: 'an address that is shown as a host name is not known again',
    file: `${HOME}/handlers/inheritance.ts`,
    find: 'return [...shownAddresses(service), ...named];',
    replace: 'return shownAddresses(service);',
    foundBy: { unit: `${HOME}/handlers/inheritance.test.ts` },
  },
  {
    name: 'the floating subnet of a class is left out',
    file: `${HOME}/drivers/read-site.ts`,
    find: '{ floatingSubnetId: (await subnet(section.floatingSubnet, key)).id }',
    replace: '{}',
    foundBy: SITE,
  },
  {
    name: 'the member subnet of a class is left out',
    file: `${HOME}/drivers/read-site.ts`,
    find: '{ memberSubnetId: (await subnet(section.memberSubnet, key)).id }',
    replace: '{}',
    foundBy: SITE,
  },
  {
    name: 'nodes are healthy by whatever they answer',
    file: `${HOME}/balancer/desired.ts`,
    find: "expected_codes: '200'",
    replace: "expected_codes: '200-599'",
    foundBy: DESIRED,
  },
  {
    name: 'the health of UDP members is asked by another protocol',
    file: `${HOME}/balancer/desired.ts`,
    find: "'UDP-CONNECT'",
    replace: "'PING'",
    foundBy: DESIRED,
  },
  {
    name: 'a load balancer in ERROR is to get our mark before it goes',
    file: `${HOME}/handlers/takedown.ts`,
    find: "...marking.filter(({ kind }) => kind !== 'update-load-balancer'),",
    replace: '...marking,',
    foundBy: { unit: `${HOME}/adoption.test.ts` },
  },
  {
    name: 'health monitors by HTTP for UDP are asked of an Octavia that has none',
    file: 'packages/openstack/client/octavia/features.ts',
    find: "['udp-http-monitors', 16]",
    replace: "['udp-http-monitors', 15]",
    foundBy: { unit: 'packages/openstack/client/octavia/features.test.ts' },
  },
  {
    name: 'what is taken over loses the tags that it has',
    file: `${HOME}/balancer/tree-steps.ts`,
    find: 'tags: [...part.tags, ...tagsOf(owner)]',
    replace: 'tags: tagsOf(owner)',
    foundBy: { unit: `${HOME}/adoption.test.ts` },
  },
];
