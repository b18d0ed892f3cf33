import { FairleadError } from '@fairlead/control';
import type { WriteOptions } from '../api/client.ts';
import type { Leadership } from '../leader/leadership.ts';

/** One write must fit into what is left of the Lease. */
export const WRITE_DEADLINE_MILLISECONDS = 4_000;

/**
 * How a leader makes a write: no request of it may outlive the Lease, so that no new leader meets it. Throws when the
 * Lease is too short at once; a write that takes several requests rejects when it has become so.
 */
export function leasedWrite(leadership: Leadership, fieldManager: string, signal: AbortSignal): WriteOptions {
  const beforeWrite = () => {
    if (!leadership.covers(WRITE_DEADLINE_MILLISECONDS)) throw leaseTooShort();
  };
  beforeWrite();
  return { signal, deadlineMilliseconds: WRITE_DEADLINE_MILLISECONDS, fieldManager, beforeWrite };
}

function leaseTooShort(): FairleadError {
  return new FairleadError('the Lease may end before the write would: trying again once it is renewed', {
    verdict: 'retriable',
    code: 'lease-too-short',
  });
}
