import { FairleadError } from '@fairlead/control';
import { type Leadership, leaseMillisecondsFor } from '@fairlead/kube';
import { type CloudCall, isWrite } from './request.ts';

/** To be asked before each request: a write starts only when the Lease outlives it, so that no new leader meets it. */
export function withinLease(leadership: Pick<Leadership, 'covers'>): (call: CloudCall) => void {
  return ({ verb, name, deadlineMilliseconds }) => {
    if (!isWrite(verb) || leadership.covers(deadlineMilliseconds)) return;
    const seconds = Math.ceil(leaseMillisecondsFor(deadlineMilliseconds) / 1000);
    throw new FairleadError(
      `${name}: the Lease may end before the call would; trying again once it is renewed. If this stays, ` +
        `set leaderElection.leaseDurationSeconds to ${seconds} or more`,
      { verdict: 'retriable', code: 'lease-too-short' },
    );
  };
}
