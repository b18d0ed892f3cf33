import { isJsonObject, type Json, parseJson } from '../../../json.ts';
import { badRequest, expired, RequestFailure, tooLargeResourceVersion } from '../../failure.ts';
import { isCached, type ServedKind } from '../../kinds/kind.ts';
import { keyOf, type Store } from '../../store/store.ts';
import type { StoredObject } from '../../store/stored-object.ts';
import type { Route } from '../route.ts';
import { type ListOptions, malformedVersion, versionNumber } from './list-options.ts';

export interface Page {
  readonly items: readonly StoredObject[];
  readonly resourceVersion: number;
  /** Empty on the last page. */
  readonly continueToken: string;
  readonly remaining: number | undefined;
}

const TOKEN_VERSION = 'meta.k8s.io/v1';
const NEXT = '\u0000';

/** One page of a list. Pages of one list show the same moment, as long as its history lasts. */
export function listPage(store: Store, { kind, namespace }: Route, options: ListOptions): Page {
  const { collection } = kind;
  const start = startOf(store, options);
  const all = store.listAt(collection, namespace, start.resourceVersion);
  const prefix = namespace === undefined ? '' : `${namespace}/`;
  const lead = isCached(kind) ? '/' : '';
  const relativeKey = ({ object }: StoredObject): string =>
    `${lead}${keyOf(object.metadata.namespace, object.metadata.name).slice(prefix.length)}`;
  const rest = start.key === '' ? all : all.filter((stored) => relativeKey(stored) >= start.key);
  const chosen = options.selective ? rest.filter(({ object }) => options.matches(object)) : rest;
  const limit = isFromCache(kind, options) ? 0 : options.limit;
  const items = limit > 0 ? chosen.slice(0, limit) : chosen;
  const last = items.at(-1);
  const { resourceVersion } = start;
  // The server reads no further than it must: whether what follows is selected, it does not know.
  if (limit === 0 || items.length < limit || last === undefined || last === rest.at(-1) || options.single) {
    return { items, resourceVersion, continueToken: '', remaining: undefined };
  }
  return {
    items,
    resourceVersion,
    continueToken: encodeToken(resourceVersion, `${relativeKey(last)}${NEXT}`),
    remaining: options.selective ? undefined : chosen.length - items.length,
  };
}

/** Any version will do: the server's cache answers, which has no pages. */
function isFromCache(kind: ServedKind, { resourceVersion, versionMatch, continueToken }: ListOptions): boolean {
  return isCached(kind) && resourceVersion === '0' && versionMatch === '' && continueToken === '';
}

interface Start {
  readonly resourceVersion: number;
  readonly key: string;
}

function startOf(store: Store, options: ListOptions): Start {
  const current = store.resourceVersion;
  if (options.continueToken !== '') return continuation(store, options.continueToken);
  const asked = versionNumber(options.resourceVersion);
  if (asked === undefined) throw badRequest(`invalid resource version: ${malformedVersion(options.resourceVersion)}`);
  if (asked > current) throw tooLargeResourceVersion(asked, current);
  const exact =
    options.versionMatch === 'Exact' ||
    (options.versionMatch === '' && options.limit > 0 && asked > 0 && !options.single);
  if (!exact) return { resourceVersion: current, key: '' };
  if (asked < store.compactedVersion) throw expired('The resourceVersion for the provided list is too old.');
  return { resourceVersion: asked, key: '' };
}

function continuation(store: Store, token: string): Start {
  const { resourceVersion, key } = decodeToken(token);
  if (resourceVersion < 0) return { resourceVersion: store.resourceVersion, key };
  if (resourceVersion >= store.compactedVersion) return { resourceVersion, key };
  throw new ExpiredContinuation(encodeToken(-1, key));
}

const EXPIRED_CONTINUATION =
  'The provided continue parameter is too old to display a consistent list result. ' +
  'You can start a new list without the continue parameter, ' +
  'or use the continue token in this response to retrieve the remainder of the results. ' +
  'Continuing with the provided token results in an inconsistent list - ' +
  'objects that were created, modified, or deleted between the time the first chunk was returned and now ' +
  'may show up in the list.';

/** The snapshot is gone; the list can go on from here, at the price of showing two moments at once. */
class ExpiredContinuation extends RequestFailure {
  readonly token: string;

  constructor(token: string) {
    super({
      code: 410,
      reason: 'Expired',
      message: EXPIRED_CONTINUATION,
    });
    this.token = token;
  }

  override toStatus() {
    return { ...super.toStatus(), metadata: { continue: this.token } };
  }
}

function encodeToken(resourceVersion: number, start: string): string {
  return Buffer.from(JSON.stringify({ v: TOKEN_VERSION, rv: resourceVersion, start })).toString('base64url');
}

function decodeToken(token: string): Start {
  const { rv, start, v } = parseToken(token);
  if (v !== TOKEN_VERSION || typeof rv !== 'number' || typeof start !== 'string') {
    throw badRequest(
      'invalid continue token: continue key is not valid: server does not recognize this encoded version',
    );
  }
  return { resourceVersion: rv, key: start };
}

function parseToken(token: string): { readonly [name: string]: Json } {
  const text = Buffer.from(token, 'base64url').toString();
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : {};
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const problem = `invalid character '${text.slice(0, 1)}' looking for beginning of value`;
    throw badRequest(`invalid continue token: continue key is not valid: ${problem}`);
  }
}
