import type { Random } from '@fairlead/control';
import type { DisturbancePlan, Timed } from '../faults/disturbance.ts';
import type { FaultPolicy } from '../faults/fault-injector.ts';
import type { Invariant } from '../kernel/kernel.ts';
import type { Call } from '../network/call.ts';
import type { Simulation } from '../simulation.ts';

/**
 * A part of Fairlead in a simulated world: what happens to it, what must hold at every step, and what must be so in
 * the end. An action is plain data and makes sense whatever happened before it, so that any of them can be left out.
 */
export interface Scenario<World, Action> {
  readonly name: string;
  /** One sentence: what runs, what is done to it, what is checked. */
  readonly description: string;
  /** Virtual minutes with actions and faults. */
  readonly minutes: number;
  /** Virtual minutes within which it has to come to rest once faults have stopped. */
  readonly convergesWithinMinutes: number;
  readonly faults: FaultPolicy;
  readonly disturbances: DisturbancePlan;
  /** What is done to the world, in any order, within so many virtual milliseconds. The seed is that of the world. */
  actions(random: Random, milliseconds: number, seed: number): readonly Timed<Action>[];
  /** Sets up servers and processes. No time passes meanwhile: it must not wait for any. */
  build(simulation: Simulation): World | Promise<World>;
  apply(world: World, action: Action): void | Promise<void>;
  /** The action in a few words. */
  describe(action: Action): string;
  invariants(world: World): readonly Invariant[];
  // The questions below are asked between steps, and as with `build`, no time passes until they are answered.
  /**
   * What is still missing, as a sentence; undefined when it has come to rest as it should. A part that has not yet
   * heard that all is well is not at rest.
   */
  unfinished(world: World): string | undefined | Promise<string | undefined>;
  /** What must hold once it has come to rest, for so many virtual minutes. */
  readonly rest?: Rest<World>;
  /** Resources outside that no Service wants any more and no controller would ever remove, once at rest. */
  leaked?(world: World): readonly string[] | Promise<readonly string[]>;
  /** Resources that should be there and that no controller would ever make again, once at rest. */
  lost?(world: World): readonly string[] | Promise<readonly string[]>;
  /** Whether the crash matrix kills a process at this call; at every call unless told otherwise. */
  isCrashPoint?(call: Call): boolean;
}

/** A converged world makes no write calls. */
export interface Rest<World = unknown> {
  readonly minutes: number;
  /** Writes that go on for ever, such as the renewal of a Lease; and those for which there is a reason all the same. */
  allows(call: Call, world: World): boolean;
}
