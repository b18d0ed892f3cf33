import { FairleadError } from '@fairlead/control';
import type { Leadership, WriteOptions } from '@fairlead/kube';

/** One write to the cluster must fit into what is left of the Lease. */
const DEADLINE_MILLISECONDS = 4_000;

/** Whom the API server names as the writer of what we write. */
export const FIELD_MANAGER = 'fairlead-azure-service-gateway';

/** How the next write to the cluster is made; throws when the Lease may end before the write would. */
export function leasedWrite(leadership: Leadership, signal: AbortSignal): WriteOptions {
  if (leadership.covers(DEADLINE_MILLISECONDS)) {
    return { signal, deadlineMilliseconds: DEADLINE_MILLISECONDS, fieldManager: FIELD_MANAGER };
  }
  throw new FairleadError('the Lease may end before the write would: trying again once it is renewed', {
    verdict: 'retriable',
    code: 'lease-too-short',
  });
}
