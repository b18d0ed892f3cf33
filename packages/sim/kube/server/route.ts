import type { HttpRequest } from '@fairlead/control';
import { methodNotAllowed, noSuchResource, notFound, RequestFailure } from '../failure.ts';
import type { ServedKind } from '../kinds/kind.ts';
import { namespaces } from '../kinds/namespace.ts';
import type { Registry } from '../registry.ts';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** What a request is about. */
export interface Route {
  readonly kind: ServedKind;
  readonly verb: Verb;
  /** Undefined across all namespaces, and for kinds without. */
  readonly namespace: string | undefined;
  /** Empty for a collection. */
  readonly name: string;
  readonly subresource: string;
  readonly query: URLSearchParams;
}

interface Place {
  readonly kind: ServedKind;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly subresource: string;
}

/** Undefined for paths that do not lead to objects. Throws for those that should and do not. */
export function routeOf(request: HttpRequest, registry: Registry): Route | undefined {
  const url = new URL(request.url);
  // Escaped slashes separate, too: the server reads the path as a whole before it looks at its parts.
  const segments = decodeURIComponent(url.pathname).replace(/^\//, '').replace(/\/$/, '').split('/');
  const place = placeOf(segments, registry);
  if (place === undefined) return undefined;
  return { ...place, query: url.searchParams, verb: verbOf(request.method, place, url.searchParams) };
}

function placeOf(segments: readonly string[], registry: Registry): Place | undefined {
  const [root, ...rest] = segments;
  const core = root === 'api';
  if (!core && root !== 'apis') return undefined;
  const [group = '', version = '', ...path] = core ? ['', ...rest] : rest;
  if (path.length === 0) return undefined;
  if (!registry.hasGroup(group)) return undefined;
  if (path.includes('')) throw noSuchResource();
  const find = (plural: string): ServedKind | undefined => {
    const kind = registry.find(group, version, plural);
    if (kind === undefined && registry.isCustomGroup(group)) throw pageNotFound();
    return kind;
  };
  if (path[0] === 'namespaces' && path.length > 2 && !isNamespaceSubresource(core, path)) {
    const [, namespace = '', plural = '', name = '', subresource = '', ...more] = path;
    return checked({ kind: find(plural), namespace, name, subresource, more, namespaced: true });
  }
  const [plural = '', name = '', subresource = '', ...more] = path;
  return checked({ kind: find(plural), namespace: undefined, name, subresource, more, namespaced: false });
}

function isNamespaceSubresource(core: boolean, path: readonly string[]): boolean {
  const [, , subresource = ''] = path;
  return core && path.length === 3 && namespaces.rules.subresources.has(subresource);
}

interface Candidate {
  readonly kind: ServedKind | undefined;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly subresource: string;
  readonly more: readonly string[];
  readonly namespaced: boolean;
}

function checked({ kind, namespace, name, subresource, more, namespaced }: Candidate): Place {
  if (kind === undefined) throw noSuchResource();
  if (more.length > 0) throw noSubresource(kind, name);
  const acrossNamespaces = !namespaced && name === '';
  if (kind.namespaced !== namespaced && !(kind.namespaced && acrossNamespaces)) throw noSuchResource();
  if (subresource !== '' && !hasSubresource(kind, subresource)) throw noSubresource(kind, name);
  return { kind, namespace, name, subresource };
}

/** Custom resources are not found where built-in kinds have no such path. */
function noSubresource({ custom, group, plural }: ServedKind, name: string): RequestFailure {
  return custom ? notFound({ group, resource: plural }, name) : noSuchResource();
}

function hasSubresource({ rules, scale }: ServedKind, subresource: string): boolean {
  return subresource === 'scale' ? scale !== undefined : rules.subresources.has(subresource);
}

/** How the server's outermost layer refuses a path; it does not even speak JSON. */
export function pageNotFound(): RequestFailure {
  return new RequestFailure({ code: 404, reason: 'PageNotFound', message: '404 page not found' });
}

function verbOf(method: HttpRequest['method'], place: Place, query: URLSearchParams): Verb {
  const { kind, namespace, name, subresource } = place;
  const acrossNamespaces = kind.namespaced && namespace === undefined;
  if (subresource === 'finalize' && method !== 'PUT') throw methodNotAllowed();
  switch (method) {
    case 'GET':
      if (isTrue(query.get('watch'))) return 'watch';
      return name === '' ? 'list' : 'get';
    case 'HEAD':
      if (!kind.custom) throw methodNotAllowed();
      return name === '' ? 'list' : 'get';
    case 'POST':
      // The server for custom resources does not look at what follows.
      if ((name === '' || (kind.custom && subresource === '')) && !acrossNamespaces) return 'create';
      throw methodNotAllowed();
    case 'PUT':
      if (name !== '') return 'update';
      throw methodNotAllowed();
    case 'PATCH':
      if (name !== '') return 'patch';
      throw methodNotAllowed();
    case 'DELETE':
      if (subresource !== '' || acrossNamespaces) throw methodNotAllowed();
      if (name === '' && kind === namespaces) throw methodNotAllowed();
      return name === '' ? 'deletecollection' : 'delete';
    case 'OPTIONS':
      throw methodNotAllowed();
  }
}

/** As the server reads a switch in a query: anything but 0 and false switches it on. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== '0' && value !== 'false';
}
