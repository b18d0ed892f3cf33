import type { IpAddress } from '@fairlead/control';
import { type DesiredServiceStatus, notProgrammed, type Programmed, programmed, refused } from '@fairlead/service';
import { type Failure, isLive, type ServiceState } from '../engine/service-state.ts';

/**
 * What the status of a Service should say; undefined while there is nothing to say yet. `refusal`: why it cannot be
 * served as it asks.
 */
export function desiredStatus(
  state: ServiceState | undefined,
  address: IpAddress | undefined,
  refusal?: Failure,
): DesiredServiceStatus | undefined {
  const said = refusal === undefined ? programmedIn(state, address) : refused(refusal);
  if (said === undefined) return undefined;
  // Packets reach the pods with the pod's address as destination: nodes must not short-cut the public one.
  const ingress = isLive(state) && address !== undefined ? [{ address, mode: 'Proxy' } as const] : [];
  return { ingress, programmed: said };
}

/** Azure's own words change from call to call, and stand in the Event. */
function programmedIn(state: ServiceState | undefined, address: IpAddress | undefined): Programmed | undefined {
  switch (state?.kind) {
    case 'Created':
      return address === undefined ? undefined : programmed([address]);
    case 'Parked':
      return notProgrammed(state.failure.code, 'Azure refuses what it takes; it is tried again now and then.');
    case 'NotStarted':
    case 'UpdatePending': {
      const { failure } = state.wait;
      return failure === undefined ? undefined : notProgrammed(failure, 'An attempt failed and is repeated.');
    }
    case undefined:
    case 'CreationInProgress':
    case 'UpdateInProgress':
    case 'DeletionPending':
    case 'DeletionInProgress':
      return undefined;
  }
}
