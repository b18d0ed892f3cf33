import type { CloudCallOptions } from '@fairlead/cloud';
import type { RootArmKind } from '../arm-id.ts';
import type { ArmBodies } from '../types/index.ts';

/** Kinds whose resources are read and written. */
export type CallableKind = keyof ArmBodies;

/** Kinds that are listed by resource group. */
export type ListableKind = CallableKind & RootArmKind;

/** What a call is about: a kind of resource, or a table or an action of a service gateway. */
export type CallKind = CallableKind | 'services' | 'addressLocations' | 'updateServices' | 'updateAddressLocations';

export interface CallOptions extends CloudCallOptions {
  /** What it means that the resource is not there. Terminal unless told otherwise. */
  readonly notFound?: 'stale';
  /** A UUID of the caller's, to find the call in Azure's own logs. */
  readonly correlationId?: string;
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
