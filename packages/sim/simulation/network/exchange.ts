import {
  FairleadError,
  type HttpRequest,
  type HttpResponse,
  type HttpTransport,
  type Random,
  randomInteger,
} from '@fairlead/control';
import { describeFault, type Fault } from '../faults/fault.ts';
import type { Call } from './call.ts';
import type { Caller } from './caller.ts';
import type { Dialect } from './dialect.ts';
import { ResponseStream } from './response-stream.ts';

/** Virtual milliseconds that one way between two sides takes. */
export interface Latency {
  readonly minimum: number;
  readonly maximum: number;
}

/** Where requests arrive. */
export interface Destination {
  readonly transport: HttpTransport;
  readonly dialect: Dialect;
  readonly latency: Latency;
  /** False while the server does not listen. */
  readonly listening: boolean;
  /** Calls back in the time of the server's process: a paused one answers no call. */
  later(delayMilliseconds: number, callback: () => void): void;
}

/** What an exchange asks of the network it goes through. */
export interface Route {
  readonly destination: Destination;
  readonly isPartitioned: () => boolean;
  readonly standingRefusal: () => Extract<Fault, { kind: 'refuse' }> | undefined;
  /** Holds a request back until the next one has arrived, or the time is up. */
  readonly holdBack: (milliseconds: number, deliver: () => void) => void;
  /** To be called when a request arrives, so that those held back may follow. */
  readonly passed: () => void;
  readonly record: (line: string) => void;
  readonly absorb: (content: string | Uint8Array) => void;
  /** In the network's time: what is on its way does not stop with its sender. */
  readonly later: (delayMilliseconds: number, callback: () => void) => void;
  readonly uncaughtError: (error: unknown) => void;
}

const encoder = new TextEncoder();

/** One request and its response on their way through the network. */
export class Exchange {
  readonly #route: Route;
  readonly #caller: Caller;
  readonly #call: Call;
  readonly #request: HttpRequest;
  readonly #fault: Fault | undefined;
  readonly #random: Random;
  readonly #outcome = Promise.withResolvers<HttpResponse>();
  readonly #toServer = new AbortController();
  #stream: ResponseStream | undefined;
  /** The request or its answer got lost. */
  #isLost = false;
  #over = false;

  constructor(
    route: Route,
    caller: Caller,
    call: Call,
    request: HttpRequest,
    fault: Fault | undefined,
    random: Random,
  ) {
    this.#route = route;
    this.#caller = caller;
    this.#call = call;
    this.#request = request;
    this.#fault = fault;
    this.#random = random;
  }

  run(): Promise<HttpResponse> {
    const { signal } = this.#request;
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    this.#caller.holdOpen(this);
    this.#send();
    return this.#outcome.promise;
  }

  get server(): string {
    return this.#call.server;
  }

  get isUnheard(): boolean {
    return this.#isLost || this.#stream?.isStalled === true;
  }

  /** The caller is gone: the server notices a moment later. */
  close(): void {
    this.#finish();
    this.#stream?.close();
    this.#route.later(this.#latency(), () => this.#toServer.abort(brokenConnection(this.#call)));
  }

  /** Everything between the two breaks off, and both notice. */
  reset(): void {
    this.#route.later(0, () => this.#toServer.abort(brokenConnection(this.#call)));
    if (this.#stream !== undefined) this.#stream.reset(brokenConnection(this.#call));
    else this.#hearError();
  }

  readonly #onAbort = (): void => {
    const reason = this.#request.signal?.reason;
    this.#stream?.abort(reason);
    this.#outcome.reject(reason);
    this.close();
  };

