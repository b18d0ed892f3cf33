import { type Clock, FairleadError } from '@fairlead/control';
import { keyText, type ObjectWrite, type ObjectWriter, type Service } from '@fairlead/kube';
import {
  CLOUD_PROVIDER_FINALIZER,
  type ClaimedService,
  claimService,
  hasMovedOn,
  type ServiceToRelease,
} from './claim/class-claim.ts';
import {
  type DesiredServiceStatus,
  heldStatusPatch,
  type Programmed,
  releaseStatusPatch,
  statusPatch,
} from './status/service-status.ts';

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

/**
 * Makes these writes, such as those of `holdWrites`, and gives the claim on the Service as it then is. Rejects as stale
 * when it is not ours to serve any more: it is gone, is being deleted, or fell to another part that was quicker.
 */
export async function writeClaimed(
  writer: Pick<ObjectWriter<Service>, 'write'>,
  claim: ClaimedService,
  writes: readonly ServiceWrite[],
  signal: AbortSignal,
): Promise<ClaimedService> {
  if (writes.length === 0) return claim;
  const written = await writer.write(claim.service, writes, signal);
  const renewed = written === undefined ? undefined : claimService(written, claim.rules);
  if (renewed?.state === 'claimed') return renewed;
  const message = `Service ${keyText(claim.service.metadata)} is no longer ours to serve: ${renewed?.sentence ?? 'it is gone'}`;
  throw new FairleadError(message, { verdict: 'stale', code: 'claim-lost' });
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

/** Has a Service say why it cannot be let go yet. */
export function heldWrites(
  claim: ServiceToRelease,
  why: Programmed,
  clock: Pick<Clock, 'now'>,
): readonly ServiceWrite[] {
  const patch = heldStatusPatch(claim, why, clock);
  if (patch === undefined) return [];
  const ifItDiesHere = 'The finalizer still holds the Service, which says why: the next leader finds no difference.';
  return [{ name: 'publish-status', ifItDiesHere, subresource: 'status', patch }];
}

/**
 * Takes back what we said of a Service and recorded on it, while our finalizers still hold it: for a part that has
 * something to take down outside only after that.
 */
export function withdrawWrites(claim: ServiceToRelease, annotations: readonly string[] = []): readonly ServiceWrite[] {
  const removed = removedAnnotations(claim.service, annotations);
  const forget = {
    name: 'forget-assignment',
    ifItDiesHere: 'The finalizer still holds the Service; the next leader goes on with letting it go.',
    patch: { metadata: { annotations: removed ?? {} } },
  };
  return [...withdrawnStatus(claim), ...(removed === undefined ? [] : [forget])];
}

/**
 * Lets go of a Service of which nothing is left outside: what we said of it, then our finalizers and annotations. The
 * load balancer that serves it next may need the finalizer of the cloud providers.
 */
export function releaseWrites(claim: ServiceToRelease, annotations: readonly string[] = []): readonly ServiceWrite[] {
  const { service, rules } = claim;
  const { finalizers = [] } = service.metadata;
  const ours = [rules.finalizer, ...(rules.companionFinalizers ?? []), ...(rules.predecessors ?? [])];
  const left = finalizers.filter((one) => {
    return !ours.includes(one) || (one === CLOUD_PROVIDER_FINALIZER && hasMovedOn(claim));
  });
  const removed = removedAnnotations(service, annotations);
  const letGo = {
    ...(left.length === finalizers.length ? {} : { finalizers: left.length > 0 ? left : null }),
    ...(removed === undefined ? {} : { annotations: removed }),
  };
  const withdraw = withdrawnStatus(claim);
  if (Object.keys(letGo).length === 0) return withdraw;
  const ifItDiesHere = 'The Service is no longer ours, and nothing of it was left outside.';
  return [...withdraw, { name: 'let-go', ifItDiesHere, patch: { metadata: letGo } }];
}

function withdrawnStatus(claim: ServiceToRelease): readonly ServiceWrite[] {
  const patch = releaseStatusPatch(claim);
  if (patch === undefined) return [];
  const ifItDiesHere = 'The finalizer still holds the Service; the next leader goes on with letting it go.';
  return [{ name: 'withdraw-status', ifItDiesHere, subresource: 'status', patch }];
}

function removedAnnotations(service: Service, names: readonly string[]) {
  return changedAnnotations(service, Object.fromEntries(names.map((name) => [name, undefined])));
}

/** As a merge patch has it; undefined when the Service has them so. */
function changedAnnotations(
  { metadata: { annotations = {} } }: Service,
  wanted: RecordedAnnotations,
): Readonly<Record<string, string | null>> | undefined {
  const changed = Object.entries(wanted).filter(([name, value]) => annotations[name] !== value);
  return changed.length === 0 ? undefined : Object.fromEntries(changed.map(([name, value]) => [name, value ?? null]));
}
