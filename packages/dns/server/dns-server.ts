import { type Clock, KeyedCounts, type Logger, type Metrics, type Timer } from '@fairlead/control';
import { nameText, PLAIN_UDP_BYTES } from '../wire/index.ts';
import { type Counts, openConnections, type Transport } from './counts.ts';
import type { Forwarder } from './forwarder.ts';
import { FORWARD, NO_REPLY, type Responder } from './responder.ts';
import type { ByteStream, DatagramSocket, SocketAddress, Sockets, StreamHandler, StreamListener } from './sockets.ts';
import { TcpSession } from './tcp-session.ts';
import { WorkBudget } from './work-budget.ts';

export interface DnsServerOptions {
  readonly responder: Responder;
  readonly counts: Counts;
  /** Undefined: what is not of the zone is refused. */
  readonly forwarder: Forwarder | undefined;
  readonly sockets: Sockets;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly tcp: {
    readonly connections: number;
    /** Of one address. */
    readonly connectionsOfOne: number;
    readonly idleMilliseconds: number;
  };
  readonly logsQueries: boolean;
}

const METRICS_MILLISECONDS = 1_000;
/** A client that has sent nothing for so long is told that the connection ends, when the server does. */
const QUIET_MILLISECONDS = 300;
/** How long connections may go on while the server ends. */
const FINISH_MILLISECONDS = 3_000;

/** Listens on UDP and TCP, and answers. */
export class DnsServer {
  readonly #options: DnsServerOptions;
  readonly #udp: DatagramSocket[] = [];
  readonly #tcp: StreamListener[] = [];
  readonly #sessions = new Set<TcpSession>();
  readonly #budget: WorkBudget;
  /** Address of a client -> its connections. */
  readonly #clients = new KeyedCounts<string>();
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(options: DnsServerOptions) {
    this.#options = options;
    this.#budget = new WorkBudget(options.clock);
  }

  /** Listens on all of them, or rejects and listens on none. */
  async listen(addresses: readonly SocketAddress[]): Promise<readonly SocketAddress[]> {
    try {
      for (const address of addresses) await this.#listen(address);
    } catch (error) {
      await this.close();
      throw error;
    }
    this.#tellMetrics();
    return this.#udp.map(({ local }) => local);
  }

  /**
   * Takes no more. What came is answered, but for what waits for another server; connections have a moment to end by
   * themselves.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    const { clock, counts, metrics } = this.#options;
    const sockets = [...this.#udp.splice(0), ...this.#tcp.splice(0)];
    const closed = Promise.all(sockets.map((socket) => socket.close()));
    for (const session of this.#sessions) session.finish(QUIET_MILLISECONDS);
    const timer = clock.setTimer(FINISH_MILLISECONDS, () => {
      for (const session of this.#sessions) session.destroy();
    });
    await closed;
    timer.cancel();
    counts.flush(metrics);
  }

  async #listen(address: SocketAddress): Promise<void> {
    const { sockets, counts } = this.#options;
    const udp: DatagramSocket = await sockets.listenUdp(address, (bytes, out, from) => {
      if (from.port === 0) {
        // No reply can be sent there: the packet is forged.
        counts.drop('source-port');
        return NO_REPLY;
      }
      const length = this.#respond(bytes, out, from, 'udp');
      if (length === FORWARD) void this.#forwardDatagram(bytes, udp, from);
      return length;
    });
    this.#udp.push(udp);
    // Where the system chose the port, it is the same for both.
    const same = { address: address.address, port: udp.local.port };
    this.#tcp.push(await sockets.listenTcp(same, (stream) => this.#connected(stream)));
  }

  #connected(stream: ByteStream): StreamHandler {
    const { clock, counts, metrics, tcp } = this.#options;
    const { address } = stream.from;
    const session = new TcpSession({
      stream,
      clock,
      budget: this.#budget,
      idleMilliseconds: tcp.idleMilliseconds,
      respond: (bytes, out) => {
        const length = this.#respond(bytes, out, stream.from, 'tcp');
        return length === FORWARD ? this.#forward(bytes, 'tcp', address) : length;
      },
      dropped: (reason) => counts.drop(reason),
      ended: () => {
        this.#sessions.delete(session);
        this.#clients.add(address, -1);
        metrics.set(openConnections, this.#sessions.size);
      },
    });
    this.#sessions.add(session);
    const ofOne = this.#clients.add(address, 1);
    metrics.set(openConnections, this.#sessions.size);
    if (this.#sessions.size > tcp.connections || ofOne > tcp.connectionsOfOne) {
      counts.drop('connection-limit');
      session.destroy();
    }
    return session;
  }

  /** Gives the length of the reply in `out`, NO_REPLY, or FORWARD. */
  #respond(bytes: Buffer, out: Buffer, from: SocketAddress, transport: Transport): number {
    const { responder, logsQueries } = this.#options;
    const length = responder.respond(bytes, out, transport);
    if (logsQueries && length !== NO_REPLY) this.#log(bytes, from, transport, length === FORWARD);
    return length;
  }

  async #forwardDatagram(bytes: Buffer, socket: DatagramSocket, from: SocketAddress): Promise<void> {
    const reply = await this.#forward(bytes, 'udp', from.address);
    if (reply !== undefined) socket.send(reply, from);
  }

  /** The reply of another server, or the one that says that there is none; undefined once this one is closed. */
  async #forward(bytes: Buffer, transport: Transport, client: string): Promise<Buffer | undefined> {
    const { responder, forwarder } = this.#options;
    // The bytes are the socket's: what waits needs its own.
    const query = Buffer.from(bytes);
    if (transport === 'udp') responder.limit(query);
    const reply = await forwarder?.forward(query, transport, client);
    if (this.#isClosed) return undefined;
    if (reply !== undefined) return transport === 'udp' ? responder.fit(query, reply) : reply;
    // A question and no records: room for more, for each query of a flood, would be a flood of memory.
    const out = Buffer.alloc(PLAIN_UDP_BYTES);
    return out.subarray(0, responder.fail(query, out, transport));
  }

  #log(bytes: Buffer, from: SocketAddress, transport: Transport, isForwarded: boolean): void {
    const { responder, logger } = this.#options;
    const { query, rcode } = responder;
    const question = query.hasQuestion ? { name: nameText(bytes, 12), type: query.type } : {};
    const result = isForwarded ? 'forwarded' : rcode;
    logger.info({ client: from.address, transport, ...question, result }, 'query');
  }

  #tellMetrics(): void {
    const { clock, counts, metrics } = this.#options;
    this.#timer = clock.setTimer(METRICS_MILLISECONDS, () => {
      counts.flush(metrics);
      this.#tellMetrics();
    });
  }
}
