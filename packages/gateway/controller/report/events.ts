import type { EventRecorder, Service } from '@fairlead/kube';
import { announceUnserved, recordOnService, type ServiceEventReason, serviceNotes } from '@fairlead/service';
import { isPoolRefusal } from '../addresses/allocation-request.ts';
import type { Outcome, ServedService } from '../outcome.ts';
import { conditionOf, type Progress } from '../plan.ts';

/** Tells the Service's owner what came of it; called only after something was written. */
export function announce(recorder: EventRecorder, service: Service, outcome: Outcome, progress: Progress): void {
  if (outcome.kind === 'release' && progress.kind === 'leaving') return;
  if (outcome.kind === 'serve') {
    const { reason, note } = servedNews(outcome, progress);
    recordOnService(recorder, service, reason, note);
  } else if (outcome.kind === 'refuse' && isPoolRefusal(outcome.refusal.code)) {
    // The pool may change; what else is refused takes an edit of the Service.
    recordOnService(recorder, service, 'AddressUnavailable', serviceNotes.refused(outcome.refusal));
  } else announceUnserved(recorder, outcome);
}

/** The same words as the condition has. */
function servedNews(
  outcome: ServedService,
  progress: Progress,
): { readonly reason: ServiceEventReason; readonly note: string } {
  const { status, message: note } = conditionOf(outcome, progress);
  if (outcome.shortfall !== undefined) {
    return { reason: isPoolRefusal(outcome.shortfall.code) ? 'AddressUnavailable' : 'LoadBalancerRefused', note };
  }
  if (progress.kind === 'refused') return { reason: 'SyncLoadBalancerFailed', note };
  return { reason: status === 'True' ? 'EnsuredLoadBalancer' : 'EnsuringLoadBalancer', note };
}
