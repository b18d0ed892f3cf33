import { isRecord } from '@fairlead/control';
import { isStatus } from '../api/api-error.ts';
import { parseJson, unexpectedAnswer } from '../api/decode.ts';
import type { Status } from '../types/meta.ts';

/** The server puts this on the bookmark after the last of the initial events. */
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/** One line of a watch; the object is not looked at yet. */
export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: unknown }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly endsInitialEvents: boolean }
  | { readonly type: 'ERROR'; readonly status: Status };

/** `path` is where the watch was asked for: it begins the message when the line is no event. */
export function decodeWatchEvent(path: string, line: string): WatchEvent {
  const event = parseJson(path, line);
  if (!isRecord(event)) throw unexpectedAnswer(path, 'is not a watch');
  const { type, object } = event;
  if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') return { type, object };
  if (type === 'BOOKMARK') return bookmark(path, object);
  if (type === 'ERROR') return { type, status: isStatus(object) ? object : { kind: 'Status' } };
  throw unexpectedAnswer(path, 'has an event of an unknown type');
}

function bookmark(path: string, object: unknown): WatchEvent {
  const metadata = isRecord(object) ? object['metadata'] : undefined;
  if (!isRecord(metadata) || typeof metadata['resourceVersion'] !== 'string') {
    throw unexpectedAnswer(path, 'has a bookmark without a resource version');
  }
  const { resourceVersion, annotations } = metadata;
  const endsInitialEvents = isRecord(annotations) && annotations[INITIAL_EVENTS_END] === 'true';
  return { type: 'BOOKMARK', resourceVersion, endsInitialEvents };
}
