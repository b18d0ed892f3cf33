import type { HttpTransport, Random, VirtualClock } from '@fairlead/control';
import { type Disturbance, describeDisturbance } from './faults/disturbance.ts';
import type { Fault } from './faults/fault.ts';
import { FaultInjector, type FaultPolicy, type PlacedFault } from './faults/fault-injector.ts';
import { History } from './kernel/history.ts';
import { type Failure, type Invariant, Kernel } from './kernel/kernel.ts';
import type { CallListener } from './network/call.ts';
import { Network, type ServerOptions } from './network/network.ts';
import { type Main, SimulatedProcess } from './process.ts';

export interface SimulationOptions {
  readonly seed: number;
  /** What goes wrong with single calls; nothing unless told otherwise. */
  readonly policy?: FaultPolicy;
  /** Faults at chosen calls, whatever the policy says. */
  readonly placed?: readonly PlacedFault[];
  /** Keeps every line of the history instead of the last ones. */
  readonly keepsHistory?: boolean;
}

/** A world in which one seed gives one history: virtual time, simulated processes, and a network with faults between them. */
export class Simulation {
  readonly seed: number;
  readonly #kernel: Kernel;
  readonly #network: Network;
  readonly #processes = new Map<string, SimulatedProcess>();
  #isCalm = false;

  constructor(options: SimulationOptions) {
    this.seed = options.seed;
    this.#kernel = new Kernel(options.seed, new History({ keepsAll: options.keepsHistory ?? false }));
    const faults = new FaultInjector(this.#kernel.streams, options.policy ?? [], options.placed);
    this.#network = new Network(this.#kernel, faults);
  }

  /** The world's own time; a process has its own view of it. */
  get clock(): VirtualClock {
    return this.#kernel.clock;
  }

  get failure(): Failure | undefined {
    return this.#kernel.failure;
  }

  /** How many steps were taken: timers fired. */
  get steps(): number {
    return this.#kernel.steps;
  }

  /** The faults that struck so far. */
  get injected(): readonly PlacedFault[] {
    return this.#network.faults.injected;
  }

  get history(): readonly string[] {
    return this.#kernel.history.tail();
  }

  /** The hash of everything that happened so far. */
  hash(): string {
    return this.#kernel.history.hash();
  }

  /** A stream of randomness with a name, independent of all others. */
  random(name: string): Random {
    return this.#kernel.streams.named(name);
  }

  /** Adds a line to the history: an edit of the world, say. */
  record(line: string): void {
    this.#kernel.record(line);
  }

  /** Something that must hold after every step. */
  invariant(invariant: Invariant): void {
    this.#kernel.addInvariant(invariant);
  }

  /** Stops the run as a broken invariant does. */
  fail(invariant: string, sentence: string): void {
    this.#kernel.fail(invariant, sentence);
  }

  /** Tells of every outside call when it is made, until the function it returns is called. */
  onCall(listener: CallListener): () => void {
    return this.#network.calls.listen(listener);
  }

  /** A server that is a part of the world, and never dies. */
  serve(name: string, transport: HttpTransport, options: ServerOptions = {}): void {
    this.#network.serve(name, transport, options);
  }

  /** A simulated process, which starts at once. */
  process(name: string, main: Main): SimulatedProcess {
    const process = new SimulatedProcess(name, this.#kernel, this.#network, main, (dead) => this.#onDeath(dead));
    this.#processes.set(name, process);
    process.start();
    return process;
  }

  /** A fault at one call, by its id: `controller > kube: patch services/status default/web #2`. */
  placeFault(call: string, fault: Fault): void {
    this.#network.faults.place(call, fault);
  }

  /** Calls back at this virtual time, on behalf of no process. */
  at(milliseconds: number, callback: () => void): void {
    const delay = milliseconds - this.clock.monotonic();
    this.#kernel.later(this.clock, delay, undefined, callback);
  }

  disturb(disturbance: Disturbance): void {
    if (this.#isCalm) return;
    const process = this.#processes.get(disturbance.process);
    if (process === undefined) throw new Error(`there is no process ${disturbance.process}`);
    this.record(describeDisturbance(disturbance));
    const { conditions } = this.#network;
    const afterwards = (milliseconds: number, callback: () => void) => {
      this.#kernel.later(this.clock, milliseconds, undefined, callback);
    };
    switch (disturbance.kind) {
      case 'crash':
        process.crash(disturbance.milliseconds);
        return;
      case 'pause': {
        process.pause();
        afterwards(disturbance.milliseconds, () => process.resume());
        return;
      }
      case 'suspend': {
        process.suspend();
        afterwards(disturbance.milliseconds, () => process.wake());
        return;
      }
      case 'drift':
        process.drift(disturbance.rate);
        return;
      case 'clock-jump':
        process.jumpWall(disturbance.milliseconds);
        return;
      case 'partition': {
        conditions.partition(process.name, disturbance.server);
        afterwards(disturbance.milliseconds, () => conditions.heal(process.name, disturbance.server));
        return;
      }
      case 'reset':
        process.resetConnections(disturbance.server);
        return;
      case 'refusal': {
        const { server, milliseconds, status, retryAfterSeconds } = disturbance;
        const refusal = retryAfterSeconds === undefined ? { status } : { status, retryAfterSeconds };
        conditions.refuse(process.name, server, refusal);
        afterwards(milliseconds, () => conditions.accept(process.name, server, refusal));
        return;
      }
    }
  }

  /**
   * The first process that waits for an answer that got lost, or reads a stream which fell silent: what happened since,
   * it has yet to hear, and what it was about to do, it may still do.
   */
  get outOfTouch(): string | undefined {
    return [...this.#processes.values()].find(({ isOutOfTouch }) => isOutOfTouch)?.name;
  }

  /** Faults stop for good: all processes live and reach all servers. What is broken by then has to mend itself. */
  calm(): void {
    this.#isCalm = true;
    this.record('faults stop');
    this.#network.faults.stop();
    this.#network.conditions.clear();
    for (const process of this.#processes.values()) process.recover();
  }

  /** Lets time pass. False when something failed. */
  async run(milliseconds: number): Promise<boolean> {
    await this.#kernel.runUntil(() => false, milliseconds);
    return this.failure === undefined;
  }

  /** Lets time pass until the condition, asked after every step, holds. False when it did not in time, or something failed. */
  runUntil(condition: () => boolean, limitMilliseconds: number): Promise<boolean> {
    return this.#kernel.runUntil(condition, limitMilliseconds);
  }

  /** The callers of a server in a process that died hear of it. */
  #onDeath(name: string): void {
    for (const server of this.#network.hostedBy(name)) {
      for (const process of this.#processes.values()) process.resetConnections(server);
    }
  }
}
