import type { Defect } from '../../defect.ts';

const FOLDER = 'packages/dns';
const query = { unit: `${FOLDER}/wire/query` };
const reply = { unit: `${FOLDER}/wire/reply` };
const responder = { unit: `${FOLDER}/server/responder` };
const forwarder = { unit: `${FOLDER}/server/forwarder` };
const tcp = { unit: `${FOLDER}/server/tcp-session` };
const part = { unit: `${FOLDER}/part` };
const sockets = { unit: `${FOLDER}/adapters` };

export const dnsServerDefects: readonly Defect[] = [
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
    name: 'a client that dribbles is never closed',
    file: `${FOLDER}/server/tcp-session.ts`,
    find: 'if (this.#pending.length < end) return;',
    replace: 'this.#activeAt = this.#options.clock.monotonic();\n      if (this.#pending.length < end) return;',
    foundBy: tcp,
  },
  {
    name: 'a client that does not read is written to',
    file: `${FOLDER}/server/tcp-session.ts`,
    find: 'return this.#isBlocked || this.#waitsForTurn',
    replace: 'return this.#waitsForTurn',
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
  {
    name: 'the status does not tell what is left out for good',
    file: `${FOLDER}/report/zone-status.ts`,
    find: 'faults.push(...own.map(',
    replace: 'faults.concat(own.map(',
    foundBy: part,
  },
  {
    name: 'the status takes the records of clusters for Services without a ServiceImport',
    file: `${FOLDER}/report/zone-status.ts`,
    find: 'if (!isLabel(view.name)) continue;',
    replace: '',
    foundBy: part,
  },
  {
    name: 'a connection may have any number of queries wait',
    file: `${FOLDER}/server/tcp-session.ts`,
    find: 'this.#waitsForTurn || this.#waiting >= MOST_WAITING',
    replace: 'this.#waitsForTurn',
    foundBy: tcp,
  },
  {
    name: 'a client is remembered once it has been answered',
    file: `${FOLDER}/server/forwarder.ts`,
    find: 'if (left === 0) this.#waitingOf.delete(client);',
    replace: 'if (left === 0) return;',
    foundBy: forwarder,
  },
  {
    name: 'a query may have any number of records',
    file: `${FOLDER}/wire/query.ts`,
    find: 'MOST_ADDITIONAL_RECORDS = 4',
    replace: 'MOST_ADDITIONAL_RECORDS = 65_535',
    foundBy: query,
  },
  {
    name: 'the SOA is added where it does not fit',
    file: `${FOLDER}/wire/reply.ts`,
    find: 'if (this.#at + bytes.length > this.#limit) return;',
    replace: '',
    foundBy: responder,
  },
  {
    name: 'a query that waits for another server is in the memory of the socket',
    file: `${FOLDER}/server/dns-server.ts`,
    find: 'const query = Buffer.from(bytes);',
    replace: 'const query = bytes;',
    foundBy: part,
  },
  {
    name: 'a reply that waits to be sent is written over',
    file: `${FOLDER}/adapters/sockets.ts`,
    find: 'if (socket.getSendQueueCount() > 0) out',
    replace: 'if (socket.getSendQueueCount() < 0) out',
    foundBy: sockets,
  },
  {
    name: 'a reply to another query over TCP is taken',
    file: `${FOLDER}/adapters/sockets.ts`,
    find: 'if (accepts(reply)) resolve(reply);\n    else',
    replace: 'if (reply.length > 0) resolve(reply);\n    else',
    foundBy: sockets,
  },
  {
    name: 'a reply to another query over UDP is taken',
    file: `${FOLDER}/adapters/sockets.ts`,
    find: 'if (accepts(reply)) resolve(reply);\n  });',
    replace: 'resolve(reply);\n  });',
    foundBy: sockets,
  },
  {
    name: 'it may forward to itself',
    file: `${FOLDER}/configuration.ts`,
    find: 'port === server.port && (',
    replace: 'port > 65_535 && (',
    foundBy: { unit: `${FOLDER}/configuration` },
  },
  {
    name: 'a connection has as much of a turn as it likes',
    file: `${FOLDER}/server/tcp-session.ts`,
    find: '      if (this.#options.turns.isOver) return this.#waitForTurn();\n',
    replace: '',
    foundBy: tcp,
  },
  {
    name: 'a long reply over TCP takes no more of a turn than a short one',
    file: `${FOLDER}/server/turns.ts`,
    find: 'this.#left -= 1 + Math.floor(bytes / UNIT_BYTES);',
    replace: 'this.#left -= 1;',
    foundBy: tcp,
  },
];
