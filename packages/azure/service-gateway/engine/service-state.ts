import { type ServiceSpec, sameSpec } from './service-spec.ts';

/** When an attempt may be made, and what came of those before it. */
export interface Wait {
  /** How often it failed in a row. */
  readonly failures: number;
  /** By the monotonic clock. */
  readonly notBefore: number;
  /** The code of what it failed with last. */
  readonly failure: string | undefined;
}

/** What went wrong, for people and alerts. */
export interface Failure {
  readonly code: string;
  readonly message: string;
}

/** What becomes of a service when the operation under way has ended: the latest request, not a list of them. */
type Pending =
  | { readonly kind: 'keep' }
  | { readonly kind: 'update'; readonly spec: ServiceSpec }
  /** `wasServed`: whether it was reachable before it was refused. */
  | { readonly kind: 'refuse'; readonly failure: Failure; readonly wasServed: boolean }
  | { readonly kind: 'delete' };

/** Nothing is under way to create it; something may be there from an attempt that failed. */
export interface NotStarted {
  readonly kind: 'NotStarted';
  readonly spec: ServiceSpec;
  readonly wait: Wait;
}

export interface CreationInProgress {
  readonly kind: 'CreationInProgress';
  readonly spec: ServiceSpec;
  readonly failures: number;
  readonly pending: Pending;
}

/** It is there and NRP knows it: addresses may be put under it. */
export interface Created {
  readonly kind: 'Created';
  readonly spec: ServiceSpec;
}

/** It is there, and is to be made as the spec says. */
export interface UpdatePending {
  readonly kind: 'UpdatePending';
  readonly spec: ServiceSpec;
  readonly wait: Wait;
}

export interface UpdateInProgress {
  readonly kind: 'UpdateInProgress';
  readonly spec: ServiceSpec;
  readonly failures: number;
  readonly pending: Pending;
}

/** What it asks for cannot be had; nothing is tried until it asks for something else. */
export interface Parked {
  readonly kind: 'Parked';
  /** Absent when it could not even be read. */
  readonly spec: ServiceSpec | undefined;
  /** Whether it is there nevertheless, as it was before: then it goes on serving. */
  readonly serving: boolean;
  readonly failure: Failure;
}

/** To be deleted as soon as no address is under it any more. */
export interface DeletionPending {
  readonly kind: 'DeletionPending';
  readonly wait: Wait;
}

export interface DeletionInProgress {
  readonly kind: 'DeletionInProgress';
  readonly failures: number;
  readonly pending: { readonly kind: 'gone' } | { readonly kind: 'recreate'; readonly spec: ServiceSpec };
}

export type ServiceState =
  | NotStarted
  | CreationInProgress
  | Created
  | UpdatePending
  | UpdateInProgress
  | Parked
  | DeletionPending
  | DeletionInProgress;

/** How a creation or an update failed. */
export type FailureAction =
  | { readonly kind: 'retry'; readonly wait: Wait }
  | { readonly kind: 'park'; readonly failure: Failure };

export const NO_WAIT: Wait = { failures: 0, notBefore: Number.NEGATIVE_INFINITY, failure: undefined };

const KEEP: Pending = { kind: 'keep' };

/** Whether addresses are to be put under the service: NRP knows it, and the cluster wants it. */
export function isLive(state: ServiceState | undefined): boolean {
  return isRegistered(state) && isWanted(state);
}

/** Whether NRP knows the service. */
function isRegistered(state: ServiceState | undefined): boolean {
  if (state?.kind === 'Parked') return state.serving;
  return state?.kind === 'Created' || state?.kind === 'UpdatePending' || state?.kind === 'UpdateInProgress';
}

/** Whether the cluster wants the service, as far as the state tells. */
export function isWanted(state: ServiceState | undefined): boolean {
  if (state === undefined || state.kind === 'DeletionPending') return false;
  if (state.kind === 'DeletionInProgress') return state.pending.kind === 'recreate';
  return !('pending' in state) || state.pending.kind !== 'delete';
}

/** What the service is, or is being made, where the state knows it. */
export function specOf(state: ServiceState | undefined): ServiceSpec | undefined {
  return state === undefined || state.kind === 'DeletionPending' || state.kind === 'DeletionInProgress'
    ? undefined
    : state.spec;
}

/** The cluster wants the service to be as the spec says. `exists`: whether NRP knows it, so that it serves meanwhile. */
export function requestSpec(state: ServiceState | undefined, spec: ServiceSpec, exists = false): ServiceState {
  switch (state?.kind) {
    case undefined:
      return { kind: exists ? 'UpdatePending' : 'NotStarted', spec, wait: NO_WAIT };
    case 'DeletionPending':
      return { kind: 'NotStarted', spec, wait: NO_WAIT };
    case 'NotStarted':
    case 'UpdatePending':
      return sameSpec(state.spec, spec) ? state : { ...state, spec, wait: NO_WAIT };
    case 'CreationInProgress':
    case 'UpdateInProgress':
      return { ...state, pending: sameSpec(state.spec, spec) ? KEEP : { kind: 'update', spec } };
    case 'Created':
      return sameSpec(state.spec, spec) ? state : { kind: 'UpdatePending', spec, wait: NO_WAIT };
    case 'Parked':
      if (state.spec !== undefined && sameSpec(state.spec, spec)) return state;
      return { kind: state.serving ? 'UpdatePending' : 'NotStarted', spec, wait: NO_WAIT };
    case 'DeletionInProgress':
      return { ...state, pending: { kind: 'recreate', spec } };
  }
}

