import { keyText } from '@fairlead/kube';
import { leaseName, type Part } from '@fairlead/part';

import { renderTable } from '../render/table.ts';
import { findLeader, leaderText } from '../why/leader.ts';
import { look } from './read-only.ts';

/** `fairlead status`: who leads each part, and how it is doing. */
export async function statusCommand(
  file: string,
  parts: readonly Part[],
  signal: AbortSignal,
  print: (line: string) => void,
): Promise<void> {
  await look(file, parts, signal, async ({ configuration, active, environment, cluster }) => {
    print(`Cluster: ${cluster.name}`);
    for (const { part, configured } of active) {
      const key = { namespace: configuration.leaderElection.namespace, name: leaseName(part.name) };
      const leader = leaderText(await findLeader(cluster.client, key.namespace, part.name, environment.clock, signal));
      const status = await configured.status(environment);
      print(`${part.name}: ${status.summary} (${leader}, Lease ${keyText(key)})`);
      const rows = Object.entries(status.figures).map(([name, figure]) => [`  ${name}`, String(figure)]);
      for (const line of renderTable(rows)) print(line);
    }
  });
}
