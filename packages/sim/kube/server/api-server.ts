import type { HttpRequest } from '@fairlead/control';
import type { JsonObject } from '../../json.ts';
import { notFound, RequestFailure } from '../failure.ts';
import { NonResourcePaths } from '../kubectl/discovery/non-resource-paths.ts';
import { Tables } from '../kubectl/table/tables.ts';
import type { StoredObject } from '../store/stored-object.ts';
import { type AccessOptions, authenticate, checkAccess, type User } from './access/access.ts';
import { type Answer, failureAnswer, jsonAnswer, streamAnswer } from './answer.ts';
import { parseBody } from './body.ts';
import { asMetadata, asObjects, type Presentation, presentationFor } from './presentation.ts';
import { listPage, type Page } from './reads/list.ts';
import { listOptions } from './reads/list-options.ts';
import { openWatch } from './reads/watch.ts';
import { pageNotFound, type Route, routeOf } from './route.ts';
import type { ServerState } from './state.ts';
import { createObject } from './writes/create.ts';
import { decodeBody } from './writes/decode-object.ts';
import { deleteObject, deleteOptions } from './writes/delete.ts';
import { APPLY, patchObject, patchTypeOf } from './writes/patch.ts';
import { scaleOf, updateScale } from './writes/scale.ts';
import { replaceObject, type UpdateTarget } from './writes/update.ts';
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
