import { type Json, type JsonDraft, type JsonObject, listOf, objectOf, textOf } from '../../json.ts';
import { badRequest, Refusal } from '../refusal.ts';

/** What a list asks for besides filters. */
export const OPTIONS = new Set(['fields', 'limit', 'marker', 'sort_key', 'sort_dir', 'page_reverse']);
export const TAG_FILTERS = new Set(['tags', 'tags-any', 'not-tags', 'not-tags-any']);

export interface Listing {
  readonly items: readonly JsonObject[];
  /** Set when a limit was asked for and something is on the page. */
  readonly page?: {
    readonly first: string;
    readonly last: string;
    readonly hasMore: boolean;
    readonly isFirst: boolean;
  };
}

/** The objects that a query asks for. `filters` are the fields that this kind can be filtered by. */
export function list(
  all: readonly JsonObject[],
  query: URLSearchParams,
  filters: ReadonlySet<string>,
  pageLimit: number,
  notFound: (id: string) => Refusal,
): Listing {
  const unknown = [...new Set(query.keys())].filter((name) => !OPTIONS.has(name) && !TAG_FILTERS.has(name));
  const wrong = unknown.filter((name) => !filters.has(name));
  if (wrong.length > 0)
    throw badRequest(`[${wrong.map((name) => `'${name}'`).join(', ')}] is invalid attribute for filtering`);
  if (query.getAll('sort_key').length !== query.getAll('sort_dir').length) {
    throw badRequest('The number of sort_keys and sort_dirs must be same');
  }
  const found = all.filter((object) => matches(object, query)).toSorted(byId);
  const descending = query.get('sort_dir') === 'desc';
  const ordered = descending ? found.toReversed() : found;
  const limit = limitOf(query.get('limit'));
  const marker = query.get('marker');
  if (marker !== null && !all.some((object) => object['id'] === marker)) throw notFound(marker);
  const isAfter = (object: JsonObject) => marker === null || textOf(object['id']) > marker !== descending;
  const rest = ordered.filter((object) => isAfter(object) && object['id'] !== marker);
  const size = Math.min(limit ?? Number.POSITIVE_INFINITY, pageLimit);
  const page = rest.slice(0, size);
  const items = page.map((object) => selected(object, query.getAll('fields')));
  const [first, last] = [page[0], page.at(-1)];
  if (limit === undefined || first === undefined || last === undefined) return { items };
  const ends = { first: textOf(first['id']), last: textOf(last['id']) };
  return { items, page: { ...ends, hasMore: rest.length > page.length, isFirst: marker === null } };
}

function limitOf(text: string | null): number | undefined {
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Number(text) === 0 ? undefined : Number(text);
  throw new Refusal(400, 'BadRequest', `Bad limit request: Limit must be an integer 0 or greater and not '${text}'.`);
}

/** Whether an object is among what a query filters for. */
export function matches(object: JsonObject, query: URLSearchParams): boolean {
  const tags = new Set(listOf(object['tags']).map(textOf));
  for (const name of new Set(query.keys())) {
    if (OPTIONS.has(name)) continue;
    const wanted = query.getAll(name);
    if (TAG_FILTERS.has(name)) {
      const named = wanted.flatMap((text) => text.split(','));
      const holds = name.endsWith('-any') ? named.some((tag) => tags.has(tag)) : named.every((tag) => tags.has(tag));
      if (holds === name.startsWith('not-')) return false;
    } else if (name === 'fixed_ips') {
      if (!hasFixedIp(object, wanted)) return false;
    } else if (!wanted.some((text) => text === plain(object[name]))) return false;
  }
  return true;
}

/** `ip_address=10.0.0.5` or `subnet_id=ID`. */
function hasFixedIp(object: JsonObject, wanted: readonly string[]): boolean {
  return listOf(object['fixed_ips']).some((entry) =>
    wanted.some((text) => {
      const [name = '', value] = text.split('=');
      return objectOf(entry)[name] === value;
    }),
  );
}

function plain(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function selected(object: JsonObject, fields: readonly string[]): JsonObject {
  if (fields.length === 0) return object;
  const draft: JsonDraft = {};
  for (const field of fields) if (object[field] !== undefined) draft[field] = object[field];
  return draft;
}

function byId(left: JsonObject, right: JsonObject): number {
  return textOf(left['id']) < textOf(right['id']) ? -1 : 1;
}
