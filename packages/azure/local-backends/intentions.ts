import type { BackendTracker } from './backend-tracker.ts';
import type { Decision } from './decisions.ts';
import { adoptedPools } from './desired.ts';
import type { Intention, Present } from './intention.ts';
import { type ServiceKey, serviceMark } from './names.ts';
import { serviceUid } from '@fairlead/control';
import type { Service } from '@fairlead/kube';

/** What a decision means for Azure; undefined: nothing is touched. */
export function intentionFor(
  key: ServiceKey,
  decision: Decision,
  backends: Pick<BackendTracker, 'addresses'>,
): Intention | undefined {
  if (decision.kind === 'serve') return presentAt(key, decision, backends);
  return decision.kind === 'release' ? { ...ownerOf(key, decision.claim.service), kind: 'absent' } : undefined;
}

export function presentAt(
  key: ServiceKey,
  { claim, wanted, loadBalancer }: Extract<Decision, { kind: 'serve' }>,
  backends: Pick<BackendTracker, 'addresses'>,
): Present {
  const contents = { IPv4: backends.addresses(key, 'IPv4'), IPv6: backends.addresses(key, 'IPv6') };
  return {
    ...ownerOf(key, claim.service),
    kind: 'present',
    adopted: wanted.adoptedPools,
    wanted,
    loadBalancer,
    contents,
  };
}

/** Leaves where it is, before it goes elsewhere. */
export function detachedFrom(key: ServiceKey, service: Service): Intention {
  return { ...ownerOf(key, service), kind: 'detached' };
}

function ownerOf(subject: ServiceKey, service: Service): Pick<Intention, 'mark' | 'subject' | 'adopted'> {
  const uid = serviceUid(service.metadata.uid ?? '');
  return { mark: serviceMark(uid), subject, adopted: adoptedPools(service) };
}
