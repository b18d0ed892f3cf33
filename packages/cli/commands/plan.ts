import { type Part, writesOf } from '@fairlead/part';
import { renderPlan } from '../render/plan.ts';
import { look } from './read-only.ts';

/** `fairlead plan`: what each part would do now, and in how many calls. Changes nothing. */
export async function planCommand(
  file: string,
  parts: readonly Part[],
  asJson: boolean,
  signal: AbortSignal,
  print: (line: string) => void,
): Promise<void> {
  await look(file, parts, signal, async ({ active, environment, cluster }) => {
    const plans = await Promise.all(
      active.map(async ({ part, configured }) => ({ part: part.name, plan: await configured.plan(environment) })),
    );
    if (asJson) {
      print(JSON.stringify(plans.map(({ part, plan }) => ({ part, writes: writesOf(plan), changes: plan.changes }))));
      return;
    }
    print(`Cluster: ${cluster.name}`);
    for (const { part, plan } of plans) print(renderPlan(part, plan));
  });
}
