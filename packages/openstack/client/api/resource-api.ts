import { type CallVerb, type CloudAnswer, isNotFound, unexpectedAnswer } from '@fairlead/cloud';
import { fieldOf } from '@fairlead/control';
import { z } from 'zod';
import type { ServiceType } from '../keystone/catalog.ts';
import { problemIn } from './errors.ts';
import type { CallOptions, OpenStackSession, ServiceCall } from './session.ts';

/** A kind of resource, as a service has it at a path of its own. */
export interface ResourceKind<Body extends { readonly id: string }> {
  /** Its last segment labels metrics. */
  readonly path: string;
  /** What a body is wrapped in: `port`. */
  readonly singular: string;
  /** What a list is wrapped in: `ports`. */
  readonly plural: string;
  readonly shape: z.ZodType<Body>;
}

/** What a list is restricted to; several values of one field are alternatives. */
export type Filter = Readonly<Record<string, string | readonly string[]>>;

export interface UpdateOptions extends CallOptions {
  /** Takes effect only if the object still has this revision_number; a 412 otherwise. */
  readonly revision?: number;
}

export interface DeleteOptions extends UpdateOptions {
  /** What else the service is to know: `cascade`. */
  readonly query?: Readonly<Record<string, string>>;
}

/** Only what is still as it was read is changed: a user may have taken it meanwhile. */
export function ifUnchanged({ revision }: { readonly revision?: number | undefined }, signal: AbortSignal) {
  return { signal, notFound: 'stale', ...(revision === undefined ? {} : { revision }) } as const;
}

const PAGE_SIZE = 1000;
/** What a page ended with may be gone when the next is asked for; then the list is begun anew, so often at most. */
const LIST_ATTEMPTS = 3;

const linksShape = z.array(z.object({ rel: z.string() })).catch([]);

/** The resources of one version of a service: the same five calls for each kind of them. */
export class ResourceApi {
  readonly #session: OpenStackSession;
  readonly #service: ServiceType;
  readonly #version: string;

  constructor(session: OpenStackSession, service: ServiceType, version: string) {
    this.#session = session;
    this.#service = service;
    this.#version = version;
  }

  /** All that match, from all pages. The deadline is for each page. */
  async list<Body extends { readonly id: string }>(
    kind: ResourceKind<Body>,
    filter: Filter = {},
    options: CallOptions = {},
  ): Promise<readonly Body[]> {
    for (let attempt = 1; ; attempt += 1) {
      const listed = await this.#allPages(kind, filter, options, attempt < LIST_ATTEMPTS);
      if (listed !== undefined) return listed;
    }
  }

  async get<Body extends { readonly id: string }>(
    kind: ResourceKind<Body>,
    id: string,
    options: CallOptions = {},
  ): Promise<Body> {
    return this.#single(kind, { ...called(kind, 'GET', id), method: 'GET', path: pathOf(kind, id) }, options);
  }

