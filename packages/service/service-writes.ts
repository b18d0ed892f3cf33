import type { Clock } from '@fairlead/control';
import type { ObjectWrite, Service } from '@fairlead/kube';
import { CLOUD_PROVIDER_FINALIZER, type ClaimedService, hasMovedOn, type ServiceToRelease } from './claim/class-claim.ts';
import { type DesiredServiceStatus, releaseStatusPatch, statusPatch } from './status/service-status.ts';

/** Writes to a Service, planned: pure, so that `plan` and `why` show the very writes that a leader makes. */
export type ServiceWrite = ObjectWrite<Service>;

/** What a part records on a Service; undefined takes an annotation off. */
export type RecordedAnnotations = Readonly<Record<string, string | undefined>>;

const HOLD = { name: 'hold', ifItDiesHere: 'The finalizer holds the Service; the next leader decides for it afresh.' };

/**
 * Holds the Service by our finalizers and records annotations on it, in one write: before anything of it exists
 * outside. A Service that is refused is held, too, so that what its status says is taken back when it leaves us.
 */
export function holdWrites(
  { service, rules }: ClaimedService,
  annotations: RecordedAnnotations = {},
  text: Pick<ServiceWrite, 'name' | 'ifItDiesHere'> = HOLD,
): readonly ServiceWrite[] {
  const { finalizers = [] } = service.metadata;
  const missing = [rules.finalizer, ...(rules.companionFinalizers ?? [])].filter((one) => !finalizers.includes(one));
  const changed = changedAnnotations(service, annotations);
  if (missing.length === 0 && changed === undefined) return [];
  const held = missing.length === 0 ? {} : { finalizers: [...finalizers, ...missing] };
  const recorded = changed === undefined ? {} : { annotations: changed };
  return [{ ...text, patch: { metadata: { ...held, ...recorded } } }];
}

/** Makes the status say what it should. */
export function statusWrites(
  claim: ClaimedService,
  desired: DesiredServiceStatus,
  clock: Pick<Clock, 'now'>,
): readonly ServiceWrite[] {
  const patch = statusPatch(claim, desired, clock);
  if (patch === undefined) return [];
  return [
    {
      name: 'publish-status',
      ifItDiesHere: 'Nothing is left to do but the Event, which is lost; the condition on the Service says the same.',
      subresource: 'status',
      patch,
    },
  ];
}

/**
 * Lets go of a Service of which nothing is left outside: what we said of it, then our finalizers and annotations. The
 * load balancer that serves it next may need the finalizer of the cloud providers.
 */
export function releaseWrites(claim: ServiceToRelease, annotations: readonly string[] = []): readonly ServiceWrite[] {
  const { service, rules } = claim;
  const withdrawal = releaseStatusPatch(claim);
  const { finalizers = [] } = service.metadata;
  const ours = [rules.finalizer, ...(rules.companionFinalizers ?? [])];
  const left = finalizers.filter((one) => {
    return !ours.includes(one) || (one === CLOUD_PROVIDER_FINALIZER && hasMovedOn(claim));
  });
  const removed = changedAnnotations(service, Object.fromEntries(annotations.map((name) => [name, undefined])));
  const letGo = {
    ...(left.length === finalizers.length ? {} : { finalizers: left.length > 0 ? left : null }),
    ...(removed === undefined ? {} : { annotations: removed }),
  };
  const withdraw: ServiceWrite[] =
    withdrawal === undefined
      ? []
      : [
          {
            name: 'withdraw-status',
            ifItDiesHere: 'The finalizer still holds the Service; the next leader goes on with letting it go.',
            subresource: 'status',
            patch: withdrawal,
          },
        ];
  if (Object.keys(letGo).length === 0) return withdraw;
  const ifItDiesHere = 'The Service is no longer ours, and nothing of it was left outside.';
  return [...withdraw, { name: 'let-go', ifItDiesHere, patch: { metadata: letGo } }];
}

/** As a merge patch has it; undefined when the Service has them so. */
function changedAnnotations(
  { metadata: { annotations = {} } }: Service,
  wanted: RecordedAnnotations,
): Readonly<Record<string, string | null>> | undefined {
  const changed = Object.entries(wanted).filter(([name, value]) => annotations[name] !== value);
  return changed.length === 0
    ? undefined
    : Object.fromEntries(changed.map(([name, value]) => [name, value ?? null]));
}
