import { type Clock, FairleadError, type HttpResponse, isRecord, sleep } from '@fairlead/control';
import { ApiError } from '../api/api-error.ts';
import type { ApiConnection, ApiRequest } from '../api/connection.ts';
import type { JsonPatchStep } from '../api/patch.ts';
import { patchedJson, patchedMerge } from './patching.ts';
import { response } from './responses.ts';

type Stored = Record<string, unknown> & { metadata: Record<string, unknown> };

/** What becomes of a request: it may get lost on its way, its answer may, it may never be answered, or be refused. */
export type Fault = 'lose-request' | 'lose-response' | 'hang' | Refusal;

export interface Refusal {
  readonly status: number;
  readonly reason: string;
  readonly retryAfterSeconds?: number;
}

/** A small API server in memory, for tests: objects by path, versions, preconditions, finalizers. */
export class FakeApi {
  /** What happens to a request; undefined lets it pass. */
  fault: (request: ApiRequest) => Fault | undefined = () => undefined;
  /** Every request that reached the server, in order. */
  readonly requests: ApiRequest[] = [];
  readonly #objects = new Map<string, Stored>();
  #version = 0;

  /**
   * A way to this server that takes `latency` there and the same back; without, no timer is needed for an
   * answer. `ownFault` is what happens to requests on this way alone.
   */
  connect(clock: Clock, latency = 0, ownFault: FakeApi['fault'] = () => undefined): ApiConnection {
    return {
      send: async (request) => {
        request.beforeSending?.();
        const fault = ownFault(request) ?? this.fault(request);
        await travel(clock, latency, request.signal);
        if (fault === 'hang') return new Promise(() => {});
        if (fault === 'lose-request') throw lost('request');
        this.requests.push(request);
        const answer = typeof fault === 'object' ? refusal(request, fault) : this.#answer(request);
        await travel(clock, latency, request.signal);
        if (fault === 'lose-response') throw lost('response');
        if (answer instanceof ApiError) throw answer;
        return answer;
      },
    };
  }

  get writes(): readonly ApiRequest[] {
    return this.requests.filter((request) => request.method !== 'GET');
  }

  /** The object at a path, as it is stored. */
  at(path: string): Stored | undefined {
    return this.#objects.get(path);
  }

