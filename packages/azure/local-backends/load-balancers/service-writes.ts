import type { Clock, IpAddress } from '@fairlead/control';
import {
  holdWrites,
  type IngressPoint,
  programmed,
  refused,
  releaseWrites,
  type ServiceWrite,
  shownAddresses,
  statusWrites,
} from '@fairlead/service';
import { ADOPTED_POOLS_ANNOTATION, adoptedPoolsText, LOAD_BALANCER_ANNOTATION } from './desired.ts';
import type { Outcome } from './outcome.ts';

const RECORD = {
  name: 'record-placement',
  ifItDiesHere: 'The finalizer holds the Service, and the next leader finds its place in the annotation.',
};

/** What is written to the Service before anything of it exists in Azure: our finalizer, and where it was placed. */
export function writesBeforeAzure(outcome: Outcome): readonly ServiceWrite[] {
  if (outcome.kind === 'refuse') return holdWrites(outcome.claim);
  if (outcome.kind !== 'serve') return [];
  const { loadBalancer, adopted } = outcome.target;
  const placement = {
    [LOAD_BALANCER_ANNOTATION]: loadBalancer,
    [ADOPTED_POOLS_ANNOTATION]: adoptedPoolsText(adopted),
  };
  return holdWrites(outcome.claim, placement, RECORD);
}

/** What is written to it once Azure is as wanted; `addresses` is where a Service that is served can be reached. */
export function writesAfterAzure(
  outcome: Outcome,
  addresses: readonly IpAddress[],
  clock: Pick<Clock, 'now'>,
): readonly ServiceWrite[] {
  switch (outcome.kind) {
    case 'foreign':
    case 'unreadable':
      return [];
    case 'serve':
      return statusWrites(
        outcome.claim,
        { ingress: addresses.map(toIngress), programmed: programmed(addresses) },
        clock,
      );
    case 'refuse': {
      // A Service that was served before keeps what it has, address included.
      const ingress = shownAddresses(outcome.claim.service).map(toIngress);
      return statusWrites(outcome.claim, { ingress, programmed: refused(outcome.refusal) }, clock);
    }
    case 'release':
      return releaseWrites(outcome.claim, [LOAD_BALANCER_ANNOTATION, ADOPTED_POOLS_ANNOTATION]);
  }
}

function toIngress(address: IpAddress): IngressPoint {
  return { address, mode: 'VIP' };
}
