import { type EventRecorder, type EventType, type Service, services } from '@fairlead/kube';
import type { ServiceToRelease } from '../claim/class-claim.ts';
import type { Refusal } from '../demands/refusals.ts';
import type { UnservedService } from '../read-service.ts';
import { reachableAt } from './service-status.ts';

interface ServiceEvent {
  readonly type: EventType;
  /** When it is emitted, in one line, for the reader of a part's page. */
  readonly meaning: string;
}

/**
 * The reasons of the Events that parts put on a Service; users and their alerts go by them, so none is ever renamed.
 * Where cloud providers have a word for the same thing, it is theirs.
 */
export const serviceEvents = {
  EnsuringLoadBalancer: { type: 'Normal', meaning: 'work on the load balancer of a new Service has begun' },
  EnsuredLoadBalancer: { type: 'Normal', meaning: 'the Service has its address and takes traffic' },
  UpdatedLoadBalancer: { type: 'Normal', meaning: 'the load balancer follows a change of the Service' },
  DeletingLoadBalancer: { type: 'Normal', meaning: 'the load balancer is being taken down' },
  DeletedLoadBalancer: { type: 'Normal', meaning: 'nothing of the Service is left outside, and it was let go' },
  SyncLoadBalancerFailed: { type: 'Warning', meaning: 'an attempt failed and is repeated later' },
  DeleteLoadBalancerFailed: { type: 'Warning', meaning: 'taking the load balancer down failed and is repeated later' },
  LoadBalancerRefused: {
    type: 'Warning',
    meaning: 'the Service asks for something that cannot be honoured; nothing happens until it is changed',
  },
  AddressUnavailable: {
    type: 'Warning',
    meaning:
      'no address fits: the pool is empty, the port is taken on every address, or the chosen one is not to be had',
  },
  AssignmentIgnored: {
    type: 'Warning',
    meaning: 'the annotations claim what was given to another Service, and are not believed',
  },
  AnnotationsIgnored: { type: 'Warning', meaning: 'the Service is served without something that annotations ask for' },
  EndpointsIgnored: { type: 'Warning', meaning: 'an EndpointSlice has entries that cannot be balanced' },
  ServiceQuarantined: {
    type: 'Warning',
    meaning:
      'the cloud refuses this Service; it is left out so that the others proceed, and tried again when it changes',
  },
  DeletionHeldBack: {
    type: 'Warning',
    meaning: 'more would be deleted at once than is plausible; it waits for confirmation',
  },
} as const satisfies Readonly<Record<string, ServiceEvent>>;

export type ServiceEventReason = keyof typeof serviceEvents;

/** Records an Event on a Service. The note is for people, and says what to do where something is to be done. */
export function recordOnService(
  recorder: Pick<EventRecorder, 'record'>,
  service: Service,
  reason: ServiceEventReason,
  note: string,
): void {
  recorder.record(services, service, { type: serviceEvents[reason].type, reason, note });
}

/** What Events say about a Service, in the same words for every part. */
export const serviceNotes = {
  reachable: (addresses: readonly string[]) => `${reachableAt(addresses)}.`,
  refused: ({ code, message }: Refusal) => `Refused (${code}): ${message}.`,
  released: ({ sentence }: ServiceToRelease) => `Nothing of it is left outside: ${sentence}.`,
} as const;

/** Tells the owner of a Service that it is refused, or was let go; called when that was written to the Service. */
export function announceUnserved(recorder: Pick<EventRecorder, 'record'>, unserved: UnservedService): void {
  const { service } = unserved.claim;
  if (unserved.kind === 'refuse') {
    recordOnService(recorder, service, 'LoadBalancerRefused', serviceNotes.refused(unserved.refusal));
  }
  if (unserved.kind === 'release') {
    recordOnService(recorder, service, 'DeletedLoadBalancer', serviceNotes.released(unserved.claim));
  }
}

/** The reasons that a part uses, for its page. */
export function describeServiceEvents(
  ...reasons: readonly ServiceEventReason[]
): readonly { readonly reason: ServiceEventReason; readonly meaning: string }[] {
  return reasons.map((reason) => ({ reason, meaning: serviceEvents[reason].meaning }));
}
