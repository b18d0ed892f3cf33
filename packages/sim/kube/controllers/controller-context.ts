import type { InternalClient } from '../internal-client.ts';
import type { ServerState } from '../server/state.ts';

/** What the cluster's own controllers work with. */
export interface ControllerContext {
  readonly state: ServerState;
  readonly client: InternalClient;
  /** How long a controller takes to notice a change and act. */
  readonly delayMilliseconds: number;
}
