import type { EventRecorder, Service } from '@fairlead/kube';
import { recordOnService, type ServiceEventReason } from '@fairlead/service';
import type { RefusalCode } from './allocation.ts';
import type { Outcome } from './outcome.ts';

/** The pool may change; what else was refused takes an edit of the Service. */
const POOL_REFUSALS: readonly string[] = [
  'pool-empty',
  'family-missing',
  'port-taken',
  'address-unknown',
  'address-taken',
] satisfies readonly RefusalCode[];

/** Tells the Service's owner what came of it; called only after something was written. */
export function announce(recorder: EventRecorder, service: Service, outcome: Outcome): void {
  const news = newsOf(outcome);
  if (news === undefined) return;
  recordOnService(recorder, service, news.reason, news.note);
}

interface News {
  readonly reason: ServiceEventReason;
  readonly note: string;
}

function newsOf(outcome: Outcome): News | undefined {
  switch (outcome.kind) {
    case 'serve': {
      const reachable = `Reachable at ${outcome.l2Ports.map((l2Port) => l2Port.address).join(' and ')}`;
      const { shortfall } = outcome;
      if (shortfall === undefined) return { reason: 'EnsuredLoadBalancer', note: `${reachable}.` };
      return { reason: 'AddressUnavailable', note: `${reachable}, but not as it asks: ${shortfall.message}` };
    }
    case 'refuse': {
      const reason = POOL_REFUSALS.includes(outcome.code) ? 'AddressUnavailable' : 'LoadBalancerRefused';
      return { reason, note: `No address (${outcome.code}): ${outcome.message}` };
    }
    case 'release':
      return {
        reason: 'DeletedLoadBalancer',

        note: `Addresses given back: ${outcome.claim.sentence}.`,
      };
    case 'foreign':
    case 'unreadable':
      return undefined;
  }
}
