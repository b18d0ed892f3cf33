import { FairleadError } from '@fairlead/control';
import { addFinalizer, type KubeClient, keyText, removeFinalizer, services, type WriteOptions } from '@fairlead/kube';
import { type ClaimedService, claimService, type ServiceToRelease } from './class-claim.ts';

/**
 * Puts our finalizer on a Service: before the first outside effect, so that a crash right after that one leaves
 * somebody responsible. No write when it is there. Resolves with the claim on the Service as it then is; rejects as
 * stale when it has meanwhile gone, begun to be deleted, or fallen to another part that was quicker.
 */
export async function holdService(
  client: KubeClient,
  claim: ClaimedService,
  options?: WriteOptions,
): Promise<ClaimedService> {
  const { service, rules } = claim;
  const held = await addFinalizer(client, services, service, rules.finalizer, options);
  if (held === undefined) throw lost(claim, 'it is gone');
  const renewed = claimService(held, rules);
  if (renewed.state !== 'claimed') throw lost(claim, renewed.sentence);
  return renewed;
}

/**
 * Takes our finalizer off a Service: last, when nothing of it is left outside, for after this nobody looks again. No
 * write when it is off already; a Service that is gone is a success.
 */
export async function letGoOfService(
  client: KubeClient,
  claim: ServiceToRelease,
  options?: WriteOptions,
): Promise<void> {
  await removeFinalizer(client, services, claim.service, claim.rules.finalizer, options);
}

function lost(claim: ClaimedService, why: string): FairleadError {
  const message = `Service ${keyText(claim.service.metadata)} is no longer ours to serve: ${why}`;
  return new FairleadError(message, { verdict: 'stale', code: 'claim-lost' });
}
