import { requireIpAddress } from '@fairlead/control';
import { holdWrites, releaseWrites, type ServiceWrite, statusWrites } from '@fairlead/service';
import type { ServiceRequest } from '../../arm/index.ts';
import { planCreation, planDeletion, type ResourceStep } from '../cloud/plan.ts';
import { type Desired, desiredStatus, likelyFamily, nrpKeyOf } from '../cluster/desired.ts';
import type { NrpKey } from '../engine/nrp-key.ts';
import { failureOf } from '../engine/retry-policy.ts';
import type { ServiceSpec } from '../engine/service-spec.ts';
import { type Failure, isLive, type ServiceState } from '../engine/service-state.ts';
import type { Snapshot } from './snapshot.ts';

/** What a leader would write for one service: the very lists that it would run. */
export interface DryRun {
  readonly outcome: 'made' | 'deleted' | Failure;
  /** To the Service, before anything of it may exist in Azure. */
  readonly hold: readonly ServiceWrite[];
  readonly azure: readonly ResourceStep[];
  /** Its entry in an updateServices, which it shares with others. */
  readonly registration: ServiceRequest | undefined;
  /** To the Service, afterwards. */
  readonly publish: readonly ServiceWrite[];
}

/** Stands for one that Azure is yet to assign. */
const ANY_ADDRESS = requireIpAddress('0.0.0.0');

const NOTHING_TOLD = { hold: [], publish: [] };
/** For a service that is as it should be. */
export const NOTHING: DryRun = { outcome: 'made', azure: [], registration: undefined, ...NOTHING_TOLD };

export function dryRun(snapshot: Snapshot, key: NrpKey, state: ServiceState): DryRun {
  switch (state.kind) {
    case 'NotStarted':
    case 'UpdatePending':
    case 'Created':
    case 'CreationInProgress':
    case 'UpdateInProgress':
      return dryCreation(snapshot, state.spec, isLive(state));
    case 'Parked': {
      const { failure } = state;
      return { ...NOTHING, outcome: failure, ...told(snapshot, key, state, failure) };
    }
    case 'DeletionPending':
    case 'DeletionInProgress': {
      const { unregister, remove } = planDeletion(snapshot.repository, key);
      const desired = desiredOf(snapshot, key);
      const publish = desired?.kind === 'release' ? releaseWrites(desired.claim) : [];
      return { outcome: 'deleted', hold: [], azure: remove, registration: unregister, publish };
    }
  }
}

function dryCreation(snapshot: Snapshot, spec: ServiceSpec, serving: boolean): DryRun {
  const { key } = spec;
  try {
    const { prepare, register, tidyUp } = planCreation(snapshot.repository, spec);
    const azure = [...prepare, ...tidyUp];
    return { outcome: 'made', azure, registration: register, ...told(snapshot, key, { kind: 'Created', spec }) };
  } catch (error) {
    const failure = failureOf(error);
    return { ...NOTHING, outcome: failure, ...told(snapshot, key, { kind: 'Parked', spec, serving, failure }) };
  }
}

/** What is written to the Service by the time that it is in this state. */
function told(
  snapshot: Snapshot,
  key: NrpKey,
  state: ServiceState,
  refusal?: Failure,
): Pick<DryRun, 'hold' | 'publish'> {
  const desired = desiredOf(snapshot, key);
  if (desired?.kind !== 'serve' && desired?.kind !== 'refuse') return NOTHING_TOLD;
  const { claim } = desired;
  const known = snapshot.repository.knownAddress(key, likelyFamily(claim.service));
  const status = desiredStatus(
    claim.service,
    state,
    known ?? (state.kind === 'Created' ? ANY_ADDRESS : undefined),
    refusal,
  );
  const publish = status === undefined ? [] : statusWrites(claim, status, snapshot.clock);
  return { hold: holdWrites(claim), publish };
}

function desiredOf({ services, names }: Snapshot, key: NrpKey): Desired | undefined {
  const desired = services.get(names.get(key) ?? '');
  return desired !== undefined && nrpKeyOf(desired.claim.service) === key ? desired : undefined;
}
