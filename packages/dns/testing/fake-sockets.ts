import { FairleadError } from '@fairlead/control';
import type {
  ByteStream,
  DatagramHandler,
  DatagramSocket,
  SocketAddress,
  Sockets,
  StreamHandler,
  StreamListener,
} from '../server/index.ts';

const LOCAL = { address: '0.0.0.0', port: 53 };
const CLIENT = { address: '192.0.2.9', port: 4_000 };

/** A network in which one client asks, and no server is but the one that is tested. */
export class FakeSockets implements Sockets {
  areHandedOver = false;
  /** Why it cannot be listened on. */
  problem: string | undefined;
  /** Addresses on which connections are taken. */
  readonly open = new Set<string>();
  /** What came later than the call that asked for it. */
  readonly late: Buffer[] = [];
  /** Called as soon as datagrams are taken, before the server hears of it. */
  onListening: () => void = () => {};
  exchange: Sockets['exchange'] = () => Promise.reject(new Error('there is no other server'));
  readonly #out = Buffer.alloc(65_535);
  #handler: DatagramHandler | undefined;
  #connected: ((stream: ByteStream) => StreamHandler) | undefined;

  async listenUdp(_address: unknown, handler: DatagramHandler): Promise<DatagramSocket> {
    if (this.problem !== undefined) {
      throw new FairleadError(this.problem, { verdict: 'terminal', code: 'cannot-listen' });
    }
    this.#handler = handler;
    this.onListening();
    const close = async () => void (this.#handler = undefined);
    return { local: LOCAL, send: (bytes) => void this.late.push(bytes), close };
  }

  async listenTcp(
    { address }: SocketAddress,
    connected: (stream: ByteStream) => StreamHandler,
  ): Promise<StreamListener> {
    this.#connected = connected;
    this.open.add(address);
    return { local: LOCAL, close: async () => void this.open.delete(address) };
  }

  /** The reply to a datagram; empty where there is none at once. */
  ask(query: Buffer): Buffer {
    const length = this.#handler?.(query, this.#out, CLIENT) ?? 0;
    return Buffer.from(this.#out.subarray(0, Math.max(0, length)));
  }

  /** A connection of the client, and what the server does to it. */
  connect() {
    const events: string[] = [];
    const written: Buffer[] = [];
    const handler = this.#connected?.({
      from: CLIENT,
      write: (bytes) => written.push(bytes) > 0,
      pause: () => {},
      resume: () => {},
      close: () => void events.push('closed'),
      destroy: () => void events.push('destroyed'),
    });
    return { handler, events, written };
  }
}
