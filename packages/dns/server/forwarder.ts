import { type Clock, type Random, randomInteger, withDeadline } from '@fairlead/control';
import { HEADER_BYTES, Query, uint16 } from '../wire/index.ts';
import type { Counts, Transport } from './counts.ts';
import type { SocketAddress, Sockets } from './sockets.ts';

export interface ForwarderOptions {
  readonly servers: readonly SocketAddress[];
  readonly exchange: Sockets['exchange'];
  readonly counts: Counts;
  readonly clock: Clock;
  readonly random: Random;
  readonly timeoutMilliseconds: number;
  readonly signal: AbortSignal;
}

/** What waits for other servers at a time: more would be a flood, and is answered with a failure. */
const MOST_WAITING = 500;
/** One client leaves room for others. */
const MOST_WAITING_OF_ONE = 250;

/** Asks other servers what is not of the zone. Replies are passed on as they come. */
export class Forwarder {
  readonly #options: ForwarderOptions;
  #waiting = 0;
  /** Address of a client -> its queries that wait. */
  readonly #waitingOf = new Map<string, number>();

  constructor(options: ForwarderOptions) {
    this.#options = options;
  }

  /** The reply of the first server that gives one; undefined when none does. */
  async forward(query: Buffer, transport: Transport, client: string): Promise<Buffer | undefined> {
    const { servers, counts } = this.#options;
    const ofOne = this.#waitingOf.get(client) ?? 0;
    if (this.#waiting >= MOST_WAITING || ofOne >= MOST_WAITING_OF_ONE) {
      counts.forward('refused');
      return undefined;
    }
    this.#waiting += 1;
    this.#waitingOf.set(client, ofOne + 1);
    try {
      for (const server of servers) {
        const reply = await this.#ask(server, query, transport);
        if (reply === undefined) continue;
        counts.forward('answered');
        return reply;
      }
      counts.forward('failed');
      return undefined;
    } finally {
      this.#waiting -= 1;
      const left = (this.#waitingOf.get(client) ?? 1) - 1;
      if (left === 0) this.#waitingOf.delete(client);
      else this.#waitingOf.set(client, left);
    }
  }

  /** Under an id that only we and the server know; that of the client comes back in the reply. */
  async #ask(server: SocketAddress, query: Buffer, transport: Transport): Promise<Buffer | undefined> {
    const { clock, random, exchange, signal, timeoutMilliseconds } = this.#options;
    const bytes = Buffer.from(query);
    bytes.writeUInt16BE(randomInteger(random, 0, 0xffff), 0);
    const accepts = (reply: Buffer) => isReplyTo(bytes, reply);
    const deadline = { name: `an answer of ${server.address}`, milliseconds: timeoutMilliseconds };
    try {
      const reply = await withDeadline(clock, deadline, signal, (ended) =>
        exchange({ server, transport, bytes, accepts, signal: ended }),
      );
      query.copy(reply, 0, 0, 2);
      return reply;
    } catch {
      return undefined;
    }
  }
}

/** The same id and question, letter by letter. */
function isReplyTo(query: Buffer, reply: Buffer): boolean {
  const asked = new Query();
  asked.read(query);
  const end = asked.nameEnd + 4;
  return (
    reply.length >= end &&
    uint16(reply, 0) === uint16(query, 0) &&
    ((reply[2] ?? 0) & 0x80) !== 0 &&
    uint16(reply, 4) === 1 &&
    reply.subarray(HEADER_BYTES, end).equals(query.subarray(HEADER_BYTES, end))
  );
}
