import type { Clock, HttpTransport, ProcessClock, Random, Timer } from '@fairlead/control';
import type { Kernel } from './kernel/kernel.ts';
import type { Caller, OpenCall } from './network/caller.ts';
import type { Network, OutsideCall, ServerOptions } from './network/network.ts';

/** What a simulated process runs. When it resolves, the process has ended; when it rejects, the run has failed. */
export type Main = (incarnation: Incarnation) => Promise<void>;

/** One life of a simulated process: what its code gets instead of the machine. */
export class Incarnation implements Caller {
  readonly name: string;
  /** From 1; each restart is a new one. */
  readonly number: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly monotonic: () => number;
  readonly #kernel: Kernel;
  readonly #network: Network;
  readonly #processClock: ProcessClock;
  readonly #stopping = new AbortController();
  readonly #open = new Set<OpenCall>();
  readonly #crash: (restartAfterMilliseconds: number) => void;

  constructor(
    name: string,
    number: number,
    kernel: Kernel,
    network: Network,
    processClock: ProcessClock,
    crash: (restartAfterMilliseconds: number) => void,
  ) {
    this.name = name;
    this.number = number;
    this.#kernel = kernel;
    this.#network = network;
    this.#processClock = processClock;
    this.#crash = crash;
    this.random = kernel.streams.named(`process ${name} ${number}`);
    this.monotonic = () => kernel.clock.monotonic();
    this.clock = {
      now: () => processClock.now(),
      monotonic: () => processClock.monotonic(),
      setTimer: (delayMilliseconds, callback) => this.#setTimer(delayMilliseconds, callback),
      turn: () => new Promise((resolve) => void this.#setTimer(0, resolve)),
    };
  }

  get alive(): boolean {
    return this.#processClock.state !== 'killed';
  }

  /** Aborted when the process is asked to stop, as by SIGTERM. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** The way to a server. */
  connect(server: string): HttpTransport {
    return this.#network.connect(this, server);
  }

  /** Serves others for as long as it lives. */
  serve(name: string, transport: HttpTransport, options: ServerOptions = {}): void {
    this.#network.serve(name, transport, options, this);
  }

  /** Does something outside that is not HTTP. */
  call<Result>(what: OutsideCall, effect: () => Result | Promise<Result>): Promise<Result> {
    return this.#network.perform(this, what, effect);
  }

  later(delayMilliseconds: number, callback: () => void): void {
    this.#setTimer(delayMilliseconds, callback);
  }

  crash(restartAfterMilliseconds: number): void {
    if (this.alive) this.#crash(restartAfterMilliseconds);
  }

  holdOpen(call: OpenCall): void {
    this.#open.add(call);
  }

  letGo(call: OpenCall): void {
    this.#open.delete(call);
  }

  get isOutOfTouch(): boolean {
    return [...this.#open].some(({ isUnheard }) => isUnheard);
  }

  /** Breaks its connections to the server, and hears of it. */
  resetConnections(server: string): void {
    for (const call of this.#open) if (call.server === server) call.reset();
  }

  stop(reason: unknown): void {
    this.later(0, () => this.#stopping.abort(reason));
  }

  /** Never runs again. What it sent is on its way; what it waits for never comes. */
  kill(): void {
    this.#processClock.kill();
    for (const call of this.#open) call.close();
  }

  #setTimer(delayMilliseconds: number, callback: () => void): Timer {
    return this.#kernel.later(this.#processClock, delayMilliseconds, this, callback);
  }
}

/** A program on a machine of its own: it can be killed, restarted, paused, suspended, and have its clock changed. */
export class SimulatedProcess {
  readonly name: string;
  readonly #kernel: Kernel;
  readonly #network: Network;
  readonly #main: Main;
  readonly #onDeath: (name: string) => void;
  #incarnation: Incarnation | undefined;
  #processClock: ProcessClock | undefined;
  #lives = 0;
  #pauses = 0;
  #suspensions = 0;

  constructor(name: string, kernel: Kernel, network: Network, main: Main, onDeath: (name: string) => void) {
    this.name = name;
    this.#kernel = kernel;
    this.#network = network;
    this.#main = main;
    this.#onDeath = onDeath;
  }

  /** `ended` is by its own will, `dead` by a crash. */
  get state(): 'running' | 'paused' | 'dead' | 'ended' | 'not-started' {
    if (this.#processClock === undefined) return 'not-started';
    if (this.#processClock.state === 'killed') return this.#incarnation === undefined ? 'ended' : 'dead';
    return this.#processClock.state;
  }

  get isOutOfTouch(): boolean {
    return this.#incarnation?.isOutOfTouch ?? false;
  }

  get lives(): number {
    return this.#lives;
  }

  /** Begins a new life on the world as it is; the one before it, if any, is killed. */
  start(): void {
    this.#incarnation?.kill();
    this.#lives += 1;
    this.#pauses = 0;
    this.#suspensions = 0;
    const processClock = this.#kernel.clock.process(this.#processClock?.wallSkew, this.#processClock?.rate);
    const crash = (restartAfterMilliseconds: number) => this.crash(restartAfterMilliseconds);
    const incarnation = new Incarnation(this.name, this.#lives, this.#kernel, this.#network, processClock, crash);
    this.#processClock = processClock;
    this.#incarnation = incarnation;
    this.#kernel.record(`${this.name} starts (life ${this.#lives})`);
    incarnation.later(0, () => void this.#live(incarnation));
  }

  /** Dies in the middle of whatever it does. Starts again after so long, if a time is given. */
  crash(restartAfterMilliseconds?: number): void {
    const incarnation = this.#incarnation;
    if (incarnation?.alive !== true) return;
    this.#kernel.record(`${this.name} dies`);
    incarnation.kill();
    this.#onDeath(this.name);
    if (restartAfterMilliseconds === undefined) return;
    this.#kernel.later(this.#kernel.clock, restartAfterMilliseconds, undefined, () => {
      if (this.#incarnation === incarnation) this.start();
    });
  }

  /** Asks it to stop, as by SIGTERM. */
  stop(): void {
    this.#kernel.record(`${this.name} is asked to stop`);
    this.#incarnation?.stop(new Error('the process was asked to stop'));
  }

  /** Freezes it. It goes on when every pause has ended. */
  pause(): void {
    if (this.state !== 'running' && this.state !== 'paused') return;
    this.#pauses += 1;
    this.#kernel.record(`${this.name} is paused`);
    this.#processClock?.pause();
  }

  resume(): void {
    if (this.state !== 'paused' || this.#pauses === 0) return;
    this.#pauses -= 1;
    if (this.#pauses > 0) return;
    this.#kernel.record(`${this.name} goes on`);
    this.#processClock?.resume();
  }

  /** Freezes its machine, whose monotonic time stands still. It goes on when every suspension has ended. */
  suspend(): void {
    if (this.state !== 'running' && this.state !== 'paused') return;
    this.#suspensions += 1;
    this.#kernel.record(`${this.name} is suspended`);
    this.#processClock?.suspend();
  }

  wake(): void {
    if (this.state !== 'paused' || this.#suspensions === 0) return;
    this.#suspensions -= 1;
    if (this.#suspensions > 0) return;
    this.#kernel.record(`${this.name} wakes`);
    this.#processClock?.wake();
  }

  /**
   * Sets its wall clock; a restart does not undo it. Nobody sets that of a machine that sleeps: put back by just as long,
   * nothing on it would tell that it has slept.
   */
  jumpWall(milliseconds: number): void {
    if (this.#suspensions > 0) return;
    this.#kernel.record(`${this.name} has its clock moved by ${milliseconds} ms`);
    this.#processClock?.jumpWall(milliseconds);
  }

  /** Makes its clocks run at another rate; a restart does not undo it. */
  drift(rate: number): void {
    this.#kernel.record(`${this.name} has clocks that run at ${rate}`);
    this.#processClock?.drift(rate);
  }

  /** Goes on if it was paused or suspended, lives again if it was dead. */
  recover(): void {
    this.#pauses = Math.min(this.#pauses, 1);
    this.#suspensions = Math.min(this.#suspensions, 1);
    this.resume();
    this.wake();
    if (this.state === 'dead') this.start();
  }

  resetConnections(server: string): void {
    this.#incarnation?.resetConnections(server);
  }

  async #live(incarnation: Incarnation): Promise<void> {
    try {
      await this.#main(incarnation);
    } catch (error) {
      if (incarnation.alive) this.#kernel.uncaughtError(error);
      return;
    }
    if (!incarnation.alive) return;
    this.#kernel.record(`${this.name} ends`);
    incarnation.kill();
    this.#incarnation = undefined;
    this.#onDeath(this.name);
  }
}
