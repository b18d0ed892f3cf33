import type { EventRecorder, Service } from '@fairlead/kube';
import {
  announceUnserved,
  reachableAt,
  recordOnService,
  type ServiceEventReason,
  serviceNotes,
} from '@fairlead/service';
import { isPoolRefusal } from '../addresses/allocation.ts';
import type { Outcome, ServedService } from '../outcome.ts';

/** Tells the Service's owner what came of it; called only after something was written. */
export function announce(recorder: EventRecorder, service: Service, outcome: Outcome): void {
  if (outcome.kind === 'serve') {
    const { reason, note } = servedNews(outcome);
    recordOnService(recorder, service, reason, note);
  } else if (outcome.kind === 'refuse' && isPoolRefusal(outcome.refusal.code)) {
    // The pool may change; what else is refused takes an edit of the Service.
    recordOnService(recorder, service, 'AddressUnavailable', serviceNotes.refused(outcome.refusal));
  } else announceUnserved(recorder, outcome);
}

function servedNews({ l2Ports, shortfall }: ServedService): {
  readonly reason: ServiceEventReason;
  readonly note: string;
} {
  const addresses = l2Ports.map(({ address }) => address);
  if (shortfall === undefined) return { reason: 'EnsuredLoadBalancer', note: serviceNotes.reachable(addresses) };
  const note = `${reachableAt(addresses)}, but not as it asks: ${shortfall.message}.`;
  return { reason: 'AddressUnavailable', note };
}
