import type { JsonObject } from '../../json.ts';
import { notAcceptable } from '../failure.ts';
import { apiVersionOf, type ServedKind } from '../kinds/kind.ts';
import { StoredObject, type WatchEventType } from '../store/stored-object.ts';
import type { Page } from './reads/list.ts';

/** How objects are written into answers: as they are, or as something a client asked for in their place. */
export interface Presentation {
  /** True for the `as` parameter of a media type that asks for this; undefined where it has none. */
  answers(as: string | undefined): boolean;
  object(kind: ServedKind, stored: StoredObject): string;
  list(kind: ServedKind, page: Page): string;
  event(kind: ServedKind, type: WatchEventType, stored: StoredObject): Uint8Array;
  bookmark(kind: ServedKind, resourceVersion: number, endOfInitialEvents: boolean): Uint8Array;
}

const encoder = new TextEncoder();

const converted = new WeakMap<ServedKind, WeakMap<StoredObject, StoredObject>>();

/** The object in the version of this kind. Converted once, however many clients look at it. */
export function served(kind: ServedKind, stored: StoredObject): StoredObject {
  if (stored.object.apiVersion === apiVersionOf(kind)) return stored;
  let known = converted.get(kind);
  if (known === undefined) {
    known = new WeakMap();
    converted.set(kind, known);
  }
  const before = known.get(stored);
  if (before !== undefined) return before;
  const shown = new StoredObject(kind.fromStored(stored.object), stored.resourceVersion);
  known.set(stored, shown);
  return shown;
}

export function listMetadata({ resourceVersion, continueToken, remaining }: Page): JsonObject {
  return {
    resourceVersion: String(resourceVersion),
    ...(continueToken !== '' && { continue: continueToken }),
    ...(remaining !== undefined && { remainingItemCount: remaining }),
  };
}

/** The object a bookmark carries: nothing but a version. */
export function bookmarkObject(kind: ServedKind, resourceVersion: number, endOfInitialEvents: boolean): JsonObject {
  const annotations = endOfInitialEvents ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
  const metadata = { resourceVersion: String(resourceVersion), ...annotations };
  return { kind: kind.kind, apiVersion: apiVersionOf(kind), ...kind.zero, metadata };
}

export function bookmarkLine(object: JsonObject): Uint8Array {
  return encoder.encode(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`);
}

/** Objects as they are. */
export const asObjects: Presentation = {
  answers: (as) => as === undefined,
  object: (kind, stored) => served(kind, stored).json(),
  list(kind, page) {
    const items = page.items.map((stored) => {
      const shown = served(kind, stored);
      return kind.custom ? shown.json() : `{${shown.body()}`;
    });
    const metadata = kind.custom ? { continue: '', ...listMetadata(page) } : listMetadata(page);
    const header = { kind: kind.listKind, apiVersion: apiVersionOf(kind), metadata };
    return `${JSON.stringify(header).slice(0, -1)},"items":[${items.join(',')}]}`;
  },
  event: (kind, type, stored) => served(kind, stored).watchLine(type),
  bookmark: (kind, resourceVersion, endOfInitialEvents) =>
    bookmarkLine(bookmarkObject(kind, resourceVersion, endOfInitialEvents)),
};

const PARTIAL = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' };

function metadataOf({ object }: StoredObject): JsonObject {
  return { ...PARTIAL, metadata: object.metadata };
}

/** Only the metadata of objects. */
export const asMetadata: Presentation = {
  answers: (as) => as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList',
  object: (_, stored) => JSON.stringify(metadataOf(stored)),
  list(_, page) {
    const items = page.items.map(metadataOf);
    return JSON.stringify({
      kind: 'PartialObjectMetadataList',
      apiVersion: PARTIAL.apiVersion,
      metadata: listMetadata(page),
      items: items.length === 0 ? null : items,
    });
  },
  event: (_, type, stored) => encoder.encode(`${JSON.stringify({ type, object: metadataOf(stored) })}\n`),
  bookmark(kind, resourceVersion, endOfInitialEvents) {
    const { metadata = {} } = bookmarkObject(kind, resourceVersion, endOfInitialEvents);
    return bookmarkLine({ ...PARTIAL, metadata });
  },
};

const AVAILABLE = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf;stream=watch',
];

/** The first presentation that the client's Accept header asks for and the server has. */
export function presentationFor(accept: string | undefined, known: readonly Presentation[]): Presentation {
  const [first = asObjects] = known;
  if (accept === undefined || accept === '') return first;
  for (const choice of accept.split(',')) {
    const [type = '', ...parameters] = choice.split(';').map((part) => part.trim());
    if (type !== 'application/json' && type !== '*/*') continue;
    const as = parameters.find((parameter) => parameter.startsWith('as='))?.slice('as='.length);
    const found = known.find((presentation) => presentation.answers(as));
    if (found !== undefined) return found;
  }
  throw notAcceptable(AVAILABLE);
}
