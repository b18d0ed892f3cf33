import cluster from 'node:cluster';
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer, isIPv6, type Server, type Socket } from 'node:net';
import { FairleadError, joinHostPort, messageOf, systemCodeOf } from '@fairlead/control';
import type {
  ByteStream,
  DatagramHandler,
  DatagramSocket,
  Exchange,
  SocketAddress,
  Sockets,
  StreamHandler,
  StreamListener,
} from '../server/index.ts';

const MOST_DATAGRAM_BYTES = 65_535;
/** Room for bursts: what does not fit is lost without a word. */
const RECEIVE_BYTES = 4 * 1_024 * 1_024;
/** Replies that wait for the network: beyond that, it takes fewer than are asked for, and memory has no end otherwise. */
const MOST_QUEUED = 1_000;

/** Processes share a port, each by a socket of its own; workers of one supervisor share its sockets. */
const areHandedOver = cluster.isWorker;
const reusePort = !areHandedOver;

/** The sockets of this machine. */
export const systemSockets: Sockets = { areHandedOver, listenUdp, listenTcp, exchange };

async function listenUdp(address: SocketAddress, handler: DatagramHandler): Promise<DatagramSocket> {
  const socket = createUdpSocket(address.address, { reusePort });
  try {
    // It may listen, or fail, before `bind` returns.
    const listening = once(socket, 'listening');
    socket.bind(address);
    await listening;
  } catch (error) {
    socket.close();
    throw cannotListen('UDP', address, error);
  }
  enlarge(socket);
  // A client that went away, or cannot be reached, is no concern of the others.
  socket.on('error', () => {});
  let out: Buffer = Buffer.allocUnsafeSlow(MOST_DATAGRAM_BYTES);
  socket.on('message', (bytes, from) => {
    const length = handler(bytes, out, from);
    if (length <= 0) return;
    send(socket, out.subarray(0, length), from);
    // Usually it is sent at once; where it has to wait, the bytes are the kernel's until it is.
    if (socket.getSendQueueCount() > 0) out = Buffer.allocUnsafeSlow(MOST_DATAGRAM_BYTES);
  });
  return {
    local: socket.address(),
    send: (bytes, to) => send(socket, bytes, to),
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

/** The sender chose the address: one that cannot be sent to costs its reply, and not the server. */
function send(socket: UdpSocket, bytes: Buffer, to: SocketAddress): void {
  if (socket.getSendQueueCount() >= MOST_QUEUED) return;
  try {
    socket.send(bytes, to.port, to.address);
  } catch {
    // As if the reply had been lost on its way.
  }
}

/** Addresses are addresses already: looking them up again, even by the runtime itself, costs a turn of the event loop. */
function createUdpSocket(address: string, options: { readonly reusePort?: boolean } = {}): UdpSocket {
  const type = isIPv6(address) ? 'udp6' : 'udp4';
  const family = type === 'udp6' ? 6 : 4;
  return createSocket({
    type,
    ...options,
    lookup: (name, _options, callback) => callback(null, name, family),
  });
}

/** The system may allow less: it takes what it may have. */
function enlarge(socket: UdpSocket): void {
  try {
    socket.setRecvBufferSize(RECEIVE_BYTES);
  } catch {
    // Then it stays as it is.
  }
}

async function listenTcp(
  address: SocketAddress,
  connected: (stream: ByteStream) => StreamHandler,
): Promise<StreamListener> {
  const server: Server = createServer({ noDelay: true }, (socket) => {
    const handler = connected(streamOf(socket));
    socket.on('data', (bytes) => handler.receive(bytes));
    socket.on('drain', () => handler.drained());
    socket.on('error', () => {});
    socket.on('close', () => handler.closed());
  });
  try {
    server.listen({ host: address.address, port: address.port, reusePort });
    await once(server, 'listening');
  } catch (error) {
    throw cannotListen('TCP', address, error);
  }
  server.on('error', () => {});
  const bound = server.address();
  return {
    local: bound === null || typeof bound === 'string' ? address : bound,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function streamOf(socket: Socket): ByteStream {
  return {
    from: { address: socket.remoteAddress ?? '', port: socket.remotePort ?? 0 },
    write: (bytes) => socket.write(bytes),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    close: () => socket.destroySoon(),
    destroy: () => void socket.destroy(),
  };
}

function exchange(asked: Exchange): Promise<Buffer> {
  return asked.transport === 'udp' ? exchangeUdp(asked) : exchangeTcp(asked);
}

async function exchangeUdp({ server, bytes, accepts, signal }: Exchange): Promise<Buffer> {
  const socket = createUdpSocket(server.address);
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  socket.on('error', reject);
  socket.on('message', (reply) => {
    if (accepts(reply)) resolve(reply);
  });
  // Connected, it hears of no other address, and of a port where no server is.
  socket.connect(server.port, server.address, (error?: Error) => (error ? reject(error) : socket.send(bytes)));
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', stop);
    socket.close();
  }
}

async function exchangeTcp({ server, bytes, accepts, signal }: Exchange): Promise<Buffer> {
  const socket = connect({ host: server.address, port: server.port, noDelay: true });
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  socket.on('error', reject);
  socket.on('close', () => reject(new Error('the connection was closed')));
  let received: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
    const reply = received.subarray(2, 2 + received.readUInt16BE(0));
    if (accepts(reply)) resolve(reply);
    else reject(new Error('the reply is to another query'));
  });
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  socket.write(Buffer.concat([length, bytes]));
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', stop);
    socket.destroy();
  }
}

const REASONS = new Map([
  ['EADDRINUSE', 'another program has it'],
  ['EACCES', 'ports below 1024 need the capability NET_BIND_SERVICE'],
  ['EADDRNOTAVAIL', 'it is no address of this machine'],
]);

function cannotListen(protocol: string, { address, port }: SocketAddress, error: unknown): FairleadError {
  const reason = REASONS.get(systemCodeOf(error) ?? '') ?? messageOf(error);
  return new FairleadError(`cannot listen on ${joinHostPort(address, port)} (${protocol}): ${reason}`, {
    verdict: 'terminal',
    code: 'cannot-listen',
    cause: error,
  });
}
