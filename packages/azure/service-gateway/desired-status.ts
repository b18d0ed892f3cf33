import type { IpAddress } from '@fairlead/control';
import type { DesiredServiceStatus } from '@fairlead/service';
import { type Failure, isLive, type ServiceState } from './service-state.ts';

/**
 * What the status of a Service should say; undefined while there is nothing to say yet. `refusal`: why it cannot be
 * served as it asks; `lastFailure`: the code of what an operation for it last failed with.
 */
export function desiredStatus(
  state: ServiceState | undefined,
  address: IpAddress | undefined,
  refusal?: Failure,
  lastFailure?: string,
): DesiredServiceStatus | undefined {
  // Packets reach the pods with the pod's address as destination: nodes must not short-cut the public one.
  const ingress = isLive(state) && address !== undefined ? [{ address, mode: 'Proxy' } as const] : [];
  const not = (reason: string, message: string): DesiredServiceStatus => ({
    ingress,
    programmed: { status: 'False', reason, message },
  });
  if (refusal !== undefined) return not(reasonOf(refusal.code), refusal.message);
  switch (state?.kind) {
    case 'Created':
      if (address === undefined) return undefined;
      return { ingress, programmed: { status: 'True', reason: 'Programmed', message: `Reachable at ${address}.` } };
    case 'Parked':
      return not('RefusedByAzure', `${state.failure.code}: Azure refuses what it takes; tried again now and then.`);
    case 'NotStarted':
    case 'UpdatePending':
      if (state.wait.failures === 0) return undefined;
      return not('SyncFailed', `${lastFailure ?? 'unexpected'}: an attempt failed and is repeated.`);
    case undefined:
    case 'CreationInProgress':
    case 'UpdateInProgress':
    case 'DeletionPending':
    case 'DeletionInProgress':
      return undefined;
  }
}

/** `source-ranges-unsupported` as a condition's reason: `SourceRangesUnsupported`. */
function reasonOf(code: string): string {
  return code
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
