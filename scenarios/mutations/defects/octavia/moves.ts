import type { Defect } from '../../defect.ts';

const HOME = 'packages/openstack/octavia';
const REACH = { unit: `${HOME}/reach.test.ts` } as const;
const REACH_RESTART = { unit: `${HOME}/reach-restart.test.ts` } as const;
const TENANTS = { unit: `${HOME}/tenants.test.ts` } as const;
const THREE_SHARERS = { unit: `${HOME}/three-sharers.test.ts` } as const;
const PORTS = { unit: `${HOME}/ports.test.ts` } as const;
const IN_ERROR = { unit: `${HOME}/in-error.test.ts` } as const;
const ADOPTING = { unit: `${HOME}/adopting-tenants.test.ts` } as const;
const SECURITY_GROUPS = { unit: `${HOME}/drivers/security-groups.test.ts` } as const;

/** In what becomes of Services that move, are refused, or ask for more than others. */
export const octaviaMoveDefects: readonly Defect[] = [
  {
    name: 'a floating IP stays when the heir that it was handed to moves on before it has the rest',
    file: `${HOME}/balancer/removal.ts`,
    find: '[...takenBack(owner, tree, left.floatingIps), ',
    replace: '[',
    foundBy: THREE_SHARERS,
  },
  {
    name: 'a floating IP that is to be kept goes when its Service moves to another load balancer',
    file: `${HOME}/handlers/loadbalancer-handler.ts`,
    find: 'planRemoval(desired.owner, keepsFloatingIps, ',
    replace: 'planRemoval(desired.owner, false, ',
    foundBy: THREE_SHARERS,
  },
  {
    name: 'a Service that is held does not say why, though its resource does',
    file: `${HOME}/handlers/service-handler.ts`,
    find: 'await this.#tellHeld(claim, obstacleTold(resource), signal);',
    replace: '',
    foundBy: IN_ERROR,
  },
  {
    name: 'a Service that is held, and has no resource any more, does not say why',
    file: `${HOME}/handlers/service-handler.ts`,
    find: 'await this.#tellHeld(claim, obstacle, signal);',
    replace: '',
    foundBy: IN_ERROR,
  },
  {
    name: 'a Service whose resource is held says that its load balancer is being made',
    file: `${HOME}/handlers/service-handler.ts`,
    find: 'return obstacleTold(resource) && resource;',
    replace: 'return undefined;',
    foundBy: IN_ERROR,
  },
  {
    name: 'a Service that leaves says what its resource said of it before',
    file: `${HOME}/handlers/obstacle.ts`,
    find: ' || told?.message.startsWith(HELD) !== true',
    replace: ' || told === undefined',
    foundBy: IN_ERROR,
  },
  {
    name: 'a Service shows the address of a load balancer, and is reached from there alone, before it is served there',
    file: `${HOME}/handlers/resource-status.ts`,
    find: 'servedElsewhere(resource, foundIn(resource, desired, observed))',
    replace: 'foundIn(resource, desired, observed)',
    foundBy: REACH,
  },
  {
    name: 'rules are opened before Octavia has made the load balancer, which it may refuse',
    file: `${HOME}/handlers/loadbalancer-handler.ts`,
    find: 'observed.serving === undefined || (await reach.open(key, resource, fitting, observed, signal));',
    replace: 'await reach.open(key, resource, fitting, observed, signal);',
    foundBy: REACH,
  },
  {
    name: 'a rule for a Service that is refused is not made again',
    file: `${HOME}/handlers/loadbalancer-handler.ts`,
    find: 'if (isRefused && !(await this.#options.reach.keep(key, desired.owner, signal))) return MORE_RULES;',
    replace: '',
    foundBy: REACH,
  },
  {
    name: 'rules stay for a Service that is refused, and are made again, though its load balancer is gone',
    file: `${HOME}/handlers/member-reach.ts`,
    find: 'this.#securityGroups.want(key, rules);',
    replace: 'if (rules.length > 0) this.#securityGroups.want(key, rules);',
    foundBy: REACH,
  },
  {
    name: 'a Service that is refused has the members of others admitted on its load balancer',
    file: `${HOME}/handlers/member-reach.ts`,
    find: '.filter((member) => isOwn(member, owner))',
    replace: '',
    foundBy: REACH,
  },
  {
    name: 'no Service is served while Neutron does not tell of a subnet that one of them chose',
    file: `${HOME}/handlers/member-reach.ts`,
    find: "if (verdictOf(error) !== 'terminal') this.#securityGroups.wantUnknown(key);",
    replace: 'throw error;',
    foundBy: REACH,
  },
  {
    name: 'rules are taken for unused while it is not known whether a Service needs them',
    file: `${HOME}/drivers/security-groups.ts`,
    find: 'this.#unknown.size > 0 || this.#patienceForUnseen() > 0',
    replace: 'this.#patienceForUnseen() > 0',
    foundBy: REACH,
  },
  {
    name: 'a restart takes rules for unused before all Services have been looked at',
    file: `${HOME}/drivers/security-groups.ts`,
    find: ' || this.#patienceForUnseen() > 0',
    replace: '',
    foundBy: REACH_RESTART,
  },
  {
    name: 'a Service that can never be looked at keeps unused rules for ever',
    file: `${HOME}/drivers/security-groups.ts`,
    find: 'return Math.max(0, this.#waitsSince + PATIENCE_MILLISECONDS - now);',
    replace: 'return PATIENCE_MILLISECONDS;',
    foundBy: REACH_RESTART,
  },
  {
    name: 'a Service that cannot be looked at after a restart loses the rules that its status tells of',
    file: `${HOME}/handlers/member-reach.ts`,
    find: 'this.#securityGroups.wantAtLeast(key, await this.#rulesAsTold(resource, signal));',
    replace: 'this.#securityGroups.wantAtLeast(key, []);',
    foundBy: REACH_RESTART,
  },
  {
    name: 'all Services wait until the rules of one are made, however many they are',
    file: `${HOME}/drivers/security-groups.ts`,
    find: 'for (const [name, rule] of missing.slice(0, MOST_CHANGES_AT_ONCE)) {',
    replace: 'for (const [name, rule] of missing) {',
    foundBy: SECURITY_GROUPS,
  },
  {
    name: 'all Services wait until the rules of one are gone, however many they are',
    file: `${HOME}/drivers/security-groups.ts`,
    find: 'for (const [rule, ids] of ordered.slice(0, MOST_CHANGES_AT_ONCE)) {',
    replace: 'for (const [rule, ids] of ordered) {',
    foundBy: SECURITY_GROUPS,
  },
  {
    name: 'unused rules stay when the last Service that sweeps has taken its own away',
    file: `${HOME}/controller.ts`,
    find: 'sweeper.run(() => reach.sweep(signal), signal),',
    replace: '',
    foundBy: REACH_RESTART,
  },
  {
    name: 'unused rules that a leader left stay when no Service is left',
    file: `${HOME}/controller.ts`,
    find: '  sweepSoon();\n  health.started();',
    replace: '  health.started();',
    foundBy: REACH_RESTART,
  },
  {
    name: 'a sweep ends when it has taken some of the unused rules away',
    file: `${HOME}/drivers/security-groups.ts`,
    find: 'return this.#isSwept || this.#unknown.size > 0 ? undefined : this.#patienceForUnseen();',
    replace: 'return this.#unseen.size === 0 ? undefined : this.#patienceForUnseen();',
    foundBy: REACH_RESTART,
  },
  {
    name: 'a sweep that has waited for who cannot be looked at is not made again',
    file: `${HOME}/drivers/security-groups.ts`,
    find: 'return this.#isSwept || this.#unknown.size > 0 ? undefined : this.#patienceForUnseen();',
    replace: 'return this.#isSwept || this.#unknown.size > 0 || this.#unseen.size > 0 ? undefined : 0;',
    foundBy: REACH_RESTART,
  },
  {
    name: 'a sweep that fails is taken for one that was made',
    file: `${HOME}/drivers/security-groups.ts`,
    find: '// Who asked for it tries again.\n      this.#doubt();',
    replace: '',
    foundBy: REACH_RESTART,
  },
  {
    name: 'a VIP is put on the port of a user that the load balancer of another Service has',
    file: `${HOME}/balancer/user-port.ts`,
    find: 'if (balancer !== undefined) return `the load balancer ${balancer.id} has`;',
    replace: '',
    foundBy: PORTS,
  },
  {
    name: 'a VIP is put on the port of a user whose load balancer is being made anew',
    file: `${HOME}/balancer/user-port.ts`,
    find: "floatingIps.some(isOfAnother) ? 'has the floating IP of another' : undefined",
    replace: 'floatingIps.every(isOfAnother) ? undefined : undefined',
    foundBy: PORTS,
  },
  {
    name: 'a VIP is put on a port that another program calls its own without an id',
    file: `${HOME}/balancer/user-port.ts`,
    find: "device_id !== '' || device_owner !== ''",
    replace: "device_id !== ''",
    foundBy: PORTS,
  },
  {
    name: 'a load balancer of another cluster is taken over by a ClusterIP that a tenant chose',
    file: `${HOME}/balancer/cloud.ts`,
    find: 'if (readMark(one) !== undefined || isElsewhere) continue;',
    replace: 'if (readMark(one) !== undefined) continue;',
    foundBy: ADOPTING,
  },
  {
    name: 'a second VIP takes the address of the gateway of its subnet',
    file: `${HOME}/balancer/plan.ts`,
    find: '[vip.address, ...vip.additional.map(({ ip_address }) => ip_address)]',
    replace: '[vip.address]',
    foundBy: TENANTS,
  },
  {
    name: 'a name that the resource cannot have is tried for ever',
    file: `${HOME}/handlers/service-refusals.ts`,
    find: '[...own, ...OTHER_NAMES].filter(',
    replace: 'own.filter(',
    foundBy: TENANTS,
  },
  {
    name: 'a number that Octavia cannot keep is tried for ever',
    file: `${HOME}/handlers/annotations.ts`,
    find: 'number >= least && number <= most',
    replace: 'number >= least',
    foundBy: TENANTS,
  },
  {
    name: 'a provider is chosen that the operator leaves to no Service',
    file: `${HOME}/handlers/annotations.ts`,
    find: '[PREFIX + name, KURYR_PREFIX + name, `fairlead.dev/${name}`]',
    replace: '[PREFIX + name, KURYR_PREFIX + name]',
    foundBy: TENANTS,
  },
];
