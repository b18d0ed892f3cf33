import { keyText, type Lease, leases } from '@fairlead/kube';
import { leaseName, type Part } from '@fairlead/part';

import { renderTable } from '../render/table.ts';
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
      const lease = await cluster.client.find(leases, key, { signal });
      const leader = leaderText(lease, environment.clock.now());
      const status = await configured.status(environment);
      print(`${part.name}: ${status.summary} (${leader}, Lease ${keyText(key)})`);
      const rows = Object.entries(status.figures).map(([name, figure]) => [`  ${name}`, String(figure)]);
      for (const line of renderTable(rows)) print(line);
    }
  });
}

/** Goes by the clocks of two machines: good enough to tell a living leader from one that is long dead. */
function leaderText(lease: Lease | undefined, now: number): string {
  const { holderIdentity, renewTime, leaseDurationSeconds = 0 } = lease?.spec ?? {};
  if (holderIdentity === undefined || holderIdentity === '') return 'nobody leads';
  const name = holderIdentity.replace(/_[^_]*$/, '');
  const silentSeconds = Math.round((now - Date.parse(renewTime ?? '')) / 1000);
  if (silentSeconds <= leaseDurationSeconds) return `led by ${name}`;
  return `nobody leads: ${name} fell silent ${silentSeconds} s ago`;
}
