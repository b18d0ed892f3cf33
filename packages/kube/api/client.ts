import { type Clock, isRecord, readText, withDeadline } from '@fairlead/control';
import type { KubeObject } from '../types/meta.ts';
import { isGone, isNotFound } from './api-error.ts';
import type { ApiConnection, ApiRequest } from './connection.ts';
import { isObjectOf, type Page, parseJson, toPage, unexpectedAnswer } from './decode.ts';
import type { Applied, JsonPatchStep, MergePatch } from './patch.ts';
import { apiVersionOf, collectionPath, type ObjectKey, objectPath, type Resource } from './resource.ts';

const DEFAULT_DEADLINE_MILLISECONDS = 30_000;
/** What the API server answers in one go without strain. */
const DEFAULT_PAGE_SIZE = 500;

/** What every call takes. */
export interface CallOptions {
  /** Ends the call; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** For the whole call, or for each page of a list. 30 seconds unless told otherwise. */
  readonly deadlineMilliseconds?: number;
  /** Asked when a request that writes is about to be sent; it is not when this throws: it must not outlive the Lease, say. */
  readonly beforeWrite?: () => void;
}

/** Of `getText`. */
export interface ReadTextOptions extends CallOptions {
  /** Beside those that every request has. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Of calls that create, update and patch. */
export interface WriteOptions extends CallOptions {
  /** Who is recorded as owner of the fields written. */
  readonly fieldManager?: string;
}

/** Of server-side apply. */
export interface ApplyOptions extends CallOptions {
  readonly fieldManager: string;
  /** Takes fields over from other managers; without it, a field that another owns is a conflict. */
  readonly force?: boolean;
}

/** Of a deletion, with what it presupposes. */
export interface DeleteOptions extends CallOptions {
  /** Deletes only this very object, not a namesake that was made since. */
  readonly uid?: string;
  /** Deletes only if nothing changed since. */
  readonly resourceVersion?: string;
  /** What happens to the objects it owns. */
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
  readonly gracePeriodSeconds?: number;
}

/** Which objects a list has, and how they come. */
export interface ListOptions extends CallOptions {
  /** Absent: across all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Objects on one page; 500 unless told otherwise. 0: all on one page. */
  readonly limit?: number;
  /** `0`: whatever the server has in its cache, perhaps not the latest. Absent: the latest. */
  readonly resourceVersion?: string;
}

/** Something one may or may not be allowed to do. */
export interface Access {
  readonly verb: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string | undefined;
  /** Absent: in all namespaces. */
  readonly namespace?: string | undefined;
}

/** Reads and writes objects. Rejects with an ApiError when the server refuses, and when no answer came in time. */
export class KubeClient {
  readonly #connection: ApiConnection;
  readonly #clock: Clock;

  constructor(connection: ApiConnection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
  }

  async get<Kind extends KubeObject>(resource: Resource<Kind>, key: ObjectKey, options?: CallOptions): Promise<Kind> {
    return this.#object(resource, { method: 'GET', path: objectPath(resource, key) }, options);
  }

