import type { Defect } from '../../defect.ts';

const FOLDER = 'packages/dns';
const golden = { unit: `${FOLDER}/zone/golden` };
const index = { unit: `${FOLDER}/zone/zone-index` };
const responder = { unit: `${FOLDER}/server/responder` };
const share = { unit: `${FOLDER}/zone/cluster-share` };
const part = { unit: `${FOLDER}/part` };
/** Long enough for a walk through what changed: it is answered meanwhile. */
const LATER = 'void environment.clock.turn().then(() => environment.clock.turn()).then(() => (';

export const dnsZoneDefects: readonly Defect[] = [
  {
    name: 'pods that are not ready are answered',
    file: `${FOLDER}/zone/cluster-share.ts`,
    find: 'if (conditions?.ready === false) {',
    replace: 'if (addresses.length === 0) {',
    foundBy: golden,
  },
  {
    name: 'every ServiceImport before aggregation is believed',
    file: `${FOLDER}/zone/cluster-share.ts`,
    find: 'settings.olderClusters.includes(clusterOf(one, settings))',
    replace: "clusterOf(one, settings) !== ''",
    foundBy: golden,
  },
  {
    name: 'the slice of a cluster that is not upgraded counts',
    file: `${FOLDER}/zone/cluster-share.ts`,
    find: 'olderImport === undefined ? fromSlices(own, most)',
    replace: 'olderImport === undefined || own.length > 0 ? fromSlices(own, most)',
    foundBy: golden,
  },
  {
    name: 'the address of a cluster that is not upgraded is answered without pods',
    file: `${FOLDER}/zone/cluster-share.ts`,
    find: 'slices.length > 0 && behind.endpoints.length === 0',
    replace: 'false',
    foundBy: golden,
  },
  {
    name: 'this cluster is not preferred',
    file: `${FOLDER}/zone/service-records.ts`,
    find: 'return local.length > 0 ? local : eligible;',
    replace: 'return eligible;',
    foundBy: golden,
  },
  {
    name: 'the clusterset IP is ignored',
    file: `${FOLDER}/zone/service-records.ts`,
    find: 'if (clusterSetIps.length > 0) names.addAddresses(base, type, own, FIXED);',
    replace: 'if (own.length > 9) names.addAddresses(base, type, own, FIXED);',
    foundBy: golden,
  },
  {
    name: 'a cluster has the ports of all',
    file: `${FOLDER}/zone/service-records.ts`,
    find: 'addServicePorts(names, name, share.ports);',
    replace: 'addServicePorts(names, name, ports);',
    foundBy: golden,
  },
  {
    name: 'a name that is gone stays',
    file: `${FOLDER}/zone/zone-index.ts`,
    find: 'this.#sink.set(name, undefined);',
    replace: '',
    foundBy: index,
  },
  {
    name: 'names above one that is gone stay',
    file: `${FOLDER}/zone/name-table.ts`,
    find: 'this.#removeUnused(above.text, parent);',
    replace: '',
    foundBy: responder,
  },
  {
    name: 'everything is replaced with each change',
    file: `${FOLDER}/zone/encoded-answer.ts`,
    find: 'return isSame ? this : next;',
    replace: 'return next;',
    foundBy: index,
  },
  {
    name: 'a change starts the turns anew',
    file: `${FOLDER}/zone/encoded-answer.ts`,
    find: 'new Answer(set, this.#turn)',
    replace: 'new Answer(set)',
    foundBy: responder,
  },
  {
    name: 'slices are not waited for',
    file: `${FOLDER}/cluster/follow-cluster.ts`,
    // A subscription to whole lists waits, too.
    find: 'await Promise.all([imports.synced(signal), slices.synced(signal)]);\n  // A Service that moved, of whose objects only some are new, would seem to be nowhere.\n  const whole = true;',
    replace: 'await imports.synced(signal);\n  const whole = false;',
    foundBy: part,
  },
  {
    name: 'an object that changed sides is at both',
    file: `${FOLDER}/cluster/follow-cluster.ts`,
    find: "if (change.type !== 'add') remove(change.before);",
    replace: "if (change.type === 'delete') remove(change.before);",
    foundBy: part,
  },
  {
    name: 'changes are followed no further than the first list',
    file: `${FOLDER}/cluster/follow-cluster.ts`,
    find: 'this.#running = undefined;',
    replace: '',
    foundBy: { sim: 'dns', seeds: 20 },
  },
  {
    name: 'names are lost when the table grows',
    file: `${FOLDER}/zone/name-table.ts`,
    find: '        this.#put(entry);\n        entry = next;',
    replace: '        if (entry === first) this.#put(entry);\n        entry = next;',
    foundBy: { unit: `${FOLDER}/zone/name-table` },
  },
  {
    name: 'a name is taken for another of the same bucket',
    file: `${FOLDER}/zone/name-table.ts`,
    find: 'if (isIt && isSameName(bytes, HEADER_BYTES, length, entry.bytes)) return entry;',
    replace: 'return entry;',
    foundBy: { unit: `${FOLDER}/zone/name-table` },
  },
  {
    name: 'a slice that is gone counts on',
    file: `${FOLDER}/cluster/follow-cluster.ts`,
    find: "if (change.type !== 'add') remove(change.before);",
    replace: "if (change.type === 'update') remove(change.before);",
    foundBy: { sim: 'dns', seeds: 20 },
  },
  {
    name: 'one Service may have any number of clusters',
    file: `${FOLDER}/zone/cluster-share.ts`,
    find: 'sorted.slice(0, MOST_CLUSTERS)',
    replace: 'sorted',
    foundBy: share,
  },
  {
    name: 'every cluster may have as much of a Service as all together',
    file: `${FOLDER}/zone/cluster-share.ts`,
    find: 'Math.floor(left / clusters)',
    replace: 'MOST_ENDPOINT_PORTS',
    foundBy: share,
  },
  {
    name: 'slices are read to their end, however much they hold',
    file: `${FOLDER}/zone/cluster-share.ts`,
    find: 'if (left < cost * addresses.length) {',
    replace: 'if (left < 0) {',
    foundBy: share,
  },
  {
    name: 'every line of what is left out is told',
    file: `${FOLDER}/zone/cluster-share.ts`,
    find: 'if (this.#lines.length < MOST_TOLD) ',
    replace: 'if (this.#more === 0) ',
    foundBy: share,
  },
  {
    name: 'ports of slices without endpoints have no bound',
    file: `${FOLDER}/zone/cluster-share.ts`,
    find: 'if (left === begun) left -= cost;',
    replace: '',
    foundBy: share,
  },
  {
    name: 'a Service that changes while its names are taken away is forgotten',
    file: `${FOLDER}/zone/zone-index.ts`,
    find: 'if (isGone && !this.#changed.has(key))',
    replace: 'if (isGone)',
    foundBy: index,
  },
  {
    name: 'an address that moves to another cluster stays with the first',
    file: `${FOLDER}/zone/encoded-answer.ts`,
    find: ' && isSameOrder(next.#order, this.#order)',
    replace: '',
    foundBy: responder,
  },
  {
    name: 'a pod whose address begins with colons has no name',
    file: `${FOLDER}/zone/cluster-share.ts`,
    find: ".replace(/^-/, '0-')",
    replace: '',
    foundBy: responder,
  },
  {
    name: 'a host takes the name of a cluster',
    file: `${FOLDER}/zone/service-records.ts`,
    find: 'if (!clusterNames.has(target)) ',
    replace: '',
    foundBy: responder,
  },
  {
    name: 'a Service without endpoints has ports',
    file: `${FOLDER}/zone/service-records.ts`,
    find: 'if (isServed) addServicePorts',
    replace: 'addServicePorts',
    foundBy: responder,
  },
  {
    name: 'host names of pods are not kept',
    file: `${FOLDER}/cluster/projections.ts`,
    find: ", ...picked(one, ['hostname'])",
    replace: '',
    foundBy: part,
  },
  {
    name: 'a Service that never stands still keeps all others waiting',
    file: `${FOLDER}/zone/zone-index.ts`,
    find: 'const changed = [...this.#changed];',
    replace: 'const changed = this.#changed;',
    foundBy: index,
  },
  {
    name: 'what changes while names are set is forgotten',
    file: `${FOLDER}/cluster/follow-cluster.ts`,
    find: 'if (!this.#index.isInStep) this.touch();',
    replace: '',
    foundBy: part,
  },
  {
    name: 'ports of slices that are left out are read',
    file: `${FOLDER}/zone/cluster-share.ts`,
    find: 'beyond += all.length;\n      continue;',
    replace: 'beyond += all.length;',
    foundBy: share,
  },
  {
    name: 'a Service that cannot be read ends the zone for all',
    file: `${FOLDER}/zone/zone-index.ts`,
    find: 'this.#onUnreadable(key, error);',
    replace: 'throw error;',
    foundBy: index,
  },
  {
    name: 'a slice is gone for a moment before its successor is there',
    file: `${FOLDER}/cluster/follow-cluster.ts`,
    find: 'slices.subscribe(\n      (change) => {',
    replace: `slices.subscribe(
      (change) => {
      if (change.type === 'update') {
        index.removeSlice(change.before);
        flusher.touch();
        ${LATER}index.setSlice(change.after), flusher.touch()));
        return;
      }`,
    foundBy: { sim: 'dns', seeds: 20 },
  },
  {
    name: 'a slice that changed has its older pods as well for a moment',
    file: `${FOLDER}/cluster/follow-cluster.ts`,
    find: 'slices.subscribe(\n      (change) => {',
    replace: `slices.subscribe(
      (change) => {
      if (change.type === 'update') {
        const { before, after } = change;
        index.setSlice({ ...after, endpoints: [...(before.endpoints ?? []), ...(after.endpoints ?? [])] });
        flusher.touch();
        ${LATER}index.setSlice(after), flusher.touch()));
        return;
      }`,
    foundBy: { sim: 'dns', seeds: 20 },
  },
  {
    name: 'a ServiceImport goes back to what it was for a moment',
    file: `${FOLDER}/cluster/follow-cluster.ts`,
    find: 'imports.subscribe(\n      (change) => {',
    replace: `imports.subscribe(
      (change) => {
      if (change.type === 'update') {
        const { before, after } = change;
        ${LATER}index.setImport(before), flusher.touch()))
          .then(() => environment.clock.turn())
          .then(() => environment.clock.turn())
          .then(() => (index.setImport(after), flusher.touch()));
      }`,
    foundBy: { sim: 'dns', seeds: 20 },
  },
  {
    name: 'the names of a Service go before the new ones come',
    file: `${FOLDER}/zone/zone-index.ts`,
    find: 'for (const [name, sets] of records) {',
    replace: `for (const name of before) this.#sink.set(name, undefined);
    yield 1_000;
    for (const [name, sets] of records) {`,
    foundBy: { sim: 'dns', seeds: 20 },
  },
  {
    name: 'answers are made of half a list',
    file: `${FOLDER}/cluster/follow-cluster.ts`,
    find: 'const whole = true;',
    replace: 'const whole = false;',
    foundBy: { sim: 'dns', seeds: 20 },
  },
  {
    name: 'ports that are left out are not told',
    file: `${FOLDER}/zone/imported.ts`,
    find: 'return count > most',
    replace: 'return count > most + 1',
    foundBy: part,
  },
  {
    name: 'the ports of an older import have no bound',
    file: `${FOLDER}/zone/cluster-share.ts`,
    find: 'const { ports, leftOut: otherPorts } = importedPorts(spec);',
    replace: 'const otherPorts: string[] = [];\n  const ports = portsOf(spec.ports ?? []);',
    foundBy: share,
  },
  {
    name: 'the addresses of a ServiceImport have no bound',
    file: `${FOLDER}/zone/imported.ts`,
    find: 'ips.slice(0, MOST_ADDRESSES)',
    replace: 'ips',
    foundBy: share,
  },
  {
    name: 'any number of slices of a Service counts',
    file: `${FOLDER}/zone/slice-store.ts`,
    find: 'this.#counted.size < MOST_SLICES;',
    replace: 'this.#counted.size >= 0;',
    foundBy: { unit: `${FOLDER}/zone` },
  },
  {
    name: 'a slice beyond the bound never counts, whichever goes',
    file: `${FOLDER}/zone/slice-store.ts`,
    find: '    this.#counted.set(...next);\n',
    replace: '',
    foundBy: { unit: `${FOLDER}/zone` },
  },
  {
    name: 'pods that are not ready take room from other clusters',
    file: `${FOLDER}/zone/cluster-share.ts`,
    find: 'if (conditions?.ready !== false) demand',
    replace: 'demand',
    foundBy: { unit: `${FOLDER}/zone` },
  },
  {
    name: 'all endpoints are looked at, however few are taken',
    file: `${FOLDER}/zone/cluster-share.ts`,
    find: '      if (demand >= MOST_ENDPOINT_PORTS) return MOST_ENDPOINT_PORTS;\n',
    replace: '',
    foundBy: { unit: `${FOLDER}/zone` },
  },
  {
    name: 'pods that are not ready are kept in memory',
    file: `${FOLDER}/cluster/projections.ts`,
    find: '\n      .filter(({ conditions }) => conditions?.ready !== false)',
    replace: '',
    foundBy: { unit: `${FOLDER}/cluster` },
  },
  {
    name: 'a cluster before aggregation is answered that has no pods',
    file: `${FOLDER}/zone/cluster-share.ts`,
    find: 'const endpoints = isWithoutPods',
    replace: 'const endpoints = isWithoutPods && addresses.length === 0',
    foundBy: { sim: 'dns', seeds: 20 },
  },
  {
    name: 'other clusters are answered although this one has pods',
    file: `${FOLDER}/zone/service-records.ts`,
    find: 'return local.length > 0 ? local : eligible;',
    replace: 'return local.length > 99 ? local : eligible;',
    foundBy: { sim: 'dns', seeds: 20 },
  },
  {
    name: 'a cluster before aggregation is answered for another type than the Service has',
    file: `${FOLDER}/zone/cluster-share.ts`,
    find: 'if (spec.type !== type) {',
    replace: 'if (spec.type !== type && metadata.name === type) {',
    foundBy: { sim: 'dns', seeds: 20 },
  },
];
