import { type Part, type PartPlan, writesOf } from '@fairlead/part';
import { type Format, renderValue } from '../render/format.ts';
import { renderPlan } from '../render/plan.ts';
import type { Output } from '../terminal.ts';
import { look } from './read-only.ts';

/** `fairlead plan`: what each part would do now, and in how many calls. Changes nothing; tells whether there is any. */
export async function planCommand(
  file: string,
  parts: readonly Part[],
  format: Format,
  signal: AbortSignal,
  { print, palette }: Output,
): Promise<{ readonly hasChanges: boolean }> {
  let hasChanges = false;
  await look(file, parts, signal, async ({ active, environment, cluster }) => {
    const plans = await Promise.all(
      active.map(async ({ part, configured }) => ({ part: part.name, plan: await configured.plan(environment) })),
    );
    hasChanges = plans.some(({ plan }) => writesOf(plan) > 0);
    if (format !== 'table') {
      print(renderValue(format, plans.map(entryOf)));
      return;
    }
    print(`Cluster: ${cluster.name}`);
    for (const { part, plan } of plans) print(renderPlan(part, plan, palette));
  });
  return { hasChanges };
}

function entryOf({ part, plan }: { readonly part: string; readonly plan: PartPlan }) {
  const { changes, heldBack } = plan;
  const lost = changes.reduce((sum, { loses = [] }) => sum + loses.length, 0);
  return { part, writes: writesOf(plan), lost, ...(heldBack === undefined ? {} : { heldBack }), changes };
}
