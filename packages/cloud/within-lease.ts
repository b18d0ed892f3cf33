import { FairleadError } from '@fairlead/control';
import type { Leadership } from '@fairlead/kube';
import { type CloudCall, isWrite } from './request.ts';

/** So many times as long as a call a Lease has to be: a sixth of it may have passed, and its last tenth is not counted on. */
const LEASE_FOR_A_CALL = 1.5;

/** To be asked before each request: a write starts only when the Lease outlives it, so that no new leader meets it. */
export function withinLease(leadership: Pick<Leadership, 'covers'>): (call: CloudCall) => void {
  return ({ verb, name, deadlineMilliseconds }) => {
    if (!isWrite(verb) || leadership.covers(deadlineMilliseconds)) return;
    const seconds = Math.ceil((LEASE_FOR_A_CALL * deadlineMilliseconds) / 1000);
    throw new FairleadError(
      `${name}: the Lease may end before the call would; trying again once it is renewed. If this stays, ` +
        `set leaderElection.leaseDurationSeconds to ${seconds} or more`,
      { verdict: 'retriable', code: 'lease-too-short' },
    );
  };
}
