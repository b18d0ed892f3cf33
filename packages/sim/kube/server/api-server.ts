import type { HttpRequest } from '@fairlead/control';
import type { JsonObject } from '../../json.ts';
import { badRequest, notFound, RequestFailure, tooLargeResourceVersion } from '../failure.ts';
import { isCached, type ServedKind } from '../kinds/kind.ts';
import { NonResourcePaths } from '../kubectl/discovery/non-resource-paths.ts';
import { Tables } from '../kubectl/table/tables.ts';
import type { StoredObject } from '../store/stored-object.ts';
import { type AccessOptions, authenticate, checkAccess, type User } from './access/access.ts';
import { type Answer, failureAnswer, jsonAnswer, streamAnswer } from './answer.ts';
import { parseBody } from './body.ts';
import { asMetadata, asObjects, type Presentation, presentationFor } from './presentation.ts';
import { listPage, type Page } from './reads/list.ts';
import { listOptions, malformedVersion, versionNumber } from './reads/list-options.ts';
import { openWatch } from './reads/watch.ts';
import { pageNotFound, type Route, routeOf } from './route.ts';
import type { ServerState } from './state.ts';
import { createObject } from './writes/create.ts';
import { decodeBody } from './writes/decode-object.ts';
import { deleteObject } from './writes/delete.ts';
import { deleteOptions } from './writes/delete-options.ts';
import { APPLY, patchObject, patchTypeOf } from './writes/patch.ts';
import { scaleOf, updateScale } from './writes/scale.ts';
import { checkPathName, replaceObject, type UpdateTarget } from './writes/update.ts';
import { type OptionsKind, writeOptions } from './writes/write-options.ts';

/** Answers requests, each at once and by itself. */
export class ApiServer {
  readonly #state: ServerState;
  readonly #options: AccessOptions;
  readonly #nonResourcePaths: NonResourcePaths;

  constructor(state: ServerState, options: AccessOptions) {
    this.#state = state;
    this.#options = options;
    this.#nonResourcePaths = new NonResourcePaths(state, options);
  }

  handle(request: HttpRequest): Answer {
    const warnings: string[] = [];
    try {
      checkSize(request);
      return this.#answer(request, warnings);
    } catch (error) {
      if (error instanceof RequestFailure) return failureAnswer(error, warnings);
      throw error;
    }
  }