  /** Like `get`, but undefined when there is no such resource. */
  async find<Body extends { readonly id: string }>(
    kind: ResourceKind<Body>,
    id: string,
    options: CallOptions = {},
  ): Promise<Body | undefined> {
    // Every URL parser takes these for steps in the path, in whatever spelling.
    if (id === '.' || id === '..') return undefined;
    try {
      const found = await this.get(kind, id, options);
      // A database may take capitals for small letters: what others know by its id would not be known to be this one.
      return found.id === id ? found : undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /**
   * Creates one. Never repeated by itself: when no answer came, one may be there, and is to be looked for by its mark
   * before another is created.
   */
  async create<Body extends { readonly id: string }>(
    kind: ResourceKind<Body>,
    body: object,
    options: CallOptions = {},
  ): Promise<Body> {
    const about = { ...called(kind, 'POST', nameIn(body)), method: 'POST', path: kind.path } as const;
    const call = { ...about, body: { [kind.singular]: body } };
    return this.#single(kind, call, options);
  }

  /** Changes the fields that are named, and no others. */
  async update<Body extends { readonly id: string }>(
    kind: ResourceKind<Body>,
    id: string,
    changes: object,
    options: UpdateOptions = {},
  ): Promise<Body> {
    const about = { ...called(kind, 'PUT', id), method: 'PUT', path: pathOf(kind, id) } as const;
    const call = {
      ...about,
      body: { [kind.singular]: changes },
      ...conditionOf(options),
    };
    return this.#single(kind, call, options);
  }

  /** That there is no such resource is as good. */
  async delete<Body extends { readonly id: string }>(
    kind: ResourceKind<Body>,
    id: string,
    { query, ...options }: DeleteOptions = {},
  ): Promise<void> {
    const path = `${pathOf(kind, id)}${query === undefined ? '' : `?${new URLSearchParams(query).toString()}`}`;
    const about = { ...called(kind, 'DELETE', id), method: 'DELETE', path } as const;
    try {
      await this.send({ ...about, ...conditionOf(options) }, options);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  send(call: ServiceCall, options: CallOptions = {}): Promise<CloudAnswer> {
    return this.#session.send(this.#service, this.#version, call, options);
  }

  async #single<Body extends { readonly id: string }>(
    kind: ResourceKind<Body>,
    call: ServiceCall,
    options: CallOptions,
  ): Promise<Body> {
    const { body } = await this.send(call, options);
    const found = kind.shape.safeParse(fieldOf(body, kind.singular));
    if (found.success) return found.data;
    throw unexpectedAnswer('an OpenStack service', `${call.verb} ${call.kind}`, `is not a ${kind.singular}`);
  }

  /** Undefined when the list has to be begun anew. */
  async #allPages<Body extends { readonly id: string }>(
    kind: ResourceKind<Body>,
    filter: Filter,
    options: CallOptions,
    mayBeginAnew: boolean,
  ): Promise<readonly Body[] | undefined> {
    const found = new Map<string, Body>();
    let marker: string | undefined;
    for (;;) {
      let page: Page<Body>;
      try {
        page = await this.#page(kind, filter, marker, options);
      } catch (error) {
        // Only the marker can be at fault: the page before was given with the same filter.
        const isMarkerGone = ['not-found', 'invalid'].includes(problemIn(error) ?? '');
        if (marker !== undefined && isMarkerGone && mayBeginAnew) return undefined;
        throw error;
      }
      const known = found.size;
      for (const item of page.items) found.set(item.id, item);
      marker = page.items.at(-1)?.id;
      if (!page.hasMore || marker === undefined) return [...found.values()];
      if (found.size === known)
        throw unexpectedAnswer('an OpenStack service', `LIST ${kind.path}`, 'leads in a circle');
    }
  }

  async #page<Body extends { readonly id: string }>(
    kind: ResourceKind<Body>,
    filter: Filter,
    marker: string | undefined,
    options: CallOptions,
  ): Promise<Page<Body>> {
    const query = new URLSearchParams({ limit: String(PAGE_SIZE), sort_key: 'id', sort_dir: 'asc' });
    for (const [name, values] of Object.entries(filter)) for (const value of [values].flat()) query.append(name, value);
    if (marker !== undefined) query.set('marker', marker);
    const call = { ...called(kind, 'LIST', ''), method: 'GET', path: `${kind.path}?${query.toString()}` } as const;
    const { body } = await this.send(call, options);
    const items = z.array(kind.shape).safeParse(fieldOf(body, kind.plural));
    if (!items.success) throw unexpectedAnswer('an OpenStack service', `LIST ${kind.path}`, `lists no ${kind.plural}`);
    // The link itself is not followed: behind a proxy it leads elsewhere.
    const next = linksShape.parse(fieldOf(body, `${kind.plural}_links`));
    return { items: items.data, hasMore: next.some(({ rel }) => rel === 'next') };
  }
}

interface Page<Body> {
  readonly items: readonly Body[];
  readonly hasMore: boolean;
}

function called<Verb extends CallVerb>(kind: ResourceKind<{ readonly id: string }>, verb: Verb, subject: string) {
  return { verb, kind: kind.path.split('/').at(-1) ?? kind.path, subject };
}

function conditionOf({ revision }: UpdateOptions): Pick<ServiceCall, 'headers'> {
  return revision === undefined ? {} : { headers: { 'if-match': `revision_number=${revision}` } };
}

function pathOf({ path }: ResourceKind<{ readonly id: string }>, id: string): string {
  return `${path}/${encodeURIComponent(id)}`;
}

/** A new resource has no id yet. */
function nameIn(body: object): string {
  const name: unknown = Reflect.get(body, 'name');
  return typeof name === 'string' ? name : '';
}
