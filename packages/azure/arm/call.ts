import type { StepRecord } from '@fairlead/control';
import type { RootArmKind } from './arm-id.ts';
import type { ArmBodies } from './types/index.ts';

/** Kinds whose resources are read and written. */
export type CallableKind = keyof ArmBodies;

/** Kinds that are listed by resource group. */
export type ListableKind = CallableKind & RootArmKind;

/** What a call is about: a kind of resource, or a table or an action of a service gateway. */
export type CallKind = CallableKind | 'services' | 'addressLocations' | 'updateServices' | 'updateAddressLocations';

export type CallVerb = 'GET' | 'LIST' | 'PUT' | 'DELETE' | 'POST' | 'POLL';

/** One request to Azure, just before it leaves. */
export interface ArmCall {
  readonly verb: CallVerb;
  readonly kind: CallKind;
  /** The same for every resource: `PUT publicIPAddresses`. Tests, journal and metrics refer to it. */
  readonly name: string;
  /** Which resource: its name, or that of the gateway or group. */
  readonly subject: string;
  /** Shared by all requests of one call of ours; Azure's support asks for it. */
  readonly correlationId: string;
  /** The request is given up after this. */
  readonly deadlineMilliseconds: number;
}

export interface CallOptions {
  /** Ends the call; it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** For the whole call: throttling, repetitions and the operation that Azure is at afterwards included. */
  readonly deadlineMilliseconds?: number;
  /** While Azure throttles: `wait` until it is over (the default), or be refused at once with a retriable error. */
  readonly throttle?: 'wait' | 'refuse';
  /** What it means that the resource is not there. Terminal unless told otherwise. */
  readonly notFound?: 'stale';
  /** A UUID of the caller's, to find the call in Azure's own logs. */
  readonly correlationId?: string;
  /** Where each request is written down. */
  readonly record?: StepRecord;
}

export interface DeleteOptions extends CallOptions {
  /** Takes effect only if the resource still has this etag; a 412 otherwise. */
  readonly ifMatch?: string;
}

export interface PutOptions extends DeleteOptions {
  /** `*`: takes effect only if there is no such resource yet; a 412 otherwise. */
  readonly ifNoneMatch?: '*';
  /**
   * `final` (the default) is the resource as it is when Azure is done; where Azure took its time, that costs another
   * read. `accepted` is what Azure answered at first, enough when nothing that Azure sets is needed.
   */
  readonly answer?: 'final' | 'accepted';
}

export function isWrite(verb: CallVerb): boolean {
  return verb !== 'GET' && verb !== 'LIST' && verb !== 'POLL';
}
