import type { Defect } from '../../defect.ts';

/** Thought of from the sources of `dns` alone, before any of its tests was looked at. */
export const dnsDefectsFromSources: readonly Defect[] = [
  {
    name: 'this cluster is preferred although it has no weight',
    file: 'packages/dns/zone/service-records.ts',
    find: 'const local = eligible.filter(({ isLocal }) => isLocal);',
    replace: 'const local = backed.filter(({ isLocal }) => isLocal);',
    foundBy: { unit: 'packages/dns/server/responder.test.ts' },
  },
  {
    name: 'an endpoint in two slices has the ports of one',
    file: 'packages/dns/zone/cluster-share.ts',
    find: 'known === undefined || known === own ? own : distinctPorts([...known, ...own])',
    replace: 'known === undefined ? own : distinctPorts(own)',
    foundBy: { unit: 'packages/dns/zone' },
  },
  {
    name: 'an address of two clusters is that of the last',
    file: 'packages/dns/zone/service-records.ts',
    find: 'for (const address of addressesOf(share, type)) if (!owned.has(address)) owned.set(address, { address, share });',
    replace: 'for (const address of addressesOf(share, type)) owned.set(address, { address, share });',
    foundBy: { unit: 'packages/dns/server/responder.test.ts' },
  },
  {
    name: 'a cluster without endpoints has SRV records',
    file: 'packages/dns/zone/service-records.ts',
    find: 'if (share.endpoints.length === 0 || !share.isNameable) continue;',
    replace: 'if (!share.isNameable) continue;',
    foundBy: { unit: 'packages/dns/zone' },
  },
  {
    name: 'each query that is forwarded counts as waiting for ever',
    file: 'packages/dns/server/forwarder.ts',
    find: '      this.#waiting -= 1;',
    replace: '',
    foundBy: { unit: 'packages/dns/server/forwarder.test.ts' },
  },
  {
    name: 'a name goes although there are names below it',
    file: 'packages/dns/zone/name-table.ts',
    find: 'if (entry.isSet || entry.children > 0) return;',
    replace: 'if (entry.isSet) return;',
    foundBy: { unit: 'packages/dns/server/responder.test.ts' },
  },
  {
    name: 'a cluster with older software and without slices is left out',
    file: 'packages/dns/zone/cluster-share.ts',
    find: 'const isWithoutPods = slices.length > 0 && behind.endpoints.length === 0;',
    replace: 'const isWithoutPods = behind.endpoints.length === 0;',
    foundBy: { unit: 'packages/dns/zone' },
  },
];
