import { FairleadError, type HttpTransport, randomInteger } from '@fairlead/control';
import { describeFault, type Fault } from '../faults/fault.ts';
import type { FaultInjector } from '../faults/fault-injector.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { hashText } from '../kernel/random-streams.ts';
import { type Call, CallBook } from './call.ts';
import type { Caller } from './caller.ts';
import { Conditions } from './conditions.ts';
import { type Dialect, isWrite, plainDialect, type RequestName } from './dialect.ts';
import { type Destination, Exchange, type Latency, type Route } from './exchange.ts';

export interface ServerOptions {
  /** How its calls are named and refused; by method and path unless told otherwise. */
  readonly dialect?: Dialect;
  /** 1 to 10 ms each way unless told otherwise. */
  readonly latency?: Latency;
}

/** An outside call that is not HTTP: a program that is run, a file that is written. */
export interface OutsideCall extends RequestName {
  readonly write: boolean;
}

/** The process that serves, when it is not a part of the world itself. */
interface Host {
  readonly name: string;
  readonly alive: boolean;
  later(delayMilliseconds: number, callback: () => void): void;
}

const DEFAULT_LATENCY: Latency = { minimum: 1, maximum: 10 };
const LATENCY_STREAM = hashText('latency');
/** How closely a request that was held back follows the one that overtook it. */
const FOLLOWS_AFTER_MILLISECONDS = 1;
const REPEATABLE = ['GET', 'HEAD', 'PUT', 'DELETE'];

/** Everything between simulated processes and servers. */
export class Network {
  readonly conditions = new Conditions();
  readonly calls = new CallBook();
  readonly faults: FaultInjector;
  readonly #kernel: Kernel;
  readonly #destinations = new Map<string, Destination>();
  /** Server to the process that hosts it. */
  readonly #hosts = new Map<string, string>();
  /** `process > server` to the requests that wait to be overtaken. */
  readonly #heldBack = new Map<string, Set<() => void>>();

  constructor(kernel: Kernel, faults: FaultInjector) {
    this.#kernel = kernel;
    this.faults = faults;
  }

  /** The servers that live in this process. */
  hostedBy(process: string): readonly string[] {
    return [...this.#hosts].flatMap(([server, host]) => (host === process ? server : []));
  }

  /** A server that is always there, or one that lives and dies with the process that hosts it. */
  serve(name: string, transport: HttpTransport, options: ServerOptions, host?: Host): void {
    const kernel = this.#kernel;
    if (host !== undefined) this.#hosts.set(name, host.name);
    this.#destinations.set(name, {
      transport,
      dialect: options.dialect ?? plainDialect,
      latency: options.latency ?? DEFAULT_LATENCY,
      get listening() {
        return host?.alive ?? true;
      },
      later(delayMilliseconds, callback) {
        if (host?.alive === true) host.later(delayMilliseconds, callback);
        else kernel.later(kernel.clock, delayMilliseconds, undefined, callback);
      },
    });
  }

  /** The way from a process to a server, which need not be there yet. */
  connect(caller: Caller, server: string): HttpTransport {
    return {
      send: async (request) => {
        request.signal?.throwIfAborted();
        const destination = this.#destinations.get(server);
        if (destination === undefined) throw new Error(`no server is called ${server}: name it with serve() first`);
        if (!caller.alive) return new Promise(() => {});
        const { dialect } = destination;
        const call = this.calls.enter(caller.name, server, dialect.name(request), {
          streaming: request.streaming === true,
          repeatable: REPEATABLE.includes(request.method),
          write: isWrite(request),
          refusals: dialect.refusals(request),
          streamErrors: dialect.streamErrors,
        });
        const random = this.#kernel.streams.derived(LATENCY_STREAM, call.hash);
        const route = this.#route(caller, server, destination);
        return new Exchange(route, caller, call, request, this.faults.decide(call), random).run();
      },
    };
  }

  /** Does something outside that is not HTTP, where it may fail, be delayed or be the last thing the process does. */
  async perform<Result>(caller: Caller, what: OutsideCall, effect: () => Result | Promise<Result>): Promise<Result> {
    if (!caller.alive) return new Promise(() => {});
    const call = this.calls.enter(caller.name, 'local', what, {
      streaming: false,
      repeatable: false,
      write: what.write,
      refusals: [],
      streamErrors: [],
    });
    const fault = this.faults.decide(call);
    if (fault !== undefined) this.#kernel.record(`${call.id} FAULT ${describeFault(fault)}`);
    const random = this.#kernel.streams.derived(LATENCY_STREAM, call.hash);
    const pause = (extra = 0) => {
      const delay = extra + randomInteger(random, DEFAULT_LATENCY.minimum, DEFAULT_LATENCY.maximum);
      return new Promise<void>((resolve) => caller.later(delay, resolve));
    };
    if (fault?.kind === 'crash' && fault.side === 'before') caller.crash(fault.milliseconds);
    if (fault?.kind === 'lose-request') await new Promise(() => {});
    await pause(fault?.kind === 'delay' ? fault.milliseconds : 0);
    if (fault?.kind === 'reset-request') throw failed(call);
    const result = await effect();
    this.#kernel.record(`${call.id} done`);
    if (fault?.kind === 'crash') caller.crash(fault.milliseconds);
    if (fault?.kind === 'lose-response') await new Promise(() => {});
    await pause();
    if (fault?.kind === 'reset-response' || fault?.kind === 'misreport') throw failed(call);
    return result;
  }

  #route(caller: Caller, server: string, destination: Destination): Route {
    const kernel = this.#kernel;
    const later = (delay: number, callback: () => void) => void kernel.later(kernel.clock, delay, undefined, callback);
    return {
      destination,
      isPartitioned: () => this.conditions.isPartitioned(caller.name, server),
      standingRefusal: () => this.#standingRefusal(caller.name, server),
      holdBack: (milliseconds, deliver) => this.#holdBack(`${caller.name} > ${server}`, milliseconds, deliver),
      passed: () => this.#passed(`${caller.name} > ${server}`),
      record: (line) => kernel.record(line),
      absorb: (content) => kernel.history.absorb(content),
      later,
      uncaughtError: (error) => kernel.uncaughtError(error),
    };
  }

  #standingRefusal(process: string, server: string): Extract<Fault, { kind: 'refuse' }> | undefined {
    const refusal = this.conditions.refusal(process, server);
    return refusal === undefined ? undefined : { kind: 'refuse', ...refusal };
  }

  #holdBack(pair: string, milliseconds: number, deliver: () => void): void {
    const waiting = this.#heldBack.get(pair) ?? new Set();
    this.#heldBack.set(pair, waiting);
    let done = false;
    const once = () => {
      if (done) return;
      done = true;
      waiting.delete(once);
      deliver();
    };
    waiting.add(once);
    this.#kernel.later(this.#kernel.clock, milliseconds, undefined, once);
  }

  #passed(pair: string): void {
    const waiting = this.#heldBack.get(pair);
    if (waiting === undefined || waiting.size === 0) return;
    for (const deliver of waiting) {
      waiting.delete(deliver);
      this.#kernel.later(this.#kernel.clock, FOLLOWS_AFTER_MILLISECONDS, undefined, deliver);
    }
  }
}

function failed(call: Call): FairleadError {
  return new FairleadError(`${call.name} failed`, { verdict: 'retriable', code: 'simulated-failure' });
}
