import { type Outcome, playScript } from './play.ts';
import type { Scenario } from './scenario.ts';
import type { Script } from './script.ts';

export interface ShrinkOptions {
  /** Gives up after so many runs; what was found by then is already shorter. */
  readonly runs?: number;
  readonly onProgress?: (size: number, runs: number) => void;
}

/** A shorter script that fails in the same way, and how it went. */
export interface Shrunk<Action> {
  readonly script: Script<Action>;
  readonly outcome: Outcome<Action>;
  readonly runs: number;
}

const DEFAULT_RUNS = 500;

/** Leaves out actions, disturbances and faults of a run that failed, as long as the same invariant still breaks. */
export async function shrink<World, Action>(
  scenario: Scenario<World, Action>,
  failed: Outcome<Action>,
  options: ShrinkOptions = {},
): Promise<Shrunk<Action>> {
  const invariant = failed.failure?.invariant;
  if (invariant === undefined) throw new Error(`seed ${failed.seed} did not fail: there is nothing to shrink`);
  const limit = options.runs ?? DEFAULT_RUNS;
  const { seed } = failed;
  let best = failed;
  let runs = 0;
  const items = [
    ...failed.script.events.map((event) => ({ kind: 'event', event }) as const),
    ...failed.script.faults.map((fault) => ({ kind: 'fault', fault }) as const),
  ];
  await shrinkList(items, async (kept) => {
    if (runs >= limit) return false;
    runs += 1;
    const events = kept.flatMap((item) => (item.kind === 'event' ? [item.event] : []));
    const faults = kept.flatMap((item) => (item.kind === 'fault' ? [item.fault] : []));
    const outcome = await playScript(scenario, { seed, events, faults });
    options.onProgress?.(kept.length, runs);
    if (outcome.failure?.invariant !== invariant) return false;
    // Its script has only those faults that still met their call.
    best = outcome;
    return true;
  });
  return { script: best.script, outcome: best, runs };
}

/** The shortest list found by leaving out pieces, first large then small, while the rest still fails. */
export async function shrinkList<Item>(
  items: readonly Item[],
  stillFails: (items: readonly Item[]) => Promise<boolean>,
): Promise<readonly Item[]> {
  let kept = items;
  let size = Math.ceil(kept.length / 2);
  while (size > 0 && kept.length > 0) {
    let removedAny = false;
    for (let start = 0; start < kept.length; ) {
      const shorter = [...kept.slice(0, start), ...kept.slice(start + size)];
      if (await stillFails(shorter)) {
        kept = shorter;
        removedAny = true;
      } else {
        start += size;
      }
    }
    if (size === 1) {
      if (!removedAny) break;
    } else {
      size = Math.ceil(size / 2);
    }
  }
  return kept;
}