  #answer(request: HttpRequest, warnings: string[]): Answer {
    const user = authenticate(request, this.#options);
    const route = routeOf(request, this.#state.registry);
    if (route === undefined) {
      const answer = this.#nonResourcePaths.answer(request, user);
      if (answer === undefined) throw pageNotFound();
      return answer;
    }
    checkAccess(user, route, route.verb, this.#options);
    const presentations = [asObjects, asMetadata, new Tables(this.#state, route.query)];
    const presentation = presentationFor(request.headers.accept, presentations);
    if (route.kind.deprecation !== undefined) warnings.push(route.kind.deprecation);
    const exchange = { request, route, presentation, warnings, user };
    switch (route.verb) {
      case 'get':
        return this.#get(exchange);
      case 'list':
        return jsonAnswer(200, presentation.list(route.kind, this.#page(route)), warnings);
      case 'watch':
        return streamAnswer(openWatch(this.#state, route, listOptions(route), presentation), warnings);
      case 'create':
        return this.#create(exchange);
      case 'update':
      case 'patch':
        return this.#update(exchange);
      case 'delete':
        return this.#delete(exchange);
      case 'deletecollection':
        return this.#deleteCollection(exchange);
    }
  }

  #page(route: Route): Page {
    return listPage(this.#state.store, route, listOptions(route));
  }

  #get({ route, presentation, warnings }: Exchange): Answer {
    const { kind, namespace, name, subresource } = route;
    checkReadVersion(kind, route.query.get('resourceVersion') ?? '', this.#state.store.resourceVersion);
    checkPathName(name);
    const stored = this.#state.store.get(kind.collection, namespace, name);
    if (stored === undefined) throw notFound({ group: kind.group, resource: kind.plural }, name);
    if (subresource === 'scale') return jsonAnswer(200, JSON.stringify(scaleOf(kind, stored.object)), warnings);
    return jsonAnswer(200, presentation.object(kind, stored), warnings);
  }

  #create({ request, route, presentation, warnings }: Exchange): Answer {
    const { kind, namespace, query } = route;
    const options = writeOptions(request, query, 'CreateOptions');
    const object = decodeBody(kind, parseBody(request), request.body ?? '', options.fieldValidation, warnings);
    const stored = createObject(this.#state, { kind, namespace, options, warnings }, object);
    return jsonAnswer(201, presentation.object(kind, stored), warnings);
  }

  #update(exchange: Exchange): Answer {
    const { request, route, presentation, warnings } = exchange;
    const { kind } = route;
    const patchType = route.verb === 'patch' ? patchTypeOf(request, kind) : undefined;
    const target = this.#updateTarget(exchange, patchType);
    if (route.subresource === 'scale') {
      const { object } = updateScale(this.#state, target, request);
      return jsonAnswer(200, JSON.stringify(scaleOf(kind, object)), warnings);
    }
    const { stored, created } =
      patchType === undefined
        ? this.#replace(request, target)
        : patchObject(this.#state, target, patchType, request.body ?? '');
    return jsonAnswer(created ? 201 : 200, presentation.object(kind, stored), warnings);
  }

  #updateTarget({ request, route, warnings, user }: Exchange, patchType: string | undefined): UpdateTarget {
    const { kind, namespace, name, subresource, query } = route;
    const optionsKind: OptionsKind = patchType === undefined ? 'UpdateOptions' : 'PatchOptions';
    const options = writeOptions(request, query, optionsKind, patchType === APPLY);
    const forceCreate = patchType === APPLY;
    const exists = this.#state.store.get(kind.collection, namespace, name) !== undefined;
    if (!exists && (forceCreate || kind.rules.createOnUpdate)) checkAccess(user, route, 'create', this.#options);
    return { kind, namespace, name, subresource, options, warnings, forceCreate };
  }

  #replace(request: HttpRequest, target: UpdateTarget): ReturnType<typeof replaceObject> {
    const { kind, options, warnings } = target;
    const body = decodeBody(kind, parseBody(request), request.body ?? '', options.fieldValidation, warnings);
    return replaceObject(this.#state, target, body);
  }

  #delete({ request, route, presentation, warnings }: Exchange): Answer {
    const { kind, query } = route;
    const deleted = deleteObject(this.#state, route, deleteOptions(request, query));
    const { stored, gone } = deleted;
    if (gone && !kind.rules.returnsDeleted)
      return jsonAnswer(200, JSON.stringify(removalStatus(route, stored)), warnings);
    return jsonAnswer(200, presentation.object(kind, stored), warnings);
  }

  #deleteCollection({ request, route, presentation, warnings }: Exchange): Answer {
    const { kind, query } = route;
    const options = deleteOptions(request, query);
    const page = this.#page(route);
    for (const { object } of page.items) {
      const { namespace, name } = object.metadata;
      deleteObject(this.#state, { kind, namespace, name }, options);
    }
    return jsonAnswer(200, presentation.list(kind, page), warnings);
  }
}

/** The largest body that the server takes. */
const BODY_LIMIT = 3 * 1024 * 1024;

function checkSize({ body = '' }: HttpRequest): void {
  if (body.length * 3 <= BODY_LIMIT || Buffer.byteLength(body) <= BODY_LIMIT) return;
  const message = `Request entity too large: limit is ${BODY_LIMIT}`;
  throw new RequestFailure({ code: 413, reason: 'RequestEntityTooLarge', message });
}

/** An object may be asked for as it is at some version or later. */
function checkReadVersion(kind: ServedKind, text: string, current: number): void {
  const asked = versionNumber(text);
  if (asked === undefined && !isCached(kind)) throw badRequest(`invalid resource version: ${malformedVersion(text)}`);
  if (asked === undefined) throw new RequestFailure({ code: 500, reason: '', message: malformedVersion(text) });
  if (asked <= current) return;
  const failure = tooLargeResourceVersion(asked, current);
  throw failure.withMessage(`Timeout: ${failure.message}`);
}

interface Exchange {
  readonly request: HttpRequest;
  readonly route: Route;
  readonly presentation: Presentation;
  readonly warnings: string[];
  readonly user: User;
}

function removalStatus({ kind, name }: Route, { object }: StoredObject): JsonObject {
  const { uid = '' } = object.metadata;
  const { group, plural } = kind;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(group !== '' && { group }), kind: plural, uid },
  };
}
