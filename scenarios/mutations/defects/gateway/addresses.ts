import type { Defect } from '../../defect.ts';

const FOLDER = 'packages/gateway/controller';
const reconciler = { unit: `${FOLDER}/reconciler` };
const allocation = { unit: `${FOLDER}/addresses/allocation` };
const programmed = { unit: `${FOLDER}/programmed` };
const supply = { unit: `${FOLDER}/addresses/supply` };
const pools = { unit: `${FOLDER}/pools` };

export const gatewayAddressDefects: readonly Defect[] = [
  {
    name: 'a forged record gets its Service onto an address that another has to itself',
    file: `${FOLDER}/snapshot.ts`,
    find: `  await keepAlone();
  const records`,
    replace: '  const records',
    foundBy: reconciler,
  },
  {
    name: 'nothing that the status shows is restored',
    file: `${FOLDER}/snapshot.ts`,
    find: 'if (shown !== undefined) allocator.reserve(key, shown);',
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
    name: 'the youngest waiting Service is served first',
    file: `${FOLDER}/addresses/waiting-services.ts`,
    find: '(left.age < right.age ? -1 : 1)',
    replace: '(left.age < right.age ? 1 : -1)',
    foundBy: allocation,
  },
  {
    name: 'an exclusive Service shares its address after a restart',
    file: `${FOLDER}/snapshot.ts`,
    find: 'if (wantsAlone(service)) allocator.keepAlone(key);',
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
    find: "for (const search of ['free', SHARED]) this.#places.lower(l2Port, `${search} ${l4PortText(l4Port)}`);",
    replace: '',
    foundBy: allocation,
  },
  {
    name: 'an address that all left is not found by those that want it alone',
    file: `${FOLDER}/addresses/occupancy.ts`,
    find: 'if (tenants.size === 0) this.#places.lower(l2Port, ALONE);',
    replace: '',
    foundBy: { unit: `${FOLDER}/addresses/waiting-services` },
  },
  {
    name: 'an address that was kept alone is not found by those that share',
    file: `${FOLDER}/addresses/occupancy.ts`,
    find: 'if (before === true && exclusiveTenants === 0) this.#places.lowerAll(l2Port, SHARED);',
    replace: '',
    foundBy: { unit: `${FOLDER}/addresses/waiting-services` },
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
    name: 'an address outside the pool is held for ever',
    file: `${FOLDER}/withdrawal-brake.ts`,
    find: ' && this.#clock.monotonic() < this.#until',
    replace: '',
    foundBy: reconciler,
  },
  {
    name: 'an edit that cannot be honoured takes the address from its gateways',
    file: `${FOLDER}/outcome.ts`,
    find: 'if (kept !== undefined) {',
    replace: 'if (kept === null) {',
    foundBy: programmed,
  },
  {
    name: 'a namespace uses a pool that it may not',
    file: `${FOLDER}/pools.ts`,
    find: 'return namespaces === undefined || namespaces.includes(namespace);',
    replace: 'return namespaces === undefined || namespaces.length > 0;',
    foundBy: pools,
  },
  {
    name: 'a pool is used automatically although it is kept from that',
    file: `${FOLDER}/pools.ts`,
    find: 'pools.filter((pool) => pool.automatic && isPermitted(service, pool))',
    replace: 'pools.filter((pool) => isPermitted(service, pool))',
    foundBy: pools,
  },
  {
    name: 'a Service stays on a pool that it may not use any more',
    file: `${FOLDER}/addresses/allocation.ts`,
    find: 'permittedPools.includes(pool) && this.#known.byId(id) !== undefined',
    replace: 'this.#known.byId(id) !== undefined',
    foundBy: allocation,
  },
  {
    name: 'an address is given back while a gateway serves it',
    file: `${FOLDER}/addresses/supply-worker.ts`,
    find: 'if (!isQuiet()) return;',
    replace: '',
    foundBy: supply,
  },
  {
    name: 'all that wait are searched for whenever one Service changes',
    file: `${FOLDER}/addresses/supply-worker.ts`,
    find: 'if (!allocator.mayNeedAnother(service)) continue;',
    replace: '',
    foundBy: supply,
  },
  {
    name: 'unused addresses that are held back stay until something else happens',
    file: `${FOLDER}/addresses/supply-worker.ts`,
    find: 'if (guard.heldCount > 0) void this.#cleanLater();',
    replace: '',
    foundBy: supply,
  },
  {
    name: 'unused addresses do not go when an operator releases them',
    file: `${FOLDER}/controller.ts`,
    find: 'environment.releases?.onRelease(() => worker.clean(), environment.signal);',
    replace: '',
    foundBy: supply,
  },
  {
    name: 'a pools file that cannot be used takes the pools away',
    file: `${FOLDER}/pool-source.ts`,
    find: "logger.warn({ code: codeOf(error), error: messageOf(error) }, 'the pools are not read anew');",
    replace: 'return [];',
    foundBy: { unit: `${FOLDER}/pool-source` },
  },
  {
    name: 'a change of the pools goes unnoticed',
    file: `${FOLDER}/pool-source.ts`,
    find: 'if (JSON.stringify(found) !== JSON.stringify(current)) return found;',
    replace: '',
    foundBy: { unit: `${FOLDER}/pool-source` },
  },
];
