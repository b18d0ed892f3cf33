import type { Defect } from '../defect.ts';

const FOLDER = 'packages/dns';
const query = { unit: `${FOLDER}/wire/query` };
const reply = { unit: `${FOLDER}/wire/reply` };
const golden = { unit: `${FOLDER}/zone/golden` };
const index = { unit: `${FOLDER}/zone/zone-index` };
const responder = { unit: `${FOLDER}/server/responder` };
const tcp = { unit: `${FOLDER}/server/tcp-session` };
const part = { unit: `${FOLDER}/part` };
const sockets = { unit: `${FOLDER}/adapters` };

export const dnsDefects: readonly Defect[] = [
  {
    name: 'a label may be of any length',
    file: `${FOLDER}/wire/query.ts`,
    find: 'length > MOST_LABEL_BYTES || next',
    replace: 'next',
    foundBy: query,
  },
  {
    name: 'a reply is answered',
    file: `${FOLDER}/wire/query.ts`,
    find: "if ((operation & RESPONSE_BIT) !== 0) return 'drop';",
    replace: '',
    foundBy: query,
  },
  {
    name: 'a second OPT record counts',
    file: `${FOLDER}/wire/query.ts`,
    find: 'this.hasEdns || nameEnd',
    replace: 'nameEnd',
    foundBy: query,
  },
  {
    name: 'a client that takes less than 512 bytes is believed',
    file: `${FOLDER}/wire/query.ts`,
    find: 'Math.max(uint16(bytes, nameEnd + 2), PLAIN_UDP_BYTES)',
    replace: 'uint16(bytes, nameEnd + 2)',
    foundBy: query,
  },
  {
    name: 'no room is left for the OPT record',
    file: `${FOLDER}/wire/reply.ts`,
    find: 'limit - (query.hasEdns ? OPT_BYTES : 0)',
    replace: 'limit',
    foundBy: reply,
  },
  {
    name: 'a truncated reply does not say so',
    file: `${FOLDER}/wire/reply.ts`,
    find: '(this.#isTruncated ? TRUNCATED : 0)',
    replace: '0',
    foundBy: reply,
  },
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
    find: 'olderImport === undefined ? fromSlices(own)',
    replace: 'olderImport === undefined || own.length > 0 ? fromSlices(own)',
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
    find: 'for (const name of before.keys()) if (!parts.names.has(name)) this.#sink.set(name, undefined);',
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
    file: `${FOLDER}/zone/answer.ts`,
    find: 'return isSame ? this : next;',
    replace: 'return next;',
    foundBy: index,
  },
  {
    name: 'a change starts the turns anew',
    file: `${FOLDER}/zone/answer.ts`,
    find: 'new Answer(set, this.#turn)',
    replace: 'new Answer(set)',
    foundBy: responder,
  },
  {
    name: 'names are denied before all objects were seen',
    file: `${FOLDER}/server/responder.ts`,
    find: "if (!this.isReady) return this.#reply(bytes, out, transport, 'SERVFAIL', false);",
    replace: '',
    foundBy: { sim: 'dns', seeds: 20 },
  },
  {
    name: 'what only ends as the zone does is of the zone',
    file: `${FOLDER}/server/responder.ts`,
    find: 'return at === from && isSameName(bytes, at,',
    replace: 'return from >= HEADER_BYTES && isSameName(bytes, from,',
    foundBy: responder,
  },
  {
    name: 'UDP has no limit of its own',
    file: `${FOLDER}/server/responder.ts`,
    find: 'Math.min(this.query.payloadBytes, this.#udpBytes)',
    replace: 'this.query.payloadBytes',
    foundBy: responder,
  },
  {
    name: 'slices are not waited for',
    file: `${FOLDER}/cluster/follow-cluster.ts`,
    find: 'await Promise.all([imports.synced(signal), slices.synced(signal)]);',
    replace: 'await imports.synced(signal);',
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
    name: 'a client that dribbles is never closed',
    file: `${FOLDER}/server/tcp-session.ts`,
    find: 'if (this.#pending.length < end) return;',
    replace: 'this.#activeAt = this.#options.clock.monotonic();\n      if (this.#pending.length < end) return;',
    foundBy: tcp,
  },
  {
    name: 'a client that does not read is written to',
    file: `${FOLDER}/server/tcp-session.ts`,
    find: 'while (!this.#isBlocked && ',
    replace: 'while (',
    foundBy: tcp,
  },
  {
    name: 'a reply to another query is passed on',
    file: `${FOLDER}/server/forwarder.ts`,
    find: 'uint16(reply, 0) === uint16(query, 0) &&',
    replace: '',
    foundBy: { unit: `${FOLDER}/server/forwarder` },
  },
  {
    name: 'a process that takes over answers before it knows anything',
    file: `${FOLDER}/run-server.ts`,
    find: 'if (!sockets.areHandedOver) await open();',
    replace: 'await open();',
    foundBy: part,
  },
  {
    name: 'connections are cut off while their client still asks, when the server ends',
    file: `${FOLDER}/server/tcp-session.ts`,
    find: 'this.#idleMilliseconds = Math.min(quietMilliseconds, this.#idleMilliseconds);',
    replace: 'this.#close();',
    foundBy: tcp,
  },
  {
    name: 'one client may have all connections',
    file: `${FOLDER}/server/dns-server.ts`,
    find: ' || ofOne > tcp.connectionsOfOne',
    replace: '',
    foundBy: sockets,
  },
];
