import type { EventRecorder, Service } from '@fairlead/kube';
import { reachableAt, recordOnService, type ServiceEventReason, serviceNotes } from '@fairlead/service';
import { isPoolRefusal } from '../addresses/allocation.ts';
import type { Outcome } from '../outcome.ts';

/** Tells the Service's owner what came of it; called only after something was written. */
export function announce(recorder: EventRecorder, service: Service, outcome: Outcome): void {
  const news = newsOf(outcome);
  if (news !== undefined) recordOnService(recorder, service, news.reason, news.note);
}

function newsOf(outcome: Outcome): { readonly reason: ServiceEventReason; readonly note: string } | undefined {
  switch (outcome.kind) {
    case 'serve': {
      const addresses = outcome.l2Ports.map(({ address }) => address);
      const { shortfall } = outcome;
      if (shortfall === undefined) return { reason: 'EnsuredLoadBalancer', note: serviceNotes.reachable(addresses) };
      const note = `${reachableAt(addresses)}, but not as it asks: ${shortfall.message}.`;
      return { reason: 'AddressUnavailable', note };
    }
    case 'refuse': {
      const { refusal } = outcome;
      // The pool may change; what else was refused takes an edit of the Service.
      const reason = isPoolRefusal(refusal.code) ? 'AddressUnavailable' : 'LoadBalancerRefused';
      return { reason, note: serviceNotes.refused(refusal) };
    }
    case 'release':
      return { reason: 'DeletedLoadBalancer', note: serviceNotes.released(outcome.claim) };
    case 'foreign':
    case 'unreadable':
      return undefined;
  }
}
