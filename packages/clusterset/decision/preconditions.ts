import { leases } from '@fairlead/kube';
import { memberNamespace, recordName } from '../records/names.ts';
import type { BrokerObservation, Observation } from './observation.ts';
import type { Settings } from './settings.ts';
import type { Precondition } from './write.ts';

/* What is asked of a server before something goes because a cache does not have it. */

/** Of the clusters that an aggregate names, or that have left: any member can write thousands of names there. */
export const MOST_ASKED = 20;

/**
 * What must hold before clusters are taken out of an import because their records are gone: the broker still knows this
 * cluster, and those, unless they have left. A broker that was emptied or rebuilt knows none of them.
 */
export function withdrawn(
  clusters: readonly string[],
  observed: Observation,
  { left }: Pick<Extract<BrokerObservation, { state: 'in-step' }>, 'left'>,
  settings: Settings,
): readonly Precondition[] {
  if (clusters.length === 0) return [];
  const members = clusters.filter((cluster) => !left.has(cluster));
  // One that has left said so, or was missed for long: there is nothing more to wait for. A tenant can write thousands
  // of names on an import of its namespace, and none of them is a member.
  const gone = clusters.filter((cluster) => left.has(cluster)).slice(0, MOST_ASKED);
  return [
    ...members.map((cluster) => ({ ...noRecord(cluster, observed, settings), loses: cluster })),
    ...gone.map((cluster) => noRecord(cluster, observed, settings)),
    ...[settings.cluster, ...members].map((cluster) => isMember(cluster, settings)),
  ];
}

export function noRecord(
  cluster: string,
  { key }: Observation,
  { brokerNamespace, brokerImports }: Settings,
): Precondition {
  const record = { namespace: memberNamespace(brokerNamespace, cluster), name: recordName(key) };
  return { is: 'absent', at: 'broker', resource: brokerImports, key: record };
}

/** A derived Service goes after its import: a list that has none by mistake takes no address away. */
export function noImport({ key }: Observation, { serviceImports }: Settings): Precondition {
  return { is: 'absent', at: 'member', resource: serviceImports, key };
}

export function isMember(name: string, { brokerNamespace: namespace }: Settings): Precondition {
  return { is: 'there', at: 'broker', resource: leases, key: { namespace, name } };
}
