import type { Difference } from './compare.ts';
import { KINDS } from './kinds/index.ts';

/** A difference that is there to stay. As narrow as can be: what it explains is no longer looked at. */
export interface KnownDifference {
  readonly what: string;
  /** Also in `docs/testing.md`. */
  readonly reason: string;
  explains(difference: Difference): boolean;
}

const PLAYED = /\/(pods|nodes|customresourcedefinitions)(\/|\?|$)/;

const ODD_TYPE = /^(text\/plain|application\/yaml|APPLICATION|$)/;

function isRefusal(entry: Difference['real']): boolean {
  return (entry?.status ?? 0) >= 400;
}

function changesType(patch: string): boolean {
  if (!isJson(patch)) return false;
  const content: unknown = JSON.parse(patch);
  if (typeof content !== 'object' || content === null) return false;
  const kind: unknown = Reflect.get(content, 'kind');
  const apiVersion: unknown = Reflect.get(content, 'apiVersion');
  const isKnown = (name: 'kind' | 'apiVersion', value: unknown): boolean =>
    value === undefined || KINDS.some((known) => known[name] === value);
  return !isKnown('kind', kind) || !isKnown('apiVersion', apiVersion);
}

function warningless(entry: Difference['real']): string {
  return JSON.stringify(entry, (name, value: unknown) => (name === 'warning' ? undefined : value));
}

/** Without managedFields and the resource version. */
function versionless(entry: Difference['real']): string {
  return ownerless(entry).replaceAll(/"resourceVersion":"[^"]*",?/g, '');
}

