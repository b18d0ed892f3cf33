import type { EndpointHost } from './endpoints.ts';

/** Where traffic may go: anywhere in the cluster, or only to the node on which it arrived. */
export type TrafficScope = { readonly policy: 'Cluster' } | { readonly policy: 'Local'; readonly nodeName: string };

/** The endpoints to send to, and what they are: those that are ready, or the last ones still serving. */
export interface EndpointSelection<Host extends EndpointHost> {
  readonly from: 'ready' | 'terminating' | 'none';
  readonly endpoints: readonly Host[];
}

/**
 * The endpoints that take traffic, chosen as kube-proxy does: the ready ones; when there are none, those that
 * terminate and still serve, so that the last pods of a rollout finish their work.
 */
export function selectEndpoints<Host extends EndpointHost>(
  endpoints: readonly Host[],
  scope: TrafficScope = { policy: 'Cluster' },
): EndpointSelection<Host> {
  const inScope =
    scope.policy === 'Cluster' ? endpoints : endpoints.filter((endpoint) => endpoint.nodeName === scope.nodeName);
  const ready = inScope.filter((endpoint) => endpoint.ready);
  if (ready.length > 0) return { from: 'ready', endpoints: ready };
  const terminating = inScope.filter((endpoint) => endpoint.serving && endpoint.terminating);
  if (terminating.length > 0) return { from: 'terminating', endpoints: terminating };
  return { from: 'none', endpoints: [] };
}

/**
 * For `externalTrafficPolicy: Local`: what each node would serve by itself. Nodes that would serve nothing are
 * left out, and so are endpoints whose node is unknown.
 */
export function selectByNode<Host extends EndpointHost>(
  endpoints: readonly Host[],
): ReadonlyMap<string, EndpointSelection<Host>> {
  const selections = new Map<string, EndpointSelection<Host>>();
  for (const [nodeName, local] of Map.groupBy(endpoints, (endpoint) => endpoint.nodeName)) {
    if (nodeName === undefined) continue;
    const selection = selectEndpoints(local);
    if (selection.from !== 'none') selections.set(nodeName, selection);
  }
  return selections;
}
