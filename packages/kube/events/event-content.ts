import { picked, type Random, randomInteger } from '@fairlead/control';
import { apiVersionOf, type Resource } from '../api/resource.ts';
import { microTime } from '../api/timestamps.ts';
import type { ObjectReference } from '../types/endpoints.ts';
import type { EventType, KubeEvent } from '../types/event.ts';
import type { KubeObject } from '../types/meta.ts';

/** The server counts bytes, not characters. */
const LONGEST_NOTE_BYTES = 1024;
const LONGEST_WORD = 128;
const LONGEST_NAME = 253;
/** Where the Events of objects without a namespace are kept; `kubectl describe` looks for them there. */
const NAMESPACE_OF_CLUSTER_WIDE_OBJECTS = 'default';

/** What is to be told about an object. */
export interface EventMessage {
  readonly type: EventType;
  /** Stable, in camel case: users and their alerts go by it. */
  readonly reason: string;
  /** What was being done; the reason unless told otherwise. */
  readonly action?: string;
  /** For people; cut off after 1024 bytes. */
  readonly note: string;
}

/** Who tells it. */
export interface EventReporter {
  /** Such as `fairlead.dev/gateway`. */
  readonly controller: string;
  /** Such as the name of the Pod. */
  readonly instance: string;
}

/** What an Event says it is about. */
export function referenceTo(resource: Resource<KubeObject>, { metadata }: KubeObject): ObjectReference {
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    name: metadata.name,
    ...picked(metadata, ['namespace', 'uid', 'resourceVersion']),
  };
}

/** The Event as the server accepts it. `now` is wall time. */
export function eventFor(
  regarding: ObjectReference,
  message: EventMessage,
  reporter: EventReporter,
  name: string,
  now: number,
): KubeEvent {
  return {
    metadata: { namespace: regarding.namespace ?? NAMESPACE_OF_CLUSTER_WIDE_OBJECTS, name },
    eventTime: microTime(now),
    reportingController: reporter.controller,
    reportingInstance: reporter.instance.slice(0, LONGEST_WORD),
    action: (message.action ?? message.reason).slice(0, LONGEST_WORD),
    reason: message.reason.slice(0, LONGEST_WORD),
    type: message.type,
    regarding,
    note: cutToBytes(message.note, LONGEST_NOTE_BYTES),
  };
}

/** Unique: the time keeps it apart from those of earlier processes, chance from those of others. */
export function eventName(object: string, random: Random, now: number): string {
  const chance = randomInteger(random, 0, 0xffffffff).toString(16).padStart(8, '0');
  const suffix = `.${now.toString(16)}${chance}`;
  return `${object.slice(0, LONGEST_NAME - suffix.length).replace(/[^a-z0-9]+$/i, '')}${suffix}`;
}

function cutToBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  const mark = '…';
  const kept = Buffer.from(text).subarray(0, bytes - Buffer.byteLength(mark));
  // A character that was cut in two decodes to U+FFFD.
  return kept.toString('utf8').replace(/\uFFFD+$/, '') + mark;
}
