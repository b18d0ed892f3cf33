import type { Clock, Timer } from '@fairlead/control';
import { TCP_BYTES } from '../wire/index.ts';
import type { DropReason } from './counts.ts';
import type { ByteStream, StreamHandler } from './sockets.ts';
import type { WorkBudget } from './work-budget.ts';

/** What a query over TCP came to: a reply in `out`, of so many bytes, or one that comes later, if at all. */
export type StreamResponder = (bytes: Buffer, out: Buffer) => number | Promise<Buffer | undefined>;

export interface TcpSessionOptions {
  readonly stream: ByteStream;
  readonly respond: StreamResponder;
  readonly clock: Clock;
  /** Those of all connections. */
  readonly budget: WorkBudget;
  /** How long a client may take for its next whole query, or for what it was sent. */
  readonly idleMilliseconds: number;
  readonly dropped: (reason: DropReason) => void;
  /** The connection is gone, and no longer only about to go. */
  readonly ended: () => void;
}

const LENGTH_BYTES = 2;
/** No query has more: a name, a record of EDNS and a signature. */
const MOST_QUERY_BYTES = 4_096;
/** Queries of one connection that wait for another server: a client that does not read has their replies kept here. */
const MOST_WAITING = 8;
const scratch = Buffer.alloc(LENGTH_BYTES + TCP_BYTES);
const NOTHING: Buffer = Buffer.alloc(0);

/** One TCP connection: queries one behind the other, each with its length before it; replies as they are ready. */
export class TcpSession implements StreamHandler {
  readonly #options: TcpSessionOptions;
  #pending: Buffer = NOTHING;
  /** The client does not take what was sent to it. */
  #isBlocked = false;
  /** Of its queries, for other servers. */
  #waiting = 0;
  #waitsForTurn = false;
  #isClosed = false;
  #activeAt: number;
  #idleMilliseconds: number;
  #isFinishing = false;
  #timer: Timer;

  constructor(options: TcpSessionOptions) {
    this.#options = options;
    this.#activeAt = options.clock.monotonic();
    this.#idleMilliseconds = options.idleMilliseconds;
    this.#timer = this.#watch(this.#idleMilliseconds);
  }

  receive(bytes: Buffer): void {
    if (this.#isClosed) return;
    this.#pending = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes]);
    this.#work();
  }

  drained(): void {
    if (!this.#isBlocked || this.#isClosed) return;
    this.#isBlocked = false;
    this.#activeAt = this.#options.clock.monotonic();
    this.#goOn();
  }

  closed(): void {
    this.#stop();
    this.#timer.cancel();
    this.#options.ended();
  }

  /** Answers what still comes, and is closed as soon as no query has come for so long. */
  finish(quietMilliseconds: number): void {
    this.#isFinishing = true;
    this.#idleMilliseconds = Math.min(quietMilliseconds, this.#idleMilliseconds);
    this.#timer.cancel();
    this.#timer = this.#watch(this.#idleMilliseconds);
  }

  destroy(): void {
    this.#stop();
    this.#timer.cancel();
    this.#options.stream.destroy();
  }

  /** The client gets what was sent to it, if it reads that in time. */
  #close(): void {
    this.#stop();
    this.#options.stream.close();
  }

  #stop(): void {
    this.#isClosed = true;
    this.#pending = NOTHING;
  }

  /** Answers the whole queries that are there, as long as the client takes the replies. */
  #work(): void {
    while (!this.#isHeld && !this.#isClosed && this.#pending.length >= LENGTH_BYTES) {
      const length = this.#pending.readUInt16BE(0);
      if (length > MOST_QUERY_BYTES) return this.#drop('oversized');
      const end = LENGTH_BYTES + length;
      if (this.#pending.length < end) return;
      if (this.#options.budget.isSpent) return this.#waitForTurn();
      const query = this.#pending.subarray(LENGTH_BYTES, end);
      this.#pending = this.#pending.subarray(end);
      this.#activeAt = this.#options.clock.monotonic();
      this.#answer(query);
    }
  }

  #waitForTurn(): void {
    this.#waitsForTurn = true;
    this.#options.stream.pause();
    this.#options.budget.wait(() => {
      this.#waitsForTurn = false;
      if (!this.#isClosed) this.#goOn();
    });
  }

  #answer(query: Buffer): void {
    const outcome = this.#options.respond(query, scratch.subarray(LENGTH_BYTES));
    this.#options.budget.spend(typeof outcome === 'number' ? outcome : 0);
    if (typeof outcome !== 'number') {
      void this.#sendLater(outcome);
      return;
    }
    if (outcome === 0) return this.#close();
    this.#send(scratch.subarray(LENGTH_BYTES, LENGTH_BYTES + outcome));
  }

  async #sendLater(outcome: Promise<Buffer | undefined>): Promise<void> {
    this.#waiting += 1;
    if (this.#waiting === MOST_WAITING) this.#options.stream.pause();
    const reply = await outcome;
    const wasHeld = this.#isHeld;
    this.#waiting -= 1;
    if (reply !== undefined) this.#send(reply);
    if (wasHeld && !this.#isClosed) this.#goOn();
  }

  /** Nothing more is read until the client, or another server, did its part, or others had their turn. */
  get #isHeld(): boolean {
    return this.#isBlocked || this.#waitsForTurn || this.#waiting >= MOST_WAITING;
  }

  #goOn(): void {
    if (this.#isHeld) return;
    this.#work();
    if (!this.#isHeld && !this.#isClosed) this.#options.stream.resume();
  }

  #send(reply: Buffer): void {
    if (this.#isClosed) return;
    const framed = Buffer.allocUnsafe(LENGTH_BYTES + reply.length);
    framed.writeUInt16BE(reply.length, 0);
    reply.copy(framed, LENGTH_BYTES);
    if (this.#options.stream.write(framed)) return;
    this.#isBlocked = true;
    this.#options.stream.pause();
  }

  #watch(delayMilliseconds: number): Timer {
    const { clock } = this.#options;
    return clock.setTimer(delayMilliseconds, () => {
      const left = this.#activeAt + this.#idleMilliseconds - clock.monotonic();
      if (left > 0) this.#timer = this.#watch(left);
      else if (this.#isFinishing && !this.#isClosed) this.#close();
      else this.#drop('connection-timeout');
    });
  }

  #drop(reason: DropReason): void {
    this.#options.dropped(reason);
    this.destroy();
  }
}
