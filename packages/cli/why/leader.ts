import { type Clock, messageOf } from '@fairlead/control';
import { type KubeClient, type Lease, leases } from '@fairlead/kube';
import { leaseName } from '@fairlead/part';

/** Who leads a part, as its Lease tells. */
export type Leader =
  /** `replica` is the name of its Pod, where it runs in one. */
  | { readonly kind: 'led'; readonly replica: string }
  | { readonly kind: 'nobody'; readonly last?: { readonly replica: string; readonly silentSeconds: number } }
  | { readonly kind: 'unknown'; readonly why: string };

/** Reads the Lease of a part; one that may not be read leaves it unknown. */
export async function findLeader(
  client: Pick<KubeClient, 'find'>,
  namespace: string,
  part: string,
  clock: Pick<Clock, 'now'>,
  signal: AbortSignal,
): Promise<Leader> {
  try {
    return leaderIn(await client.find(leases, { namespace, name: leaseName(part) }, { signal }), clock.now());
  } catch (error) {
    signal.throwIfAborted();
    return { kind: 'unknown', why: messageOf(error) };
  }
}

/** Goes by the clocks of two machines: good enough to tell a living leader from one that is long dead. */
export function leaderIn(lease: Lease | undefined, now: number): Leader {
  const { holderIdentity = '', renewTime, leaseDurationSeconds = 0 } = lease?.spec ?? {};
  if (holderIdentity === '') return { kind: 'nobody' };
  const replica = replicaOf(holderIdentity);
  const silentSeconds = Math.round((now - Date.parse(renewTime ?? '')) / 1000);
  // The API server lets a Lease have no such time: then none of ours wrote it.
  if (Number.isNaN(silentSeconds)) return { kind: 'nobody' };
  if (silentSeconds <= leaseDurationSeconds) return { kind: 'led', replica };
  return { kind: 'nobody', last: { replica, silentSeconds } };
}

/** A holder's name has a mark of its process behind it. */
export function replicaOf(holder: string): string {
  return holder.replace(/_[^_]*$/, '');
}

export function leaderText(leader: Leader): string {
  switch (leader.kind) {
    case 'led':
      return `led by ${leader.replica}`;
    case 'nobody':
      return leader.last === undefined
        ? 'nobody leads'
        : `nobody leads: ${leader.last.replica} fell silent ${leader.last.silentSeconds} s ago`;
    case 'unknown':
      return `who leads is unknown: ${leader.why}`;
  }
}
