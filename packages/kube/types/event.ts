import type { ObjectReference } from './endpoints.ts';
import type { KubeObject } from './meta.ts';

export type EventType = 'Normal' | 'Warning';

/**
 * An Event of events.k8s.io/v1. The same stored objects are served as core/v1, so `kubectl describe` shows them;
 * this version is written because repeats have a place of their own in it (`series`) and its times are exact.
 */
export interface KubeEvent extends KubeObject {
  /** With microseconds. */
  readonly eventTime: string;
  readonly reportingController: string;
  readonly reportingInstance: string;
  readonly action: string;
  readonly reason: string;
  readonly type: EventType;
  readonly regarding: ObjectReference;
  readonly related?: ObjectReference;
  readonly note?: string;
  readonly series?: { readonly count: number; readonly lastObservedTime: string };
}