/** The cluster does not requestSpec the service any more. One that we know nothing of may have left something behind. */
export function requestDeletion(state: ServiceState | undefined): ServiceState {
  switch (state?.kind) {
    case undefined:
    case 'NotStarted':
    case 'Created':
    case 'UpdatePending':
    case 'Parked':
      return { kind: 'DeletionPending', wait: NO_WAIT };
    case 'CreationInProgress':
    case 'UpdateInProgress':
      return { ...state, pending: { kind: 'delete' } };
    case 'DeletionPending':
      return state;
    case 'DeletionInProgress':
      return { ...state, pending: { kind: 'gone' } };
  }
}

export function beginCreation({ spec, wait }: NotStarted): CreationInProgress {
  return { kind: 'CreationInProgress', spec, failures: wait.failures, pending: KEEP };
}

export function beginUpdate({ spec, wait }: UpdatePending): UpdateInProgress {
  return { kind: 'UpdateInProgress', spec, failures: wait.failures, pending: KEEP };
}

export function beginDeletion({ wait }: DeletionPending): DeletionInProgress {
  return { kind: 'DeletionInProgress', failures: wait.failures, pending: { kind: 'gone' } };
}

/** A creation or update has ended well. */
export function succeed({ kind, spec, pending }: CreationInProgress | UpdateInProgress): ServiceState {
  switch (pending.kind) {
    case 'keep':
      return { kind: 'Created', spec };
    case 'update':
      return { kind: 'UpdatePending', spec: pending.spec, wait: NO_WAIT };
    case 'refuse':
      return parkedUnread(pending.failure, kind === 'UpdateInProgress' || pending.wasServed);
    case 'delete':
      return { kind: 'DeletionPending', wait: NO_WAIT };
  }
}

/** A creation or update has failed. A newer request gets its own chance at once. */
export function fail(state: CreationInProgress | UpdateInProgress, action: FailureAction): ServiceState {
  const retryKind = state.kind === 'CreationInProgress' ? 'NotStarted' : 'UpdatePending';
  switch (state.pending.kind) {
    case 'keep':
      if (action.kind === 'retry') return { kind: retryKind, spec: state.spec, wait: action.wait };
      return { kind: 'Parked', spec: state.spec, serving: retryKind === 'UpdatePending', failure: action.failure };
    case 'update':
      return { kind: retryKind, spec: state.pending.spec, wait: NO_WAIT };
    case 'refuse':
      return parkedUnread(state.pending.failure, retryKind === 'UpdatePending');
    case 'delete':
      return { kind: 'DeletionPending', wait: NO_WAIT };
  }
}

/** The deletion is complete; undefined when nothing is left to be known of the service. */
export function finishDeletion({ pending }: DeletionInProgress): NotStarted | undefined {
  return pending.kind === 'gone' ? undefined : { kind: 'NotStarted', spec: pending.spec, wait: NO_WAIT };
}

/** The deletion has failed half way. A service that is wanted again is created over what is left. */
export function failDeletion({ pending }: DeletionInProgress, wait: Wait): DeletionPending | NotStarted {
  if (pending.kind === 'gone') return { kind: 'DeletionPending', wait };
  return { kind: 'NotStarted', spec: pending.spec, wait: NO_WAIT };
}

/**
 * What it asks for is refused before anything is tried; what is there stays as it is. `wasServed`: whether it was
 * reachable before; `exists`: whether NRP knows it.
 */
export function refuse(
  state: ServiceState | undefined,
  failure: Failure,
  wasServed = true,
  exists = false,
): ServiceState {
  switch (state?.kind) {
    case 'CreationInProgress':
    case 'UpdateInProgress':
      return { ...state, pending: { kind: 'refuse', failure, wasServed } };
    // What was wanted before is still being unmade: the refusal counts from then on.
    case 'DeletionPending':
    case 'DeletionInProgress':
      return state;
    case undefined:
      return parkedUnread(failure, wasServed && exists);
    case 'Parked':
      if (state.spec === undefined && state.failure.message === failure.message) return state;
      return { ...state, spec: undefined, failure };
    case 'NotStarted':
    case 'Created':
    case 'UpdatePending':
      return parkedUnread(failure, isRegistered(state));
  }
}

function parkedUnread(failure: Failure, serving: boolean): Parked {
  return { kind: 'Parked', spec: undefined, serving, failure };
}

/** An operator or another program has changed or removed what is there: it is made anew, or put right. */
export function drift(state: ServiceState, stillRegistered: boolean): ServiceState {
  switch (state.kind) {
    case 'Created':
      return { kind: stillRegistered ? 'UpdatePending' : 'NotStarted', spec: state.spec, wait: NO_WAIT };
    case 'UpdatePending':
      return stillRegistered ? state : { ...state, kind: 'NotStarted' };
    case 'Parked':
      return { ...state, serving: stillRegistered };
    case 'NotStarted':
    case 'CreationInProgress':
    case 'UpdateInProgress':
    case 'DeletionPending':
    case 'DeletionInProgress':
      return state;
  }
}

/** Azure's refusal gets another look: a quota or a permission may have changed. What we refused ourselves does not. */
export function unpark(state: ServiceState): ServiceState {
  if (state.kind !== 'Parked' || state.spec === undefined) return state;
  return { kind: state.serving ? 'UpdatePending' : 'NotStarted', spec: state.spec, wait: NO_WAIT };
}
