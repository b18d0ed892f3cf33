import { InternalClient } from '../internal-client.ts';
import type { ServerState } from '../server/state.ts';
import { startCustomResources } from './custom-resources.ts';
import { startEndpointSlices } from './endpoint-slices.ts';
import { onEndpointChange } from './endpoint-work.ts';
import { startEndpoints } from './endpoints.ts';
import { startGarbageCollector } from './garbage-collector.ts';
import { startMirroring } from './mirroring.ts';
import { startNamespaces } from './namespaces.ts';

export interface ControllerOptions {
  /** How long the cluster's controllers take to notice a change and act. */
  readonly delayMilliseconds?: number;
  /** False leaves out the deprecated Endpoints, which cost as much as EndpointSlices. */
  readonly endpoints?: boolean;
  /** What every namespace is told to trust. */
  readonly certificateAuthority?: string;
}

const DEFAULT_DELAY_MILLISECONDS = 10;

/** Starts what a cluster does by itself. */
export function startControllers(state: ServerState, options: ControllerOptions): void {
  const { delayMilliseconds = DEFAULT_DELAY_MILLISECONDS, endpoints = true, certificateAuthority = '' } = options;
  const context = { state, delayMilliseconds, client: new InternalClient(state, 'kube-controller-manager') };
  startCustomResources({ ...context, client: new InternalClient(state, 'kube-apiserver') });
  startNamespaces(context, certificateAuthority);
  startGarbageCollector(context);
  const endpointWork = [startEndpointSlices(context), ...(endpoints ? [startEndpoints(context)] : [])];
  onEndpointChange(context, (key) => {
    for (const work of endpointWork) work(key);
  });
  startMirroring(context);
}
