import { drawDisturbances, type Timed } from '../faults/disturbance.ts';
import { LONGEST_DELAY_MILLISECONDS } from '../faults/fault.ts';
import type { Failure } from '../kernel/kernel.ts';
import type { CallListener } from '../network/call.ts';
import { Simulation, type SimulationOptions } from '../simulation.ts';
import type { Scenario } from './scenario.ts';
import type { Script, ScriptEvent } from './script.ts';

/** How a run of a scenario went. */
export interface Outcome<Action> {
  readonly seed: number;
  /** Absent when all went well. */
  readonly failure?: Failure;
  /** Of the whole history. */
  readonly hash: string;
  readonly steps: number;
  /** What happened in it, from which it can be run again. */
  readonly script: Script<Action>;
  readonly leaked: readonly string[];
  readonly lost: readonly string[];
  /** Its last lines; all of them if they were kept. */
  readonly history: readonly string[];
}

export interface PlayOptions {
  readonly keepsHistory?: boolean;
  readonly onCall?: CallListener;
}

/** The name under which a world that does not come to rest is reported. */
export const CONVERGENCE = 'convergence';

/** A world that should come to rest is asked whether it has first after so long, then less and less often. */
const FIRST_QUESTION_MILLISECONDS = 250;
const LONGEST_BETWEEN_QUESTIONS_MILLISECONDS = 5000;
const MINUTE = 60_000;

/** Runs the scenario with everything drawn from the seed. */
export function playSeed<World, Action>(
  scenario: Scenario<World, Action>,
  seed: number,
  options: PlayOptions = {},
): Promise<Outcome<Action>> {
  const simulation = newSimulation({ seed, policy: scenario.faults }, options);
  const milliseconds = scenario.minutes * MINUTE;
  const disturbances = drawDisturbances(simulation.random('disturbances'), scenario.disturbances, milliseconds);
  const events = [
    ...drawActions(scenario, simulation),
    ...disturbances.map(({ at, event }) => ({ at, event: { kind: 'disturbance', disturbance: event } as const })),
  ];
  return play(scenario, simulation, inOrder(events));
}

/** Runs the scenario as it was written down. */
export function playScript<World, Action>(
  scenario: Scenario<World, Action>,
  script: Script<Action>,
  options: PlayOptions = {},
): Promise<Outcome<Action>> {
  const simulation = newSimulation({ seed: script.seed, placed: script.faults }, options);
  return play(scenario, simulation, script.events);
}

/** The actions that the seed gives, and nothing that goes wrong. */
export function faultlessScript<World, Action>(scenario: Scenario<World, Action>, seed: number): Script<Action> {
  return { seed, events: inOrder(drawActions(scenario, new Simulation({ seed }))), faults: [] };
}

function inOrder<Event>(events: readonly Timed<Event>[]): Timed<Event>[] {
  return events.toSorted((left, right) => left.at - right.at);
}

function newSimulation(basis: SimulationOptions, options: PlayOptions): Simulation {
  const simulation = new Simulation({ ...basis, keepsHistory: options.keepsHistory ?? false });
  if (options.onCall !== undefined) simulation.onCall(options.onCall);
  return simulation;
}

function drawActions<World, Action>(
  scenario: Scenario<World, Action>,
  simulation: Simulation,
): Timed<ScriptEvent<Action>>[] {
  const actions = scenario.actions(simulation.random('actions'), scenario.minutes * MINUTE, simulation.seed);
  return actions.map(({ at, event }) => ({ at, event: { kind: 'action', action: event } }));
}

async function play<World, Action>(
  scenario: Scenario<World, Action>,
  simulation: Simulation,
  events: readonly Timed<ScriptEvent<Action>>[],
): Promise<Outcome<Action>> {
  const world = await scenario.build(simulation);
  for (const invariant of scenario.invariants(world)) simulation.invariant(invariant);
  for (const { at, event } of events) simulation.at(at, () => happen(scenario, simulation, world, event));
  const rests =
    (await simulation.run(scenario.minutes * MINUTE)) &&
    (await comeToRest(scenario, simulation, world)) &&
    (await stayAtRest(scenario, simulation, world));
  const leaked = rests ? ((await scenario.leaked?.(world)) ?? []) : [];
  const lost = rests ? ((await scenario.lost?.(world)) ?? []) : [];
  if (leaked.length > 0) simulation.fail('nothing leaks', leaked.join('; '));
  if (lost.length > 0) simulation.fail('nothing is lost', lost.join('; '));
  return {
    seed: simulation.seed,
    ...(simulation.failure === undefined ? {} : { failure: simulation.failure }),
    hash: simulation.hash(),
    steps: simulation.steps,
    script: { seed: simulation.seed, events, faults: simulation.injected },
    leaked,
    lost,
    history: simulation.history,
  };
}

function happen<World, Action>(
  scenario: Scenario<World, Action>,
  simulation: Simulation,
  world: World,
  event: ScriptEvent<Action>,
): void {
  if (event.kind === 'disturbance') {
    simulation.disturb(event.disturbance);
    return;
  }
  simulation.record(`ACTION ${scenario.describe(event.action)}`);
  Promise.resolve(scenario.apply(world, event.action)).catch((error: unknown) => {
    simulation.fail('every action can be applied', `${scenario.describe(event.action)}: ${String(error)}`);
  });
}

async function comeToRest<World, Action>(
  scenario: Scenario<World, Action>,
  simulation: Simulation,
  world: World,
): Promise<boolean> {
  simulation.calm();
  // What was delayed before still arrives: nothing is at rest until then.
  if (!(await simulation.run(LONGEST_DELAY_MILLISECONDS))) return false;
  const limit = simulation.clock.monotonic() + scenario.convergesWithinMinutes * MINUTE;
  for (let wait = FIRST_QUESTION_MILLISECONDS; ; wait = Math.min(2 * wait, LONGEST_BETWEEN_QUESTIONS_MILLISECONDS)) {
    if (!(await simulation.run(wait))) return false;
    const { outOfTouch } = simulation;
    const unheard = outOfTouch === undefined ? undefined : `${outOfTouch} waits for what got lost`;
    const missing = unheard ?? (await scenario.unfinished(world));
    if (missing === undefined) break;
    if (simulation.clock.monotonic() < limit) continue;
    simulation.fail(CONVERGENCE, `${scenario.convergesWithinMinutes} minutes after faults stopped: ${missing}`);
    return false;
  }
  simulation.record('at rest');
  return true;
}

async function stayAtRest<World, Action>(
  scenario: Scenario<World, Action>,
  simulation: Simulation,
  world: World,
): Promise<boolean> {
  const { rest } = scenario;
  if (rest === undefined) return true;
  const stopWatching = simulation.onCall((call) => {
    if (call.write && !rest.allows(call, world))
      simulation.fail('no write without a difference', `at rest, and yet ${call.id}`);
  });
  await simulation.run(rest.minutes * MINUTE);
  stopWatching();
  const missing = await scenario.unfinished(world);
  if (missing !== undefined) simulation.fail(CONVERGENCE, `it was at rest, and then: ${missing}`);
  return simulation.failure === undefined;
}
