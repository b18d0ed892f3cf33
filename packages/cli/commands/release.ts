import { FairleadError } from '@fairlead/control';
import { keyText, leases } from '@fairlead/kube';
import { leaseName, type Part, RELEASE_ANNOTATION } from '@fairlead/part';
import { oneLine } from '../render/printable.ts';
import { findLeader, leaderText } from '../why/leader.ts';
import { look } from './read-only.ts';

/** `fairlead release`: lets go ahead what the brake of a part holds back, by a mark on the Lease of its leader. */
export async function releaseCommand(
  file: string,
  parts: readonly Part[],
  name: string,
  signal: AbortSignal,
  print: (line: string) => void,
): Promise<void> {
  await look(file, parts, signal, async ({ active, cluster, configuration, environment }) => {
    const leading = active.filter(({ configured }) => configured.runs === 'leader').map(({ part }) => part.name);
    if (!leading.includes(name)) {
      const message = `no part named ${name} leads here; there is ${leading.join(', ')}`;
      throw new FairleadError(message, { verdict: 'terminal', code: 'usage' });
    }
    const { namespace } = configuration.leaderElection;
    const key = { namespace, name: leaseName(name) };
    const leader = await findLeader(cluster.client, namespace, name, environment.clock, signal);
    if (leader.kind !== 'led') {
      const message = `${name}: ${leaderText(leader)}, so nothing is held back`;
      throw new FairleadError(message, { verdict: 'terminal', code: 'nobody-leads' });
    }
    const mark = new Date(environment.clock.now()).toISOString();
    const patch = { metadata: { annotations: { [RELEASE_ANNOTATION]: mark } } };
    await cluster.client.patchMerge(leases, key, patch, { signal, fieldManager: 'fairlead-release' });
    print(oneLine(`${leader.replica} lets go what ${name} holds back when it next renews its Lease ${keyText(key)}.`));
  });
}
