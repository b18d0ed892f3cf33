import type { Clock } from '@fairlead/control';
import { heldAtFirst, type PartPlan } from '@fairlead/part';
import type { View } from './view.ts';

export const ALL = 'all clusters';

/** Of imports that would lose the cluster, or one of all. */
export function brakeOf(cluster: string) {
  return { things: `imported Services of ${cluster}` };
}

/**
 * What a leader that started now would hold back, for a plan. `losses` has the clusters that each import would lose, by
 * its key.
 */
export function heldWithdrawals(
  clock: Clock,
  losses: ReadonlyMap<string, ReadonlySet<string>>,
  view: Pick<View, 'importCount' | 'imports'>,
): Pick<PartPlan, 'heldBack'> {
  const clusters = [...new Set([...losses.values()].flatMap((lost) => [...lost]))].toSorted();
  const keysOf = (isMeant: (lost: ReadonlySet<string>) => boolean) =>
    [...losses].flatMap(([key, lost]) => (isMeant(lost) ? [key] : []));
  const judged = clusters.map((cluster) => {
    const keys = keysOf((lost) => lost.has(cluster));
    return { cluster, ...heldAtFirst(clock, 'clusterset', brakeOf(cluster), keys, view.importCount(cluster)) };
  });
  const holding = new Set(judged.flatMap(({ cluster, heldBack }) => (heldBack === undefined ? [] : [cluster])));
  const others = keysOf((lost) => lost.size > 0 && ![...lost].some((cluster) => holding.has(cluster)));
  const together = heldAtFirst(clock, 'clusterset', brakeOf(ALL), others, view.imports);
  const told = [...judged, together].flatMap(({ heldBack }) => heldBack ?? []);
  return told.length === 0 ? {} : { heldBack: told.join(' ') };
}
