import { findFairleadError, type IpAddress, parseIpAddress } from '@fairlead/control';
import type { Pod } from '@fairlead/kube';
import { refusal } from '@fairlead/service';
import { EGRESS_LABEL, type EgressName, egressName, type PodUid, podUid } from '../engine/nrp-key.ts';

/** What holds a pod until all its addresses have left NRP. */
export const POD_FINALIZER = 'servicegateway.azure.com/pod-cleanup';

/** Stands for every gateway that no other rule names. */
export const ALL_OTHERS = '*';

/** Which namespaces may use a gateway; a gateway without a rule is open to all. */
export type EgressPolicy = ReadonlyMap<EgressName | typeof ALL_OTHERS, ReadonlySet<string>>;

/** What a pod wants of an egress gateway. */
export type EgressRequest =
  | {
      readonly kind: 'egress';
      readonly uid: PodUid;
      readonly createdAt: string;
      readonly name: EgressName;
      readonly addresses: readonly IpAddress[];
      readonly nodeName: string | undefined;
      /** When it stops wanting it by itself, in wall time: the pod is being deleted. */
      readonly endsAt: number | undefined;
    }
  | { readonly kind: 'refused'; readonly uid: PodUid; readonly error: unknown }
  /** Reading it failed, which is a defect of ours: it stays as it is, and no other pod suffers. */
  | { readonly kind: 'unreadable'; readonly uid: PodUid; readonly error: unknown }
  | {
      readonly kind: 'gone';
      readonly uid: PodUid;
      readonly addresses: readonly IpAddress[];
      readonly nodeName: string | undefined;
    };

/**
 * Reads a pod that has the label. A pod that is being deleted keeps its gateway while it still runs: what it sends last
 * must not leave by another way. `now` is wall time.
 */
export function egressRequest(pod: Pod, policy: EgressPolicy, now: number): EgressRequest {
  const { metadata, spec } = pod;
  const uid = podUid(metadata.uid ?? '');
  try {
    const addresses = addressesOf(pod);
    const endsAt = endOf(pod);
    if (hasEnded(pod) || (endsAt !== undefined && endsAt <= now)) {
      return { kind: 'gone', uid, addresses, nodeName: spec.nodeName };
    }
    const name = egressName(metadata.labels?.[EGRESS_LABEL] ?? '');
    if (spec.hostNetwork === true) {
      throw refusal('host-network', 'it uses the network of its node, whose traffic takes no egress gateway');
    }
    const allowed = policy.get(name) ?? policy.get(ALL_OTHERS);
    if (allowed !== undefined && !allowed.has(metadata.namespace ?? '')) {
      throw refusal('namespace-not-allowed', `its namespace may not use the egress gateway ${name}`);
    }
    const createdAt = metadata.creationTimestamp ?? '';
    return { kind: 'egress', uid, createdAt, name, addresses, nodeName: spec.nodeName, endsAt };
  } catch (error) {
    const kind = findFairleadError(error) === undefined ? 'unreadable' : 'refused';
    return { kind, uid, error };
  }
}

/** Whether the pod is to have no gateway any more. */
export function isOver({ kind }: EgressRequest): boolean {
  return kind === 'gone' || kind === 'refused';
}

/** In canonical spelling, each once. */
function addressesOf({ status }: Pod): readonly IpAddress[] {
  const texts = [...(status?.podIPs ?? []).map(({ ip }) => ip), ...(status?.podIP === undefined ? [] : [status.podIP])];
  return [...new Set(texts.flatMap((text) => parseIpAddress(text)?.address ?? []))];
}

/** Whether none of its containers runs any more. */
function hasEnded({ status, metadata }: Pod): boolean {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return true;
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
}

/** A pod that is being deleted names the end of its grace period. */
function endOf({ metadata }: Pod): number | undefined {
  return metadata.deletionTimestamp === undefined ? undefined : Date.parse(metadata.deletionTimestamp);
}
