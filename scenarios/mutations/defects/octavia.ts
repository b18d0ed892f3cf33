import type { Defect } from '../defect.ts';

const HOME = 'packages/openstack/octavia';
const BEHAVIOUR = { unit: `${HOME}/behaviour.test.ts` } as const;
const TREE = { unit: `${HOME}/balancer/tree-steps.test.ts` } as const;
const GOLDEN = { unit: `${HOME}/golden.test.ts` } as const;
const TENANTS = { unit: `${HOME}/tenants.test.ts` } as const;
const CONTROLLER = { unit: `${HOME}/controller.test.ts` } as const;

/** In the load balancers of Octavia. */
export const octaviaDefects: readonly Defect[] = [
  {
    name: 'members of a pool are sent without their subnet',
    file: `${HOME}/balancer/desired.ts`,
    find: '...(subnet_id === undefined ? {} : { subnet_id }),',
    replace: '',
    foundBy: TREE,
  },
  {
    name: 'a batch update of members drops those that a user has put there',
    file: `${HOME}/balancer/tree-steps.ts`,
    find: ', ...others.map(unchangedMember)]',
    replace: ']',
    foundBy: TREE,
  },
  {
    name: 'a member of a user is taken for one of ours that is left over',
    file: `${HOME}/balancer/tree-steps.ts`,
    find: 'there.some((member) => isOurs(member) && !isWanted(member))',
    replace: 'there.some((member) => !isWanted(member))',
    foundBy: TREE,
  },
  {
    name: 'a pool is left behind when its listener is made anew',
    file: `${HOME}/balancer/tree-steps.ts`,
    find: "...unused.map(({ id }): LbaasStep => ({ kind: 'delete-pool', id })),",
    replace: '',
    foundBy: TREE,
  },
  {
    name: 'the finalizers of a load balancer go before Octavia has deleted it',
    file: `${HOME}/handlers/takedown.ts`,
    find: 'if (step === undefined && plan.waitsFor !== undefined) return this.#waits.again(key);',
    replace: '',
    foundBy: { sim: 'octavia', seeds: 60 },
  },
  {
    name: 'the finalizer of a Service goes before its resource is gone',
    file: `${HOME}/handlers/service-handler.ts`,
    find: 'if (resource !== undefined && isOwnResource(resource)) {\n      await this.#delete(resource, signal);\n      return',
    replace:
      'if (resource !== undefined && isOwnResource(resource)) {\n      await this.#delete(resource, signal);\n      if (cached === undefined) return',
    foundBy: BEHAVIOUR,
  },
  {
    name: 'the status of a resource is believed, and OpenStack is not looked at',
    file: `${HOME}/handlers/loadbalancer-handler.ts`,
    find: 'this.#settled.get(key) === fingerprintOf(resource)',
    replace: 'resource.status?.loadbalancer?.id !== undefined',
    foundBy: CONTROLLER,
  },
  {
    name: 'the comparison with OpenStack believes what was found before',
    file: `${HOME}/handlers/loadbalancer-handler.ts`,
    find: 'this.#options.securityGroups.suspect();\n    this.#settled.delete(key);',
    replace: '',
    foundBy: BEHAVIOUR,
  },
  {
    name: 'what was found as it should be counts, although a pass has changed it since',
    file: `${HOME}/handlers/loadbalancer-handler.ts`,
    find: 'be it that the resource is then as it was.\n    this.#settled.delete(key);',
    replace: 'be it that the resource is then as it was.',
    foundBy: BEHAVIOUR,
  },
  {
    name: 'a load balancer that is PENDING is taken for one in ERROR',
    file: `${HOME}/balancer/plan.ts`,
    find: "if (state === 'error') {",
    replace: "if (state !== 'active') {",
    foundBy: BEHAVIOUR,
  },
  {
    name: 'a shared load balancer is deleted with its first Service',
    file: `${HOME}/balancer/removal.ts`,
    find: "const heir = state === 'active' ? heirOf(owner, tree) : undefined;",
    replace: 'const heir: Listener | undefined = undefined;',
    foundBy: BEHAVIOUR,
  },
  {
    name: 'a floating IP of the user is deleted with the Service that had it',
    file: `${HOME}/balancer/floating-ips.ts`,
    find: '    .filter((one) => isOwn(one, owner))\n    .map(',
    replace: '    .map(',
    foundBy: BEHAVIOUR,
  },
  {
    name: 'a floating IP that is to be kept is deleted',
    file: `${HOME}/balancer/floating-ips.ts`,
    find: "keep ? { kind: 'give-away-floating-ip', id: one.id, revision: one.revision_number } : removal(one)",
    replace: 'removal(one)',
    foundBy: BEHAVIOUR,
  },
  {
    name: 'the security group rules of a load balancer are left behind',
    file: `${HOME}/handlers/takedown.ts`,
    find: 'await this.#securityGroups.ensure(signal);\n        return undefined;',
    replace: 'return undefined;',
    foundBy: BEHAVIOUR,
  },
  {
    name: 'a security group rule that another Service needs is deleted',
    file: `${HOME}/drivers/security-groups.ts`,
    find: '[...this.#wanted.values()].flatMap((rules) => [...rules])',
    replace: '[...this.#wanted.values()].slice(-1).flatMap((rules) => [...rules])',
    foundBy: BEHAVIOUR,
  },
  {
    name: 'the ServiceHandler takes the endpoints of a resource from their handler',
    file: `${HOME}/resource/applied.ts`,
    find: 'return { metadata: metadataFor(service), spec: fields };',
    replace:
      'return { metadata: metadataFor(service), spec: { ...fields, endpointSlices: resource?.spec?.endpointSlices ?? [] } };',
    foundBy: BEHAVIOUR,
  },
  {
    name: 'a load balancer that ends in ERROR again and again is made anew without a pause',
    file: `${HOME}/handlers/loadbalancer-handler.ts`,
    find: 'if (now < notBefore) return { afterMilliseconds: notBefore - now };',
    replace: '',
    foundBy: BEHAVIOUR,
  },
  {
    name: 'a quota that is met is tried again as soon as it is told',
    file: `${HOME}/handlers/loadbalancer-handler.ts`,
    find: "if (!isQuota && verdictOf(error) !== 'terminal') return;",
    replace: "if (verdictOf(error) !== 'terminal') return;",
    foundBy: BEHAVIOUR,
  },
  {
    name: 'a load balancer that stays PENDING is looked at every second',
    file: `${HOME}/handlers/pending.ts`,
    find: 'afterMilliseconds: isStuck ? STUCK_MILLISECONDS : grown',
    replace: 'afterMilliseconds: FIRST_MILLISECONDS',
    foundBy: BEHAVIOUR,
  },
  {
    name: 'a load balancer is made beside one of the same name that is not ours',
    file: `${HOME}/balancer/cloud.ts`,
    find: 'named.find((one) => readMark(one) === undefined)',
    replace: 'named.find(() => false)',
    foundBy: BEHAVIOUR,
  },
  {
    name: 'a new load balancer carries no mark',
    file: `${HOME}/balancer/requests.ts`,
    find: '    name: owner.name,\n    ...markOf(owner),',
    replace: '    name: owner.name,',
    foundBy: CONTROLLER,
  },
  {
    name: 'what a Service annotates and is not known is left out in silence',
    file: `${HOME}/handlers/annotations.ts`,
    find: 'if (unknown.length > 0)',
    replace: 'if (unknown.length > 99)',
    foundBy: GOLDEN,
  },
  {
    name: 'source ranges that admit nobody of the family admit everybody',
    file: `${HOME}/handlers/service-fields.ts`,
    find: 'if (cidrs?.length === 0)',
    replace: 'if (cidrs?.length === 99)',
    foundBy: GOLDEN,
  },
  {
    name: 'slices of Services of other classes make resources',
    file: `${HOME}/handlers/endpoints-handler.ts`,
    find: "service === undefined || claimService(service, rules).state !== 'claimed'",
    replace: "service === undefined || claimService(service, rules).state === 'release'",
    foundBy: BEHAVIOUR,
  },
  {
    name: 'the comparison takes load balancers of living Services for leftovers',
    file: `${HOME}/controller.ts`,
    find: '[...there].filter((uid) => !living.has(uid))',
    replace: '[...there]',
    foundBy: CONTROLLER,
  },
  {
    name: 'a member in another spelling of its address is another one',
    file: `${HOME}/balancer/tree-steps.ts`,
    find: '${parseIpAddress(address)?.address ?? address} ${protocol_port}',
    replace: '${parseIpAddress(address) === undefined ? address : address} ${protocol_port}',
    foundBy: TREE,
  },
  {
    name: 'a Service shares the load balancer of a Service of another namespace',
    file: `${HOME}/balancer/plan.ts`,
    find: "if (relation === 'shared') requireSharable(owner, balancer);",
    replace: '',
    foundBy: TENANTS,
  },
  {
    name: 'a load balancer passes to a Service of another namespace',
    file: `${HOME}/balancer/removal.ts`,
    find: ' && namespaceOf(one) === namespaceOf(balancer);',
    replace: ';',
    foundBy: TENANTS,
  },
];