/** Without managedFields. */
function ownerless(entry: Difference['real']): string {
  return JSON.stringify(entry, (name, value: unknown) => (name === 'managedFields' ? undefined : value));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    what: 'a Pod, Node or CustomResourceDefinition is refused that the simulation takes',
    reason: 'their specs have hundreds of rules; the simulation has those that Fairlead can break',
    explains: ({ request, simulated, real }) =>
      PLAYED.test(request.path) && real?.status === 422 && (simulated?.status === 200 || simulated?.status === 201),
  },
  {
    what: 'a Pod or Node is taken with a warning that the simulation does not give',
    reason: 'as above: warnings are rules, too',
    explains: ({ request, simulated, real }) =>
      PLAYED.test(request.path) && warningless(simulated) === warningless(real),
  },
  {
    what: 'which of two mistakes is told, where one is in the headers',
    reason: 'the real server checks them in an order of its own for each kind of request',
    explains: ({ request, simulated, real }) =>
      isRefusal(simulated) &&
      isRefusal(real) &&
      (request.accept !== undefined || ODD_TYPE.test(request.contentType ?? '')),
  },
  {
    what: 'an Accept header for the metadata of a list on one object, or the other way round',
    reason: 'no client asks for that; the real server refuses when all is done',
    explains: ({ request, real }) => real?.status === 406 && (request.accept ?? '').includes('as='),
  },
  {
    what: 'application/* in an Accept header',
    reason: 'the real server understands it for custom resources alone',
    explains: ({ request }) => request.accept === 'application/*',
  },
  {
    what: 'fields of the version that is not stored in the answer to a dry run',
    reason: 'the real server converts twice where nothing is stored, and once where something is',
    explains: ({ request, simulated, real }) =>
      request.path.includes('/berths') && request.path.includes('dryRun=All') && simulated?.status === real?.status,
  },
  {
    what: 'what is wrong with a request to scale that both refuse',
    reason: 'the real server finds first that the object has no number of replicas, or that the patch has mistakes',
    explains: ({ request, simulated, real }) =>
      /\/scale(\?|$)/.test(request.path) && isRefusal(simulated) && isRefusal(real),
  },
  {
    what: 'selfLink or resourceVersion in the answer to a dry run',
    reason: 'the real server shows what the client sent, which it would not have stored',
    explains: ({ request, real }) =>
      request.path.includes('dryRun=All') &&
      (real?.status === 201 || real?.status === 200) &&
      /"(selfLink|resourceVersion)"/.test(request.body ?? ''),
  },
  {
    what: 'what is wrong with a request for custom resources that leads nowhere',
    reason: 'a server of its own answers those, in an order of its own; both refuse',
    explains: ({ request, simulated, real }) =>
      /\/berths(\/[^/?]*\/[^/?]+\/.*|\/)?(\?|$)/.test(request.path) &&
      [404, 405, 415].includes(simulated?.status ?? 0) &&
      [404, 405, 415].includes(real?.status ?? 0),
  },
  {
    what: 'a body to apply that is YAML and no JSON',
    reason: 'two parsers of YAML never agree on what is no YAML',
    explains: ({ request }) => request.contentType === 'application/apply-patch+yaml' && !isJson(request.body ?? ''),
  },
  {
    what: 'an object that is not there is applied with a uid, and with another mistake',
    reason: 'the real server looks at the uid first',
    explains: ({ simulated, real }) =>
      isRefusal(simulated) && real?.status === 409 && JSON.stringify(real.body).includes('uid mismatch'),
  },
  {
    what: 'a custom resource is applied whose metadata has values of the wrong type',
    reason: 'the real server drops them without a word; nothing that Fairlead applies has such',
    explains: ({ request, simulated }) =>
      request.path.includes('/berths/') &&
      request.contentType === 'application/apply-patch+yaml' &&
      JSON.stringify(simulated?.body ?? null).includes('failed to convert new object'),
  },
  {
    what: 'who owns what of an Event written through both groups, or of a custom resource in two versions, or scaled',
    reason: 'the real server forgets owners who wrote fields that the other version lacks',
    explains: ({ request, simulated, real }) =>
      /\/(berths|events)/.test(request.path) && ownerless(simulated) === ownerless(real),
  },
  {
    what: 'a patch makes an object of another kind or version',
    reason: 'the real server then reads the object as of that one, or of none, and finds no field of it known',
    explains: ({ request }) => request.method === 'PATCH' && changesType(request.body ?? ''),
  },
  {
    what: 'a number that does not fit into 32 bits is applied, or merged strategically',
    reason: 'the real server wraps it around without a word; Fairlead sends none',
    explains: ({ request, simulated }) =>
      request.method === 'PATCH' && JSON.stringify(simulated?.body ?? null).includes('cannot convert int64 to int32'),
  },
  {
    what: 'the time beside an owner whose apply changed nothing, with a time of creation in it',
    reason: 'the real server takes the time of creation for a change, and then puts its own back',
    explains: ({ request, simulated, real }) =>
      request.contentType === 'application/apply-patch+yaml' &&
      (request.body ?? '').includes('creationTimestamp') &&
      ownerless(simulated) === ownerless(real),
  },
  {
    what: 'there is an Event about a cluster address that was found not to be allocated',
    reason: 'the real server checks its addresses every few minutes and tells so',
    explains: ({ request, real }) =>
      request.path.includes('/events') && JSON.stringify(real?.body ?? null).includes('"action":"ClusterIPAllocation"'),
  },
  {
    what: 'an object that is being deleted is deleted through another version, or an Event written unchanged',
    reason: 'the real server stores it anew, and its resource version moves on',
    explains: ({ request, simulated, real }) =>
      /\/(berths|events)\//.test(request.path) && versionless(simulated) === versionless(real),
  },
  {
    what: 'an immutable ConfigMap is given an empty map where it had none',
    reason: 'the real server tells the two apart',
    explains: ({ request, simulated, real }) =>
      request.path.includes('/configmaps/') &&
      simulated?.status === 200 &&
      JSON.stringify(real?.body ?? null).includes('field is immutable when `immutable` is set'),
  },
  {
    what: 'node ports that two ports of a Service ask for, and another mistake',
    reason: 'the real server allocates before it validates',
    explains: ({ simulated, real }) =>
      isRefusal(simulated) && JSON.stringify(real?.body ?? null).includes('duplicate nodePort'),
  },
  {
    what: 'the metadata of a list is asked for where one object is created',
    reason: 'the real server creates it, and then fails to answer',
    explains: ({ request, real }) =>
      (request.accept ?? '').includes('PartialObjectMetadataList') &&
      JSON.stringify(real?.body ?? null).includes('content is not a list'),
  },
  {
    what: 'a namespace is applied with a time of deletion',
    reason: 'the real server keeps the time and the namespace',
    explains: ({ request, simulated, real }) =>
      ['DELETE', 'PATCH'].includes(request.method) &&
      /\/namespaces\/[^/]+(\?|$)/.test(request.path) &&
      simulated?.status === 404 &&
      real?.status !== 404,
  },
  {
    what: 'a read that is content with any version does not show the last write yet',
    reason: 'the real server answers it from a cache, which on a busy machine may be a moment behind',
    explains: ({ request, simulated, real }) =>
      request.method === 'GET' &&
      /[?&]resourceVersion=0(&|$)/.test(request.path) &&
      simulated?.status === 200 &&
      real?.status === 200,
  },
];