  #send(): void {
    const fault = this.#fault;
    if (fault !== undefined) this.#note(`FAULT ${describeFault(fault)}`);
    if (this.#route.isPartitioned()) {
      this.#note('lost: partitioned');
      this.#isLost = true;
      return;
    }
    this.#isLost = fault?.kind === 'lose-request';
    if (this.#isLost) return;
    if (fault?.kind === 'crash' && fault.side === 'before') {
      this.#caller.crash(fault.milliseconds);
      return;
    }
    if (fault?.kind === 'reset-request') {
      this.#hearError();
      return;
    }
    if (fault?.kind === 'reorder') {
      this.#route.holdBack(fault.milliseconds, () => this.#arrive(false));
      return;
    }
    const { destination } = this.#route;
    const delay = this.#latency() + (fault?.kind === 'delay' ? fault.milliseconds : 0);
    destination.later(delay, () => this.#arrive(false));
    if (fault?.kind === 'duplicate') destination.later(delay + fault.milliseconds, () => this.#arrive(true));
  }

  #arrive(again: boolean): void {
    this.#route.passed();
    if (this.#toServer.signal.aborted && this.#request.streaming === true) return;
    if (!this.#route.destination.listening) {
      if (!again) this.#hearError('connection-refused');
      return;
    }
    const refusal = this.#fault?.kind === 'refuse' ? this.#fault : this.#route.standingRefusal();
    if (refusal !== undefined) {
      if (!again) this.#hear(this.#madeUp(refusal.status, refusal.retryAfterSeconds));
      return;
    }
    this.#serve(again).catch((error: unknown) => this.#route.uncaughtError(error));
  }

  async #serve(again: boolean): Promise<void> {
    const { destination } = this.#route;
    if (this.#request.body !== undefined) this.#route.absorb(this.#request.body);
    const response = await destination.transport.send(this.#arriving());
    this.#note(`${again ? 'arrived again, ' : ''}answered ${response.status}`);
    const streams = this.#request.streaming === true && response.status < 400;
    if (again) {
      // The network repeated the request: the caller never hears the answer.
      if (!streams) await collect(response);
      return;
    }
    if (streams) this.#answerWithStream(response);
    else this.#answer(response, await collect(response));
  }

  /** What has been sent takes effect also when the caller no longer waits for it; only a stream ends with its reader. */
  #arriving(): HttpRequest {
    const { signal: _, ...request } = this.#request;
    return request.streaming === true ? { ...request, signal: this.#toServer.signal } : request;
  }

  #answer(response: HttpResponse, pieces: readonly Uint8Array[]): void {
    for (const piece of pieces) this.#route.absorb(piece);
    if (this.#isLostAfterEffect()) return;
    if (this.#fault?.kind === 'misreport') {
      this.#hear(this.#madeUp(this.#fault.status));
      return;
    }
    const keep = this.#fault?.kind === 'cut' ? this.#fault.keep : undefined;
    const body = keep === undefined ? wholeBody(pieces) : brokenBody(pieces, keep, brokenConnection(this.#call));
    this.#hear({ status: response.status, headers: response.headers, body });
  }

  #answerWithStream(response: HttpResponse): void {
    if (this.#isLostAfterEffect() || this.#over) {
      this.#toServer.abort(brokenConnection(this.#call));
      return;
    }
    const stream = new ResponseStream({
      fault: this.#fault,
      random: this.#random,
      latency: () => this.#latency(),
      isSilenced: () => this.#route.isPartitioned(),
      monotonic: this.#caller.monotonic,
      hear: (delay, callback) => this.#caller.later(delay, callback),
      later: this.#route.later,
      note: (text) => this.#note(text),
      absorb: this.#route.absorb,
      streamError: (status) => encoder.encode(this.#route.destination.dialect.streamError(status)),
      broken: () => brokenConnection(this.#call),
      onHead: () => {
        this.#note(`heard ${response.status}, a stream`);
        this.#outcome.resolve({ status: response.status, headers: response.headers, body: stream.body });
      },
      onEnd: () => this.#finish(),
      onClose: () => this.close(),
      onCut: () => this.#toServer.abort(brokenConnection(this.#call)),
    });
    this.#stream = stream;
    stream.pump(response.body).catch((error: unknown) => this.#route.uncaughtError(error));
  }

  /** The call took effect; does its answer stay away? */
  #isLostAfterEffect(): boolean {
    const fault = this.#fault;
    if (fault?.kind === 'crash') {
      this.#caller.crash(fault.milliseconds);
      return true;
    }
    if (this.#route.isPartitioned()) this.#note('its answer is lost: partitioned');
    this.#isLost = fault?.kind === 'lose-response' || this.#route.isPartitioned();
    if (this.#isLost) return true;
    if (fault?.kind !== 'reset-response') return false;
    this.#hearError();
    return true;
  }

  #hear(response: HttpResponse): void {
    this.#caller.later(this.#latency(), () => {
      if (this.#over) return;
      this.#finish();
      this.#note(`heard ${response.status}`);
      this.#outcome.resolve(response);
    });
  }

  #hearError(code: 'connection-reset' | 'connection-refused' = 'connection-reset'): void {
    this.#caller.later(this.#latency(), () => {
      if (this.#over) return;
      this.#finish();
      this.#note(`heard ${code}`);
      this.#outcome.reject(brokenConnection(this.#call, code));
    });
  }

  #finish(): void {
    this.#over = true;
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
    this.#caller.letGo(this);
  }

  #madeUp(status: number, retryAfterSeconds?: number): HttpResponse {
    const { headers, body } = this.#route.destination.dialect.refusal(status, this.#request);
    const retryAfter = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
    return { status, headers: { ...headers, ...retryAfter }, body: wholeBody([encoder.encode(body)]) };
  }

  #latency(): number {
    const { minimum, maximum } = this.#route.destination.latency;
    return randomInteger(this.#random, minimum, maximum);
  }

  #note(text: string): void {
    this.#route.record(`${this.#call.id} ${text}`);
  }
}

function brokenConnection(
  call: Call,
  code: 'connection-reset' | 'connection-refused' = 'connection-reset',
): FairleadError {
  const words = code === 'connection-reset' ? 'the connection was reset' : 'nothing listens there';
  return new FairleadError(`${call.server}: ${words} (${call.name})`, { verdict: 'retriable', code });
}

async function collect(response: HttpResponse): Promise<readonly Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of response.body) pieces.push(piece);
  return pieces;
}

async function* wholeBody(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

/** The fraction `keep` of the body, and then the error. */
async function* brokenBody(pieces: readonly Uint8Array[], keep: number, error: Error): AsyncGenerator<Uint8Array> {
  let left = Math.floor(keep * pieces.reduce((sum, piece) => sum + piece.length, 0));
  for (const piece of pieces) {
    if (left === 0) break;
    const part = piece.subarray(0, left);
    left -= part.length;
    yield part;
  }
  throw error;
}
