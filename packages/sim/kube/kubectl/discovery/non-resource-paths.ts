import type { HttpRequest } from '@fairlead/control';
import type { JsonObject } from '../../../json.ts';
import { methodNotAllowed, noSuchResource, RequestFailure } from '../../failure.ts';
import type { AccessOptions, User } from '../../server/access/access.ts';
import { type Answer, jsonAnswer, type UnaryAnswer } from '../../server/answer.ts';
import type { ServerState } from '../../server/state.ts';
import { ByteStream } from '../../server/stream.ts';
import { versionText } from '../../version.ts';
import { binaryDocument } from '../openapi/binary-document.ts';
import { OpenApiDocuments } from '../openapi/documents.ts';
import {
  aggregatedDocument,
  coreVersionsDocument,
  groupDocument,
  groupListDocument,
  resourceListDocument,
  versionDocument,
} from './documents.ts';
import { type ApiGroup, apiGroups } from './groups.ts';
import { answerReview } from './reviews.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const BINARY_OPENAPI = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const HEALTH = new Set(['healthz', 'livez', 'readyz']);
const CACHED = { 'cache-control': 'public, immutable', vary: 'Accept' };

/** Answers what is no request for objects: what the server is, how it is, what it serves, and what a user may do. */
export class NonResourcePaths {
  readonly #state: ServerState;
  readonly #access: AccessOptions;
  readonly #openApi: OpenApiDocuments;

  constructor(state: ServerState, access: AccessOptions) {
    this.#state = state;
    this.#access = access;
    this.#openApi = new OpenApiDocuments(state);
  }

  /** Undefined for a path that it does not know either. */
  answer(request: HttpRequest, user: User): Answer | undefined {
    const { pathname, searchParams, host } = new URL(request.url);
    if (pathname.startsWith('//')) return undefined;
    const segments = pathname.split('/').filter((part) => part !== '');
    const review = answerReview(request, segments, user, { ...this.#access, now: this.#state.clock.now() });
    if (review !== undefined) return review;
    const answer = this.#page(segments, searchParams, request.headers.accept ?? '', host);
    if (answer !== undefined && request.method !== 'GET') throw methodNotAllowed();
    return answer;
  }

  #page(segments: readonly string[], query: URLSearchParams, accept: string, host: string): Answer | undefined {
    const [root = '', ...rest] = segments;
    if (root === '') return document({ paths: this.#rootPaths() });
    if (HEALTH.has(root)) return healthAnswer(root, rest, query);
    switch (root) {
      case 'version':
        return rest.length === 0 ? jsonAnswer(200, JSON.stringify(versionDocument(), undefined, 2)) : undefined;
      case 'openapi':
        if (rest.join('/') === 'v2') return this.#openApiV2(accept);
        return rest[0] === 'v3' ? this.#openApiPage(rest.slice(1).join('/'), query) : undefined;
      case 'api':
      case 'apis':
        return this.#discoveryPage(root, rest, accept, host);
      default:
        return undefined;
    }
  }

  #groups(): readonly ApiGroup[] {
    return apiGroups(this.#state.registry.all());
  }

  #rootPaths(): readonly string[] {
    const groups = this.#groups().flatMap(({ name, versions }) => {
      if (name === '') return versions.map(({ version }) => `/api/${version}`);
      return [`/apis/${name}`, ...versions.map(({ version }) => `/apis/${name}/${version}`)];
    });
    const others = ['/api', '/apis', '/openapi/v3', '/version', ...[...HEALTH].map((path) => `/${path}`)];
    return [...groups, ...others].sort();
  }

  #discoveryPage(root: 'api' | 'apis', rest: readonly string[], accept: string, host: string): Answer | undefined {
    const core = root === 'api';
    const groups = this.#groups().filter(({ name }) => (name === '') === core);
    const [groupName, version] = core ? ['', rest[0]] : rest;
    if (version === undefined && (core || groupName === undefined)) {
      if (wantsAggregated(accept)) return { ...document(aggregatedDocument(groups)), headers: aggregatedHeaders() };
      return document(core ? coreVersionsDocument(host) : groupListDocument(groups));
    }
    const group = groups.find(({ name }) => name === groupName);
    if (group === undefined) return undefined;
    if (version === undefined) return document(groupDocument(group));
    const found = group.versions.find((each) => each.version === version);
    if (found === undefined) throw noSuchResource();
    return document(resourceListDocument(found));
  }

  #openApiPage(path: string, query: URLSearchParams): Answer | undefined {
    if (path === '') return { ...document(this.#openApiIndex()), headers: { 'content-type': 'text/plain' } };
    const found = this.#openApi.find(path);
    if (found === undefined) return undefined;
    const headers = { 'content-type': 'application/json', etag: `"${found.hash}"` };
    const asked = query.get('hash');
    if (asked === null) return { status: 200, headers, body: found.json };
    if (asked === found.hash) return { status: 200, headers: { ...headers, ...CACHED }, body: found.json };
    return { status: 301, headers: { ...headers, location: this.#openApiAddress(path) }, body: '' };
  }

  #openApiV2(accept: string): Answer {
    const info = { title: 'Kubernetes', version: versionText() };
    const definitions = this.#openApi.definitionsV2();
    if (!accept.includes('protobuf')) return document({ swagger: '2.0', info, paths: {}, definitions });
    const stream = new ByteStream(() => undefined);
    stream.push(binaryDocument(info.title, info.version, definitions));
    stream.end();
    return { status: 200, headers: { 'content-type': BINARY_OPENAPI }, stream };
  }

  #openApiIndex(): JsonObject {
    const entries = this.#openApi.paths().map((path) => [path, { serverRelativeURL: this.#openApiAddress(path) }]);
    return { paths: Object.fromEntries(entries) };
  }

  /** The hash lets clients keep a document for ever. */
  #openApiAddress(path: string): string {
    return `/openapi/v3/${path}?hash=${this.#openApi.find(path)?.hash ?? ''}`;
  }
}

function document(content: JsonObject): UnaryAnswer {
  return jsonAnswer(200, JSON.stringify(content));
}

function wantsAggregated(accept: string): boolean {
  const [first = ''] = accept.split(',');
  return first.includes('as=APIGroupDiscoveryList') && /v=v2(;|$)/.test(first.trim());
}

function aggregatedHeaders(): Readonly<Record<string, string>> {
  return { 'content-type': AGGREGATED, 'cache-control': 'public', vary: 'Accept' };
}

function healthAnswer(root: string, rest: readonly string[], query: URLSearchParams): UnaryAnswer {
  if (rest.length > 1 || (rest.length === 1 && rest[0] !== 'ping')) throw unknownCheck();
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache, private' };
  const body = query.has('verbose') ? `[+]ping ok\n${root} check passed\n` : 'ok';
  return { status: 200, headers, body };
}

function unknownCheck(): RequestFailure {
  return new RequestFailure({ code: 404, reason: 'PageNotFound', message: '404 page not found' });
}
