import { requireIpAddress } from '@fairlead/control';
import { holdWrites, releaseWrites, type ServiceWrite, statusWrites } from '@fairlead/service';
import type { ServiceRequest } from '../arm/index.ts';
import { type Desired, likelyFamily, nrpKeyOf } from './desired.ts';
import { desiredStatus } from './desired-status.ts';
import { failureOf } from './retry-policy.ts';
import type { ServiceKey } from './service-key.ts';
import { planCreation, planDeletion, type ResourceStep } from './service-plan.ts';
import type { ServiceSpec } from './service-spec.ts';
import { type Failure, isLive, type ServiceState } from './service-state.ts';
import type { Survey } from './survey.ts';

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

export function dryRun(survey: Survey, key: ServiceKey, state: ServiceState): DryRun {
  const { scope, inventory } = survey.repository;
  switch (state.kind) {
    case 'NotStarted':
    case 'UpdatePending':
    case 'Created':
    case 'CreationInProgress':
    case 'UpdateInProgress':
      return dryCreation(survey, state.spec, isLive(state));
    case 'Parked': {
      const { failure } = state;
      return { ...NOTHING, outcome: failure, ...told(survey, key, state, failure) };
    }
    case 'DeletionPending':
    case 'DeletionInProgress': {
      const { unregister, remove } = planDeletion(scope, key, inventory);
      const desired = desiredOf(survey, key);
      const publish = desired?.kind === 'release' ? releaseWrites(desired.claim) : [];
      return { outcome: 'deleted', hold: [], azure: remove, registration: unregister, publish };
    }
  }
}

function dryCreation(survey: Survey, spec: ServiceSpec, serving: boolean): DryRun {
  const { scope, inventory } = survey.repository;
  const { key } = spec;
  try {
    const { prepare, register, tidyUp } = planCreation(scope, spec, inventory);
    const azure = [...prepare, ...tidyUp];
    return { outcome: 'made', azure, registration: register, ...told(survey, key, { kind: 'Created', spec }) };
  } catch (error) {
    const failure = failureOf(error);
    return { ...NOTHING, outcome: failure, ...told(survey, key, { kind: 'Parked', spec, serving, failure }) };
  }
}

/** What is written to the Service by the time that it is in this state. */
function told(
  survey: Survey,
  key: ServiceKey,
  state: ServiceState,
  refusal?: Failure,
): Pick<DryRun, 'hold' | 'publish'> {
  const desired = desiredOf(survey, key);
  if (desired?.kind !== 'serve' && desired?.kind !== 'refuse') return NOTHING_TOLD;
  const { claim } = desired;
  const known = survey.repository.knownAddress(key, likelyFamily(claim.service));
  const status = desiredStatus(state, known ?? (state.kind === 'Created' ? ANY_ADDRESS : undefined), refusal);
  const publish = status === undefined ? [] : statusWrites(claim, status, survey.clock);
  return { hold: holdWrites(claim), publish };
}

function desiredOf({ services, nameOf }: Survey, key: ServiceKey): Desired | undefined {
  const desired = services.get(nameOf(key) ?? '');
  return desired !== undefined && nrpKeyOf(desired.claim.service) === key ? desired : undefined;
}
