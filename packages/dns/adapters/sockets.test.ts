import { createSocket, Socket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { codeOf, noMetrics, silentLogger } from '@fairlead/control';
import { systemClock, systemRandom } from '@fairlead/control/adapters';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Counts, DnsServer, Forwarder, type SocketAddress } from '../server/index.ts';
import { answersIn, queryFor, read } from '../testing/queries.ts';
import { TestZone } from '../testing/test-zone.ts';
import { systemSockets } from './sockets.ts';

const WEB = 'web.shop.svc.clusterset.local';
const ANY_PORT = { address: '127.0.0.1', port: 0 };
const { signal } = new AbortController();

function lastOf(sockets: readonly unknown[]): Socket {
  const socket = sockets.at(-1);
  if (!(socket instanceof Socket)) throw new Error('no socket was bound');
  return socket;
}

describe('on real sockets, the server', () => {
  const servers: DnsServer[] = [];
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });

  /** The port that the system has free for UDP may be one that another program has for TCP: then it is asked again. */
  async function start(address = ANY_PORT, upstream?: SocketAddress): Promise<SocketAddress> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await startOnce(address, upstream);
      } catch (error) {
        if (address.port !== 0 || attempt === 5 || codeOf(error) !== 'cannot-listen') throw error;
      }
    }
  }

  async function startOnce(address: SocketAddress, upstream: SocketAddress | undefined): Promise<SocketAddress> {
    const { responder, counts } = new TestZone({ forwards: upstream !== undefined });
    const shared = { counts, clock: systemClock, metrics: noMetrics, logger: silentLogger, sockets: systemSockets };
    const forwarder =
      upstream === undefined
        ? undefined
        : new Forwarder({
            ...shared,
            servers: [upstream],
            random: systemRandom,
            exchange: (asked) => systemSockets.exchange(asked),
            timeoutMilliseconds: 2_000,
            signal,
          });
    const tcp = { connections: 3, connectionsOfOne: 2, idleMilliseconds: 5_000 };
    const server = new DnsServer({ ...shared, responder, forwarder, tcp, logsQueries: false });
    servers.push(server);
    const [local] = await server.listen([address]);
    return { address: address.address, port: local?.port ?? 0 };
  }

  const exchange = (server: SocketAddress, query: Buffer, transport: 'udp' | 'tcp') =>
    systemSockets.exchange({ server, transport, bytes: query, accepts: () => true, signal });

  it.each(['127.0.0.1', '::1'])('answers over UDP and TCP on %s', async (address) => {
    const server = await start({ address, port: 0 });
    expect(answersIn(await exchange(server, queryFor(WEB), 'udp'))).toEqual(['10.2.0.1']);
    expect(answersIn(await exchange(server, queryFor('db.shop.svc.clusterset.local'), 'tcp'))).toHaveLength(60);
  });

  it('answers a thousand datagrams that come at once', async () => {
    const server = await start();
    const socket = createSocket({ type: 'udp4', recvBufferSize: 4_000_000 });
    const ids = new Set<number>();
    const { promise, resolve } = Promise.withResolvers<void>();
    socket.on('message', (reply) => {
      ids.add(reply.readUInt16BE(0));
      if (ids.size === 1_000) resolve();
    });
    for (let id = 0; id < 1_000; id += 1) socket.send(queryFor(WEB, 'A', { id }), server.port, server.address);
    await promise;
    socket.close();
    expect(ids.size).toBe(1_000);
  });

  it('drops what claims to come from port 0, and goes on answering', async () => {
    const bind = vi.spyOn(Socket.prototype, 'bind');
    const drop = vi.spyOn(Counts.prototype, 'drop');
    const server = await start(ANY_PORT, await start());
    const bound = lastOf(bind.mock.contexts);
    const forged = { address: '127.0.0.1', port: 0, family: 'IPv4', size: 0 };
    for (const name of [WEB, 'example.org']) bound.emit('message', queryFor(name), forged);
    expect(drop.mock.calls).toEqual([['source-port'], ['source-port']]);
    vi.restoreAllMocks();
    expect(answersIn(await exchange(server, queryFor(WEB), 'udp'))).toEqual(['10.2.0.1']);
  });

  it('outlives a reply to an address that cannot be sent to', async () => {
    const bind = vi.spyOn(Socket.prototype, 'bind');
    const socket = await systemSockets.listenUdp(ANY_PORT, (_bytes, out) => out.write('reply'));
    const bound = lastOf(bind.mock.contexts);
    bind.mockRestore();
    const nowhere = { address: '127.0.0.1', port: 0 };
    expect(() => bound.emit('message', queryFor(WEB), nowhere)).not.toThrow();
    expect(() => socket.send(queryFor(WEB), nowhere)).not.toThrow();
    await socket.close();
  });

  it('leaves a reply that cannot be sent at once as it is', async () => {
    const bind = vi.spyOn(Socket.prototype, 'bind');
    const send = vi.spyOn(Socket.prototype, 'send').mockImplementation(() => {});
    vi.spyOn(Socket.prototype, 'getSendQueueCount').mockReturnValue(1);
    const socket = await systemSockets.listenUdp(ANY_PORT, (bytes, out) => bytes.copy(out));
    const bound = lastOf(bind.mock.contexts);
    for (const text of ['one', 'two']) bound.emit('message', Buffer.from(text), ANY_PORT);
    const sent = send.mock.calls.map(([bytes]) => (Buffer.isBuffer(bytes) ? bytes.toString() : ''));
    vi.restoreAllMocks();
    await socket.close();
    expect(sent).toEqual(['one', 'two']);
  });

  it('has no more replies wait than a thousand, where the network takes fewer than are asked for', async () => {
    const bind = vi.spyOn(Socket.prototype, 'bind');
    const send = vi.spyOn(Socket.prototype, 'send').mockImplementation(() => {});
    const queued = vi.spyOn(Socket.prototype, 'getSendQueueCount').mockReturnValue(1_000);
    const socket = await systemSockets.listenUdp(ANY_PORT, (bytes, out) => bytes.copy(out));
    const bound = lastOf(bind.mock.contexts);
    bound.emit('message', Buffer.from('one'), ANY_PORT);
    socket.send(Buffer.from('late'), ANY_PORT);
    queued.mockReturnValue(999);
    bound.emit('message', Buffer.from('two'), ANY_PORT);
    const sent = send.mock.calls.map(([bytes]) => (Buffer.isBuffer(bytes) ? bytes.toString() : ''));
    vi.restoreAllMocks();
    await socket.close();
    expect(sent).toEqual(['two']);
  });

  it('does not take what another sends for the reply of a server, over UDP or TCP', async () => {
    const other = createSocket('udp4');
    other.bind(0, '127.0.0.1');
    await once(other, 'listening');
    other.on('message', (_bytes, { port, address }) => {
      for (const text of ['forged', 'right']) other.send(text, port, address);
    });
    const asked = { bytes: queryFor(WEB), accepts: (reply: Buffer) => String(reply) === 'right', signal };
    const reply = await systemSockets.exchange({ ...asked, server: other.address(), transport: 'udp' });
    other.close();
    expect(String(reply)).toBe('right');
    await expect(systemSockets.exchange({ ...asked, server: await start(), transport: 'tcp' })).rejects.toThrow(
      'the reply is to another query',
    );
  });

  it('answers what is pipelined, in pieces, and takes no more connections than it may', async () => {
    const server = await start();
    const open = () => connect(server.port, server.address);
    const socket = open();
    const query = queryFor(WEB);
    const framed = Buffer.concat([Buffer.of(0, query.length), query]);
    const all = Buffer.concat([framed, framed, framed]);
    let received = Buffer.alloc(0);
    const { promise, resolve } = Promise.withResolvers<void>();
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes]);
      if (received.length === 3 * (2 + received.readUInt16BE(0))) resolve();
    });
    socket.write(all.subarray(0, 50));
    socket.write(all.subarray(50));
    await promise;
    const others = [open(), open()];
    await once(others[1] ?? socket, 'close');
    expect(socket.destroyed).toBe(false);
    const from = (localAddress: string) => connect({ port: server.port, host: server.address, localAddress });
    const third = from('127.0.0.2');
    await once(third, 'connect');
    await once(from('127.0.0.3'), 'close');
    expect([socket.destroyed, third.destroyed]).toEqual([false, false]);
    for (const one of [socket, third, ...others]) one.destroy();
  });

  it('shares its port with another of its kind, and no other program', async () => {
    const server = await start();
    expect(await start(server)).toEqual(server);
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const bound = taken.address();
    const port = typeof bound === 'object' ? (bound?.port ?? 0) : 0;
    await expect(start({ address: '127.0.0.1', port })).rejects.toThrow(
      `cannot listen on 127.0.0.1:${port} (TCP): another program has it`,
    );
    taken.close();
    await expect(start({ address: '203.0.113.1', port: 53 })).rejects.toThrow(
      'cannot listen on 203.0.113.1:53 (UDP): it is no address of this machine',
    );
  });

  it('says what it lacks where it may not have a port', async () => {
    const refused = Object.assign(new Error('bind EACCES 127.0.0.1:53'), { code: 'EACCES' });
    vi.spyOn(Socket.prototype, 'bind').mockImplementation(function (this: Socket) {
      queueMicrotask(() => this.emit('error', refused));
      return this;
    });
    const listening = systemSockets.listenUdp({ address: '127.0.0.1', port: 53 }, () => 0);
    const outcome = await listening.catch((error: unknown) => error);
    vi.restoreAllMocks();
    expect(String(outcome)).toContain(
      'cannot listen on 127.0.0.1:53 (UDP): ports below 1024 need the capability NET_BIND_SERVICE',
    );
  });

  it.each(['udp', 'tcp'] as const)('forwards what is not its own over %s', async (transport) => {
    const upstream = await start();
    const server = await start(ANY_PORT, upstream);
    const reply = read(await exchange(server, queryFor('example.org'), transport));
    expect(reply).toMatchObject({ id: 4711, rcode: 'REFUSED', questions: [{ name: 'example.org' }] });
  });

  it('sends what another server answers late to whom it is for, whoever asked since', async () => {
    const other = createSocket('udp4');
    other.bind(0, '127.0.0.1');
    await once(other, 'listening');
    const server = await start(ANY_PORT, other.address());
    const waiting: (() => void)[] = [];
    other.on('message', (bytes, from) => {
      const reply = Buffer.from(bytes);
      reply[2] = 0x81;
      waiting.push(() => other.send(reply, from.port, from.address));
    });
    const asked = [];
    for (const id of [1, 2, 3]) {
      asked.push(exchange(server, queryFor('example.org', 'A', { id }), 'udp'));
      await expect.poll(() => waiting.length).toBe(id);
    }
    for (const answer of waiting) answer();
    const ids = (await Promise.all(asked)).map((reply) => read(reply).id);
    other.close();
    expect(ids).toEqual([1, 2, 3]);
  });

  it('answers SERVFAIL when there is no route to the other server', async () => {
    // The kernel refuses to connect to the broadcast address as it does where it has no route.
    const server = await start(ANY_PORT, { address: '255.255.255.255', port: 53 });
    const reply = read(await exchange(server, queryFor('example.org'), 'udp'));
    expect(reply).toMatchObject({ id: 4711, rcode: 'SERVFAIL' });
  });

  it.each(['udp', 'tcp'] as const)('answers SERVFAIL over %s when no other server is there', async (transport) => {
    const gone = await start();
    await servers.pop()?.close();
    const server = await start(ANY_PORT, gone);
    const reply = read(await exchange(server, queryFor('example.org'), transport));
    expect(reply).toMatchObject({ id: 4711, rcode: 'SERVFAIL' });
  });
});
