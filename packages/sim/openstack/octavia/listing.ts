import { type JsonObject, textOf } from '../../json.ts';
import type { Requester } from '../keystone/identity.ts';
import { matches, OPTIONS, TAG_FILTERS } from '../neutron/listing.ts';
import { filtersOf } from './fields.ts';
import { forbidden, frameworkRefusal, invalid } from './refusals.ts';
import type { OctaviaKind } from './store.ts';

export interface OctaviaPage {
  readonly items: readonly JsonObject[];
  /** The marker of the page after this one, if there is one. */
  readonly next: string | undefined;
}

/** What a query asks for, of that which the requester may see. */
export function listed(
  requester: Requester,
  kind: OctaviaKind,
  all: readonly JsonObject[],
  query: URLSearchParams,
  pageLimit: number,
): OctaviaPage {
  const { projectId, isAdmin } = requester;
  const project = query.get('project_id');
  if (project !== null && project !== projectId && !isAdmin) throw forbidden();
  const filters = filtersOf(kind);
  if ([...query.keys()].some((name) => !OPTIONS.has(name) && !TAG_FILTERS.has(name) && !filters.has(name))) {
    throw invalid('One or more arguments are either duplicate or invalid');
  }
  const own = all.filter((one) => kind === 'flavors' || isAdmin || one['project_id'] === projectId);
  const marker = query.get('marker');
  if (marker !== null && !own.some((one) => idOf(one) === marker)) {
    throw invalid(`Supplied pagination marker '${marker}' is not valid.`);
  }
  const limit = query.get('limit');
  if (limit !== null && !/^\d+$/.test(limit)) {
    throw frameworkRefusal(400, `Supplied pagination limit '${limit}' is not valid.`);
  }
  const found = own
    .filter((one) => matches(one, query) && (marker === null || idOf(one) > marker))
    .toSorted((left, right) => (idOf(left) < idOf(right) ? -1 : 1));
  const items = found.slice(0, Math.min(limit === null ? Number.POSITIVE_INFINITY : Number(limit), pageLimit));
  const last = items.at(-1);
  return { items, next: last !== undefined && found.length > items.length ? idOf(last) : undefined };
}

function idOf(object: JsonObject): string {
  return textOf(object['id']);
}
