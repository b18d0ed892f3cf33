import { type IpAddress, parseIpAddress } from '@fairlead/control';
import type { IpFamily, Node } from '@fairlead/kube';

const EXCLUDE_LABEL = 'node.kubernetes.io/exclude-from-external-load-balancers';
/** Put on a node by the cluster autoscaler before it takes the machine away. */
const AUTOSCALER_TAINT = 'ToBeDeletedByClusterAutoscaler';
/** What Go's strconv.ParseBool takes for false; upstream reads the label with it. */
const FALSE_SPELLINGS: ReadonlySet<string> = new Set(['0', 'f', 'F', 'false', 'False', 'FALSE']);

/** The node's address of a family inside the cluster's network: the first that it reports. */
export function nodeAddress(node: Node, family: IpFamily): IpAddress | undefined {
  for (const { type, address } of node.status?.addresses ?? []) {
    const parsed = type === 'InternalIP' ? parseIpAddress(address) : undefined;
    if (parsed?.family === family) return parsed.address;
  }
  return undefined;
}

export type NodeExclusion = 'being-deleted' | 'excluded-by-label' | 'marked-by-autoscaler' | 'not-ready';

/**
 * Why the node gets no traffic from outside, if it does not. Rules as upstream's cloud providers have them: a
 * cordoned node keeps serving the pods it has; and whether a node that is not ready stays depends on the load
 * balancer: one with health checks of its own finds out sooner and needs no rewrite.
 */
export function nodeExclusion(node: Node, unready: 'left-out' | 'left-to-health-checks'): NodeExclusion | undefined {
  if (node.metadata.deletionTimestamp !== undefined) return 'being-deleted';
  const excluded = node.metadata.labels?.[EXCLUDE_LABEL];
  if (excluded !== undefined && !FALSE_SPELLINGS.has(excluded)) return 'excluded-by-label';
  if (node.spec?.taints?.some((taint) => taint.key === AUTOSCALER_TAINT)) return 'marked-by-autoscaler';
  if (unready === 'left-out' && !isReady(node)) return 'not-ready';
  return undefined;
}

/** A node that has never reported is not ready. */
function isReady(node: Node): boolean {
  return node.status?.conditions?.find((condition) => condition.type === 'Ready')?.status === 'True';
}
