import type { Random } from '@fairlead/control';
import type { Fault } from '../faults/fault.ts';
import { ArrivingBody } from './arriving-body.ts';

/** What a stream needs of the exchange that it belongs to. */
interface StreamSide {
  readonly fault: Fault | undefined;
  readonly random: Random;
  readonly latency: () => number;
  /** True while nothing gets through. */
  readonly isSilenced: () => boolean;
  readonly monotonic: () => number;
  /** In the receiver's time. */
  readonly hear: (delayMilliseconds: number, callback: () => void) => void;
  /** In the network's time. */
  readonly later: (delayMilliseconds: number, callback: () => void) => void;
  readonly note: (text: string) => void;
  readonly absorb: (content: Uint8Array) => void;
  readonly streamError: (status: number) => Uint8Array;
  readonly broken: () => Error;
  /** The beginning of the response has arrived. */
  readonly onHead: () => void;
  /** The end has arrived. */
  readonly onEnd: () => void;
  /** The reader left. */
  readonly onClose: () => void;
  /** The server's side has to end as well. */
  readonly onCut: () => void;
}

type Item =
  | { readonly kind: 'head' }
  | { readonly kind: 'piece'; readonly piece: Uint8Array }
  | { readonly kind: 'end' }
  | { readonly kind: 'error'; readonly error: unknown };

/** What arrives at one moment. */
interface Batch {
  readonly due: number;
  readonly items: Item[];
}

/** One piece in so many arrives in two parts, as it may on any network. */
const FRAGMENTS = 16;

/** The body of a streaming response on its way: in order, with latency, and with what befalls it. */
export class ResponseStream {
  readonly body: ArrivingBody;
  readonly #side: StreamSide;
  /** On their way, in order. */
  readonly #batches: Batch[] = [];
  #state: 'flowing' | 'stalled' | 'over' = 'flowing';
  /** How much of the next piece arrives before the connection breaks. */
  #keepOfNext: number | undefined;
  #isLeft = false;

  constructor(side: StreamSide) {
    this.#side = side;
    this.body = new ArrivingBody(side.onClose);
    this.#send({ kind: 'head' });
    this.#scheduleFault();
  }

  /** Passes on what the server sends, until either side ends. */
  async pump(source: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      for await (const piece of source) {
        if (this.#state === 'over') return;
        this.#forward(piece);
      }
    } catch (error) {
      if (this.#state === 'over') return;
      this.#side.note(`the server broke off: ${String(error)}`);
      this.reset(this.#side.broken());
      return;
    }
    if (this.#state === 'flowing') this.#finish({ kind: 'end' });
  }

  get isStalled(): boolean {
    return this.#state === 'stalled';
  }

  /** The receiver is gone. */
  close(): void {
    this.#state = 'over';
    this.#isLeft = true;
  }

  /** The receiver gave up. */
  abort(reason: unknown): void {
    this.close();
    this.body.abort(reason);
  }

  reset(error: unknown): void {
    if (this.#state === 'flowing') this.#finish({ kind: 'error', error });
  }

  #scheduleFault(): void {
    const { fault } = this.#side;
    if (fault?.kind !== 'cut' && fault?.kind !== 'stall' && fault?.kind !== 'stream-error') return;
    this.#side.later(fault.milliseconds, () => {
      if (this.#state !== 'flowing') return;
      this.#side.note(`${fault.kind} now`);
      if (fault.kind === 'stall') {
        this.#state = 'stalled';
      } else if (fault.kind === 'stream-error') {
        this.#send({ kind: 'piece', piece: this.#side.streamError(fault.status) });
        this.#finish({ kind: 'end' });
      } else if (fault.keep === undefined) {
        this.#cut();
      } else {
        this.#keepOfNext = fault.keep;
      }
    });
  }

  #forward(piece: Uint8Array): void {
    if (this.#state !== 'flowing') return;
    if (this.#side.isSilenced()) {
      this.#side.note('falls silent: partitioned');
      this.#state = 'stalled';
      return;
    }
    if (this.#keepOfNext !== undefined) {
      const part = piece.subarray(0, Math.floor(piece.length * this.#keepOfNext));
      if (part.length > 0) this.#send({ kind: 'piece', piece: part });
      this.#cut();
      return;
    }
    if (piece.length > 1 && this.#side.random.next() * FRAGMENTS < 1) {
      const middle = 1 + Math.floor(this.#side.random.next() * (piece.length - 1));
      this.#send({ kind: 'piece', piece: piece.subarray(0, middle) });
      this.#send({ kind: 'piece', piece: piece.subarray(middle) });
      return;
    }
    this.#send({ kind: 'piece', piece });
  }

  #cut(): void {
    this.#finish({ kind: 'error', error: this.#side.broken() });
  }

  #finish(item: Item): void {
    this.#send(item);
    this.#state = 'over';
    this.#side.later(0, this.#side.onCut);
  }

  /** What would arrive no later than what is on its way already arrives with it. */
  #send(item: Item): void {
    const due = this.#side.monotonic() + this.#side.latency();
    const last = this.#batches.at(-1);
    if (last !== undefined && due <= last.due) {
      last.items.push(item);
      return;
    }
    this.#batches.push({ due, items: [item] });
    // Timers of one moment may fire in any order; the batches keep theirs.
    this.#side.hear(due - this.#side.monotonic(), () => this.#arrive(this.#batches.shift()));
  }

  #arrive(batch: Batch | undefined): void {
    const bytes = batch?.items.reduce((sum, item) => sum + (item.kind === 'piece' ? item.piece.length : 0), 0) ?? 0;
    if (bytes > 0 && !this.#isLeft) this.#side.note(`+${bytes} B`);
    for (const item of batch?.items ?? []) {
      if (this.#isLeft) return;
      switch (item.kind) {
        case 'head':
          this.#side.onHead();
          break;
        case 'piece':
          this.#side.absorb(item.piece);
          this.body.arrive(item.piece);
          break;
        case 'end':
          this.#side.note('ended');
          this.body.end();
          this.#side.onEnd();
          break;
        case 'error':
          this.#side.note('broke off');
          this.body.fail(item.error);
          this.#side.onEnd();
          break;
      }
    }
  }
}