  all(): readonly Stored[] {
    return [...this.#objects.values()];
  }

  /** Stores an object as if another client had written it. */
  put(path: string, object: object): void {
    this.#store(path, structuredClone(object));
  }

  remove(path: string): void {
    this.#objects.delete(path);
  }

  #answer(request: ApiRequest): HttpResponse | ApiError {
    try {
      return this.#serve(request);
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  }

  #serve(request: ApiRequest): HttpResponse {
    const { path } = request;
    const object = path.replace(/\/(status|scale)$/, '');
    if (request.method === 'POST') return response(201, this.#create(request));
    if (request.method === 'PUT') return response(200, this.#replace(request, object, request.body));
    if (request.method === 'PATCH') return response(200, this.#patch(request, object));
    if (request.method === 'DELETE') return response(200, this.#delete(request));
    return isCollection(path) ? this.#list(request) : response(200, this.#existing(request, object));
  }

  #list(request: ApiRequest): HttpResponse {
    const inside = new RegExp(`^${request.path.replace(/^(.*)\/([^/]+)$/, '$1(/namespaces/[^/]+)?/$2')}/[^/]+$`);
    const found = [...this.#objects].filter(([path]) => inside.test(path)).map(([, object]) => object);
    const start = Number(request.query?.['continue'] ?? 0);
    const limit = Number(request.query?.['limit'] ?? found.length);
    const next = start + limit < found.length ? String(start + limit) : undefined;
    const metadata = { resourceVersion: String(this.#version), continue: next };
    return response(200, { kind: 'List', metadata, items: found.slice(start, start + limit) });
  }

  #create(request: ApiRequest): Stored {
    const body = structuredClone(request.body);
    if (!isRecord(body) || !isRecord(body['metadata'])) throw refused(request, 400, 'BadRequest');
    const path = `${request.path}/${String(body['metadata']['name'])}`;
    if (this.#objects.has(path)) throw refused(request, 409, 'AlreadyExists');
    return this.#store(path, body);
  }

  #patch(request: ApiRequest, path: string): Stored {
    const current = this.#existing(request, path);
    if (request.contentType === 'application/merge-patch+json') {
      return this.#replace(request, path, patchedMerge(current, request.body));
    }
    const patched = isSteps(request.body) ? patchedJson(current, request.body) : undefined;
    if (patched === undefined) throw refused(request, 422, 'Invalid');
    return this.#replace(request, path, patched);
  }

  #replace(request: ApiRequest, path: string, body: unknown): Stored {
    const current = this.#existing(request, path);
    if (!isRecord(body) || !isRecord(body['metadata'])) throw refused(request, 400, 'BadRequest');
    const { resourceVersion } = body['metadata'];
    if (resourceVersion !== undefined && resourceVersion !== current.metadata['resourceVersion']) {
      throw refused(request, 409, 'Conflict');
    }
    const stored = this.#store(path, structuredClone(body));
    if (stored.metadata['deletionTimestamp'] !== undefined && !hasFinalizers(stored)) this.#objects.delete(path);
    return stored;
  }

  #delete(request: ApiRequest): Stored {
    const current = this.#existing(request, request.path);
    const preconditions = isRecord(request.body) ? request.body['preconditions'] : undefined;
    if (isRecord(preconditions)) {
      for (const field of ['uid', 'resourceVersion']) {
        const wanted = preconditions[field];
        if (wanted !== undefined && wanted !== current.metadata[field]) throw refused(request, 409, 'Conflict');
      }
    }
    if (!hasFinalizers(current)) {
      this.#objects.delete(request.path);
      return current;
    }
    const metadata = { ...current.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
    return this.#store(request.path, { ...current, metadata });
  }

  #existing(request: ApiRequest, path: string): Stored {
    const found = this.#objects.get(path);
    if (found === undefined) throw refused(request, 404, 'NotFound');
    return found;
  }

  #store(path: string, object: object): Stored {
    const given = 'metadata' in object && isRecord(object.metadata) ? object.metadata : {};
    const uid = this.#objects.get(path)?.metadata['uid'] ?? `uid-${this.#version + 1}`;
    this.#version += 1;
    const stored = { ...object, metadata: { uid, ...given, resourceVersion: String(this.#version) } };
    this.#objects.set(path, stored);
    return stored;
  }
}

function hasFinalizers(object: Stored): boolean {
  const { finalizers } = object.metadata;
  return Array.isArray(finalizers) && finalizers.length > 0;
}

/** After the version come `plural`, or `namespaces/<namespace>/plural`; an object has one segment more. */
function isCollection(path: string): boolean {
  const rest = path.replace(/^\/(api\/[^/]+|apis\/[^/]+\/[^/]+)\//, '').split('/');
  return rest.length === 1 || (rest.length === 3 && rest[0] === 'namespaces');
}

function isSteps(body: unknown): body is readonly JsonPatchStep[] {
  return Array.isArray(body) && body.every((step) => isRecord(step) && typeof step['path'] === 'string');
}

async function travel(clock: Clock, latency: number, signal: AbortSignal | undefined): Promise<void> {
  if (latency > 0) await sleep(clock, latency, signal);
  else signal?.throwIfAborted();
}

function refused(request: ApiRequest, status: number, reason: string): ApiError {
  return refusal(request, { status, reason });
}

function refusal({ method, path }: ApiRequest, { status: code, reason, retryAfterSeconds }: Refusal): ApiError {
  const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } };
  return new ApiError(`${method} ${path}`, { kind: 'Status', code, reason, ...details });
}

function lost(what: string): FairleadError {
  return new FairleadError(`the ${what} was lost`, { verdict: 'retriable', code: 'connection-lost' });
}
