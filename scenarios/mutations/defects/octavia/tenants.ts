import type { Defect } from '../../defect.ts';

const HOME = 'packages/openstack/octavia';
const REFUSED = { unit: `${HOME}/refused.test.ts` } as const;
const TENANTS = { unit: `${HOME}/tenants.test.ts` } as const;
const ADOPTING = { unit: `${HOME}/adopting-tenants.test.ts` } as const;
const COMPARISON = { unit: `${HOME}/comparison.test.ts` } as const;

/** In what holds Services apart: what one is refused, or has too much of, is nothing to others, nor to what it has. */
export const octaviaTenantDefects: readonly Defect[] = [
  {
    name: 'a Service that is refused loses its members when its port gets another name',
    file: `${HOME}/handlers/endpoint-fields.ts`,
    find: 'return byNumber ?? ofProtocol.find',
    replace: 'return ofProtocol.find',
    foundBy: REFUSED,
  },
  {
    name: 'a Service that is refused loses its members when its port gets another number',
    file: `${HOME}/handlers/endpoint-fields.ts`,
    find: 'return byNumber ?? ofProtocol.find(({ name }) => name === balanced.name);',
    replace: 'return byNumber;',
    foundBy: REFUSED,
  },
  {
    name: 'members are chosen by an annotation that the operator leaves to no Service',
    file: `${HOME}/handlers/endpoints-handler.ts`,
    find: 'asked(service, site) ??',
    replace: 'asked(service, { ...site, forbiddenAnnotations: [] }) ??',
    foundBy: REFUSED,
  },
  {
    name: 'a Service that is refused loses the members that it chose',
    file: `${HOME}/handlers/endpoints-handler.ts`,
    find: '{ members: site.members, ...resource?.spec }',
    replace: '{ members: site.members, ports: resource?.spec?.ports }',
    foundBy: REFUSED,
  },
  {
    name: 'a selector of nodes that is none is told to nobody',
    file: `${HOME}/handlers/service-fields.ts`,
    find: "parseNodeSelector(selector ?? '');",
    replace: '',
    foundBy: REFUSED,
  },
  {
    name: 'nodes are selected by labels that only JavaScript knows',
    file: `${HOME}/handlers/endpoint-fields.ts`,
    find: 'Object.hasOwn(labels, key)',
    replace: 'key in labels',
    foundBy: { unit: `${HOME}/put-right.test.ts` },
  },
  {
    name: 'something is made for a Service that names a subnet which does not exist',
    file: `${HOME}/balancer/require-known.ts`,
    find: '  await requireSubnets(desired, neutron, signal);\n',
    replace: '',
    foundBy: REFUSED,
  },
  {
    name: 'a network is left out in silence for a subnet of another',
    file: `${HOME}/balancer/plan.ts`,
    find: 'vip.networkId !== undefined && vip.networkId !== subnet.network_id',
    replace: 'subnet.network_id === undefined',
    foundBy: REFUSED,
  },
  {
    name: 'an address is left out in silence for a port that has another',
    file: `${HOME}/balancer/user-port.ts`,
    find: 'if (address === undefined || has.some((one) => one === address)) return;',
    replace: 'if (has.length > 0) return;',
    foundBy: REFUSED,
  },
  {
    name: 'the port of a Service is given to another while its load balancer is made anew',
    file: `${HOME}/balancer/user-port.ts`,
    find: "if (serviceUids.some((uid) => uid !== owner.uid)) return 'another Service has';",
    replace: '',
    foundBy: { unit: `${HOME}/ports.test.ts` },
  },
  {
    name: 'a pool of another that a listener leads to is taken for its own',
    file: `${HOME}/balancer/tree-steps.ts`,
    find: ' && (isOwn(current, owner) || isAdoptable(whole, balancer, current))) return current;',
    replace: ') return current;',
    foundBy: { unit: `${HOME}/balancer/tree-steps.test.ts` },
  },
  {
    name: 'an annotation that the operator forbids is honoured in the words of Kuryr',
    file: `${HOME}/handlers/annotations.ts`,
    find: '[PREFIX + name, KURYR_PREFIX + name, `fairlead.dev/${name}`]',
    replace: '[PREFIX + name, `fairlead.dev/${name}`]',
    foundBy: TENANTS,
  },
  {
    name: 'a load balancer of another cluster is taken down by a host name that begins with its address',
    file: `${HOME}/handlers/service-fields.ts`,
    find: '    forged(annotations, service, site),\n',
    replace: '',
    foundBy: ADOPTING,
  },
  {
    name: 'a load balancer of another cluster is taken down by its address in another network',
    file: `${HOME}/balancer/cloud.ts`,
    find: 'others.flat().filter(({ vip_address }) => vip_address === vip.address)',
    replace: 'others.flat().slice(0, 0)',
    foundBy: ADOPTING,
  },
  {
    name: 'a Service of many rules keeps its place until all of them are made',
    file: `${HOME}/drivers/security-groups.ts`,
    find: "return this.#groupIds.length === 0 || this.#lane.run('', () => this.#advance(key, signal), signal);",
    replace:
      "while (this.#groupIds.length > 0 && !(await this.#lane.run('', () => this.#advance(key, signal), signal)));\n    return true;",
    foundBy: TENANTS,
  },
  {
    name: 'a load balancer that takes no change is never told of',
    file: `${HOME}/handlers/loadbalancer-handler.ts`,
    find: 'return this.#wait(key, resource, fitting, observed, signal);\n      }',
    replace: 'return waits.again(key);\n      }',
    foundBy: { unit: `${HOME}/behaviour.test.ts` },
  },
  {
    name: 'what is left of one Service and cannot be taken down keeps all else from being compared',
    file: `${HOME}/controller.ts`,
    find: 'failures.push(error);',
    replace: 'throw error;',
    foundBy: COMPARISON,
  },
  {
    name: 'every load balancer is looked at as often as what is left of a Service',
    file: `${HOME}/controller.ts`,
    find: 'begunAt - lookedAt >= intervalMilliseconds / 2',
    replace: 'begunAt >= 0',
    foundBy: COMPARISON,
  },
  {
    name: 'a tenant has the load balancer of another cluster taken over by what it writes into a resource',
    file: `${HOME}/handlers/loadbalancer-handler.ts`,
    find: 'return desired && heldToShown(desired, services.get(key), site);',
    replace: 'return desired;',
    foundBy: { unit: `${HOME}/adopting-tenants.test.ts` },
  },
  {
    name: 'a tenant has the load balancer of another taken down by its UID in capitals',
    file: `${HOME}/drivers/octavia-driver.ts`,
    find: 'found.filter((one) => tags.every((tag) => one.tags.includes(tag)))',
    replace: 'tags.length === 0 ? [] : found',
    foundBy: { unit: `${HOME}/drivers/octavia-driver.test.ts` },
  },
  {
    name: 'the load balancer of another cluster is taken over by who shares it first, and so shows its address',
    file: `${HOME}/balancer/plan.ts`,
    find: '  requireUnmistakable(observed);\n  // Of one',
    replace: '  // Of one',
    foundBy: ADOPTING,
  },
  {
    name: 'only the load balancer that a Service shares is not taken over by its address',
    file: `${HOME}/balancer/cloud.ts`,
    find: 'return this.#adoptable({ ...adoption, adoptedNames: names, adoptedAddresses }, signal);',
    replace: 'return names.includes(balancer.name) ? balancer : undefined;',
    foundBy: ADOPTING,
  },
  {
    name: 'what was taken over is refused for the load balancer of another cluster that has its name and VIP',
    file: `${HOME}/balancer/cloud.ts`,
    find: "if (relation === 'adoptable' || isTakenOver) return",
    replace: "if (relation === 'adoptable') return",
    foundBy: { unit: `${HOME}/adoption.test.ts` },
  },
  {
    name: 'who shows a floating IP is refused for the VIP that it has behind it',
    file: `${HOME}/balancer/cloud.ts`,
    find: 'const first = isLed ? leading.map((one) => one.floating_ip_address) : [balancer.vip_address];',
    replace: 'const first = [...leading.map((one) => one.floating_ip_address), balancer.vip_address];',
    foundBy: { unit: `${HOME}/adoption.test.ts` },
  },
  {
    name: 'the load balancer of another cluster is taken over by who shares it, and so shows its floating IP',
    file: `${HOME}/balancer/cloud.ts`,
    find: 'isLed ? leading.map((one) => one.floating_ip_address) : [',
    replace: 'isLed ? [] : [',
    foundBy: ADOPTING,
  },
  {
    name: 'two Services that ask for the same port at the same moment both get it',
    file: `${HOME}/balancer/cloud.ts`,
    find: "return vip.kind === 'port' ? this.#ports.run(vip.portId, create, signal) : create();",
    replace: 'return create();',
    foundBy: { unit: `${HOME}/ports.test.ts` },
  },
];
