import type { Defect } from '../defect.ts';

const FOLDER = 'packages/gateway/controller';
const reconciler = { unit: `${FOLDER}/reconciler` };
const allocation = { unit: `${FOLDER}/addresses/allocation` };
const golden = { unit: `${FOLDER}/golden` };

export const gatewayDefects: readonly Defect[] = [
  {
    name: 'a forged record gets its Service onto an address that another has to itself',
    file: `${FOLDER}/snapshot.ts`,
    find: `  keepAlone();
  const records`,
    replace: '  const records',
    foundBy: reconciler,
  },
  {
    name: 'nothing that the status shows is restored',
    file: `${FOLDER}/snapshot.ts`,
    find: 'for (const { key, shown } of seen) if (shown !== undefined) allocator.reserve(key, shown);',
    replace: '',
    foundBy: reconciler,
  },
  {
    name: 'a contested record is honoured',
    file: `${FOLDER}/snapshot.ts`,
    find: '!contested(recorded) && allocator.isUncontested(key, recorded)',
    replace: 'true',
    foundBy: reconciler,
  },
  {
    name: 'two records that claim the same are both honoured',
    file: `${FOLDER}/snapshot.ts`,
    find: '!contested(recorded) && ',
    replace: '',
    foundBy: reconciler,
  },
  {
    name: 'no record is honoured at all',
    file: `${FOLDER}/snapshot.ts`,
    find: '!contested(recorded) && allocator.isUncontested(key, recorded)',
    replace: 'false',
    foundBy: reconciler,
  },
  {
    name: 'an ignored record is told to nobody',
    file: `${FOLDER}/controller.ts`,
    find: 'for (const key of snapshot.ignoredRecords) tellIgnored(key, cache.get(key), environment);',
    replace: '',
    foundBy: reconciler,
  },
  {
    name: 'the youngest waiting Service is served first',
    file: `${FOLDER}/addresses/waiting-services.ts`,
    find: '(left.age < right.age ? -1 : 1)',
    replace: '(left.age < right.age ? 1 : -1)',
    foundBy: allocation,
  },
  {
    name: 'a waiting Service is never woken',
    file: `${FOLDER}/reconciler.ts`,
    find: 'for (const served of this.#allocator.settle(key)) this.#requeue(served);',
    replace: 'this.#allocator.settle(key);',
    foundBy: reconciler,
  },
  {
    name: 'the brake is ignored by the reconciler',
    file: `${FOLDER}/reconciler.ts`,
    find: 'if (this.#brake.holds(key, outcome)) return;',
    replace: '',
    foundBy: reconciler,
  },
  {
    name: 'what the brake held back is never released',
    file: `${FOLDER}/controller.ts`,
    find: 'for (const key of held) controller.add(key);',
    replace: '',
    foundBy: reconciler,
  },
  {
    name: 'an exclusive Service shares its address after a restart',
    file: `${FOLDER}/snapshot.ts`,
    find: 'for (const { key, service } of seen) if (wantsAlone(service)) allocator.keepAlone(key);',
    replace: '',
    foundBy: reconciler,
  },
  {
    name: 'an exclusive Service gets an address that others are on',
    file: `${FOLDER}/addresses/occupancy.ts`,
    find: 'if (exclusive) return tenants.size === (own === undefined ? 0 : 1);',
    replace: '',
    foundBy: allocation,
  },
  {
    name: 'a port is given twice',
    file: `${FOLDER}/addresses/occupancy.ts`,
    find: 'return holder === asking ? undefined : holder;',
    replace: 'return undefined;',
    foundBy: allocation,
  },
  {
    name: 'what a Service gave up is free at once',
    file: `${FOLDER}/addresses/occupancy.ts`,
    find: 'if (before !== undefined) this.reserve(service, before);',
    replace: 'if (before !== undefined) { this.reserve(service, before); this.settle(service); }',
    foundBy: allocation,
  },
  {
    name: 'a freed address is not found again',
    file: `${FOLDER}/addresses/occupancy.ts`,
    find: 'this.#searchFrom.set(search, Math.min(this.#searchFrom.get(search) ?? 0, this.#pool.placeOf(l2Port)));',
    replace: '',
    foundBy: allocation,
  },
  {
    name: 'the limit of addresses is off by one',
    file: `${FOLDER}/addresses/namespace-use.ts`,
    find: 'othersOf(uses.get(thing), service, l2Port.id) >= limit',
    replace: 'othersOf(uses.get(thing), service, l2Port.id) > limit',
    foundBy: allocation,
  },
  {
    name: 'an edit that cannot be honoured takes the address away',
    file: `${FOLDER}/addresses/allocation.ts`,
    find: 'if (l2Ports.length === 0 || l4Ports.length === 0) return undefined;',
    replace: 'return undefined;',
    foundBy: allocation,
  },
  {
    name: 'the status is published without its ports',
    file: `${FOLDER}/plan.ts`,
    find: "return { address: l2Port.address, mode: 'VIP', ports };",
    replace: "return { address: l2Port.address, mode: 'VIP' };",
    foundBy: golden,
  },
  {
    name: 'a port that another has is shown as served',
    file: `${FOLDER}/plan.ts`,
    find: "...(isServed ? {} : { error: 'fairlead.dev/PortTaken' as const })",
    replace: '',
    foundBy: golden,
  },
  {
    name: 'the record of a refused Service goes before its status is withdrawn',
    file: `${FOLDER}/plan.ts`,
    find: '        ...holdWrites(outcome.claim),\n        ...statusWrites(outcome.claim, status, clock),',
    replace:
      '        ...holdWrites(outcome.claim, NOT_RECORDED),\n        ...statusWrites(outcome.claim, status, clock),',
    foundBy: golden,
  },
  {
    name: 'a Service with too many ports is taken apart',
    file: `${FOLDER}/desired.ts`,
    find: 'if (ports.length > MAXIMUM_PORTS) {',
    replace: 'if (ports.length > 1e9) {',
    foundBy: reconciler,
  },
  {
    name: 'the default class is ignored when running',
    file: `${FOLDER}/controller.ts`,
    find: 'const rules = claimRules(environment.defaultClass);',
    replace: 'const rules = claimRules(undefined);',
    foundBy: reconciler,
  },
  {
    name: 'a record that the API server refuses keeps its ports',
    file: `${FOLDER}/reconciler.ts`,
    find: "this.#allocator.release(key);\n    this.#outcomes.set(key, 'refuse');",
    replace: "this.#outcomes.set(key, 'refuse');",
    foundBy: reconciler,
  },
];
