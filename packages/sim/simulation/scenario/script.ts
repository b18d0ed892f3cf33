import { type Disturbance, describeDisturbance, type Timed } from '../faults/disturbance.ts';
import { describeFault } from '../faults/fault.ts';
import type { PlacedFault } from '../faults/fault-injector.ts';

/** What happens to the world at a time. */
export type ScriptEvent<Action> =
  | { readonly kind: 'action'; readonly action: Action }
  | { readonly kind: 'disturbance'; readonly disturbance: Disturbance };

/** Everything random about a run but latencies and ties, which follow from the seed: the run can be told again from it. */
export interface Script<Action> {
  readonly seed: number;
  readonly events: readonly Timed<ScriptEvent<Action>>[];
  readonly faults: readonly PlacedFault[];
}

/** One line for each event and each fault. */
export function describeScript<Action>(script: Script<Action>, describe: (action: Action) => string): string[] {
  const events = script.events.map(({ at, event }) => {
    const text = event.kind === 'action' ? describe(event.action) : describeDisturbance(event.disturbance);
    return `at ${(at / 1000).toFixed(3)} s: ${text}`;
  });
  return [...events, ...script.faults.map(({ call, fault }) => `at ${call}: ${describeFault(fault)}`)];
}