  /** Like `get`, but undefined when there is no such object. */
  async find<Kind extends KubeObject>(
    resource: Resource<Kind>,
    key: ObjectKey,
    options?: CallOptions,
  ): Promise<Kind | undefined> {
    try {
      return await this.get(resource, key, options);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** All objects, read page by page; in one go when the pages expire before the last is read. */
  async list<Kind extends KubeObject>(resource: Resource<Kind>, options: ListOptions = {}): Promise<Page<Kind>> {
    try {
      return await this.#collect(resource, options);
    } catch (error) {
      if (!isGone(error)) throw error;
      return this.#collect(resource, { ...options, limit: 0 });
    }
  }

  /** All objects, one page at a time. Rejects with a 410 when the pages expire before the last is read. */
  async *pages<Kind extends KubeObject>(
    resource: Resource<Kind>,
    options: ListOptions = {},
  ): AsyncGenerator<Page<Kind>, void> {
    let continueToken: string | undefined;
    do {
      const page = await this.#page(resource, options, continueToken);
      continueToken = page.continueToken;
      yield page;
    } while (continueToken !== undefined);
  }

  async create<Kind extends KubeObject>(
    resource: Resource<Kind>,
    object: Kind,
    options: WriteOptions = {},
  ): Promise<Kind> {
    const path =
      resource.subresource === undefined
        ? collectionPath(resource, object.metadata.namespace)
        : objectPath(resource, object.metadata);
    const query = { fieldManager: options.fieldManager };
    return this.#object(resource, { method: 'POST', path, query, body: typed(resource, object) }, options);
  }

  /**
   * Replaces the object. With a `resourceVersion` in its metadata the server refuses when it changed since (409).
   * What others wrote and we do not know is lost: prefer a patch.
   */
  async update<Kind extends KubeObject>(
    resource: Resource<Kind>,
    object: Kind,
    options: WriteOptions = {},
  ): Promise<Kind> {
    const path = objectPath(resource, object.metadata);
    const query = { fieldManager: options.fieldManager };
    return this.#object(resource, { method: 'PUT', path, query, body: typed(resource, object) }, options);
  }

  /** Resolves when the server accepted it; the object stays until its finalizers are gone. */
  async delete(resource: Resource<KubeObject>, key: ObjectKey, options: DeleteOptions = {}): Promise<void> {
    const { uid, resourceVersion, propagationPolicy, gracePeriodSeconds } = options;
    const preconditions = uid === undefined && resourceVersion === undefined ? undefined : { uid, resourceVersion };
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions, propagationPolicy, gracePeriodSeconds };
    await this.#text({ method: 'DELETE', path: objectPath(resource, key), body }, options);
  }

  /** Changes some fields. With a `metadata.resourceVersion` it fails (409) when the object changed since. */
  async patchMerge<Kind extends KubeObject>(
    resource: Resource<Kind>,
    key: ObjectKey,
    patch: MergePatch<Kind>,
    options: WriteOptions = {},
  ): Promise<Kind> {
    return this.#patch(resource, key, 'application/merge-patch+json', patch, options);
  }

  /** Changes parts of lists and maps; a `test` that does not hold fails the whole patch (422). */
  async patchJson<Kind extends KubeObject>(
    resource: Resource<Kind>,
    key: ObjectKey,
    steps: readonly JsonPatchStep[],
    options: WriteOptions = {},
  ): Promise<Kind> {
    return this.#patch(resource, key, 'application/json-patch+json', steps, options);
  }

  /** Server-side apply: the object gets these fields, and loses those this manager applied before and now does not. */
  async apply<Kind extends KubeObject>(
    resource: Resource<Kind>,
    object: Applied<Kind>,
    options: ApplyOptions,
  ): Promise<Kind> {
    const query = { fieldManager: options.fieldManager, force: options.force };
    const path = objectPath(resource, object.metadata);
    const body = typed(resource, object);
    const contentType = 'application/apply-patch+yaml';
    return this.#object(resource, { method: 'PATCH', path, query, body, contentType }, options);
  }

  /** The body at a path of the API server, such as `/version`, or at one that it hands on to a Pod. */
  async getText(path: string, { headers, ...options }: ReadTextOptions = {}): Promise<string> {
    return this.#text({ method: 'GET', path, ...(headers === undefined ? {} : { headers }) }, options);
  }

  /** What the API server answers to a body at a path, such as one of its reviews; undefined when there is no such path. */
  async postJson(path: string, body: object, options?: CallOptions): Promise<unknown> {
    return this.#json({ method: 'POST', path, body }, options);
  }

  /** Whether the API server serves this resource: its group, its version, and the resource in it. */
  async serves(resource: Resource<KubeObject>, options?: CallOptions): Promise<boolean> {
    const root = resource.group === '' ? '/api' : '/apis';
    const found = await this.#json({ method: 'GET', path: `${root}/${apiVersionOf(resource)}` }, options);
    return isRecord(found) && Array.isArray(found['resources']) && found['resources'].some(isNamed(resource.plural));
  }

  async #collect<Kind extends KubeObject>(resource: Resource<Kind>, options: ListOptions): Promise<Page<Kind>> {
    const items: Kind[] = [];
    let resourceVersion = '';
    for await (const page of this.pages(resource, options)) {
      // Not by spreading: a page without a limit may be longer than an argument list can be.
      for (const item of page.items) items.push(item);
      resourceVersion = page.resourceVersion;
    }
    return { items, resourceVersion };
  }

  async #page<Kind extends KubeObject>(
    resource: Resource<Kind>,
    options: ListOptions,
    continueToken: string | undefined,
  ): Promise<Page<Kind>> {
    const { namespace, labelSelector, fieldSelector, limit = DEFAULT_PAGE_SIZE } = options;
    const query = {
      labelSelector,
      fieldSelector,
      limit: limit === 0 ? undefined : limit,
      continue: continueToken,
      // The token holds the version it goes on from; the server refuses to be told twice.
      resourceVersion: continueToken === undefined ? options.resourceVersion : undefined,
    };
    const path = collectionPath(resource, namespace);
    return toPage(resource, path, parseJson(path, await this.#text({ method: 'GET', path, query }, options)));
  }

  async #patch<Kind extends KubeObject>(
    resource: Resource<Kind>,
    key: ObjectKey,
    contentType: string,
    body: unknown,
    options: WriteOptions,
  ): Promise<Kind> {
    const query = { fieldManager: options.fieldManager };
    return this.#object(
      resource,
      { method: 'PATCH', path: objectPath(resource, key), query, body, contentType },
      options,
    );
  }

  async #object<Kind extends KubeObject>(
    resource: Resource<Kind>,
    request: ApiRequest,
    options?: CallOptions,
  ): Promise<Kind> {
    const value = parseJson(request.path, await this.#text(request, options));
    if (!isObjectOf(resource, value)) throw unexpectedAnswer(request.path, `is not a ${resource.kind}`);
    return value;
  }

  /** Undefined when there is nothing at the path. */
  async #json(request: ApiRequest, options?: CallOptions): Promise<unknown> {
    try {
      return parseJson(request.path, await this.#text(request, options));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #text(request: ApiRequest, options: CallOptions = {}): Promise<string> {
    const beforeSending = request.method === 'GET' ? undefined : options.beforeWrite;
    const name = `${request.method} ${request.path}`;
    const milliseconds = options.deadlineMilliseconds ?? DEFAULT_DEADLINE_MILLISECONDS;
    return withDeadline(this.#clock, { name, milliseconds }, options.signal, async (signal) =>
      readText(await this.#connection.send({ ...request, signal, beforeSending })),
    );
  }
}

/** The server wants to be told what it gets. */
function typed(resource: Resource<KubeObject>, object: object): object {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, ...object };
}

const isNamed = (name: string) => (value: unknown) => isRecord(value) && value['name'] === name;
