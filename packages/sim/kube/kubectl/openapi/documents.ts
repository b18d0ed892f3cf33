import { createHash } from 'node:crypto';
import { type JsonDraft, type JsonObject, objectOf, valueAt } from '../../../json.ts';
import { asDefinition } from '../../crd/definition.ts';
import { customResourceDefinitions } from '../../crd/kind.ts';
import type { ServedKind } from '../../kinds/kind.ts';
import { objectMeta } from '../../schema/built-in.ts';
import type { ServerState } from '../../server/state.ts';
import { versionText } from '../../version.ts';
import { customDefinition, standardProperties } from './custom-definition.ts';
import { Definitions, reference, WELL_KNOWN } from './definitions.ts';
import { kindDescription, STANDARD_FIELDS } from './descriptions.ts';
import { definitionsV2 } from './openapi-v2.ts';
import { pathsOf } from './operations.ts';

export interface OpenApiDocument {
  readonly content: JsonObject;
  readonly json: string;
  readonly hash: string;
}

/** The OpenAPI documents of a server, one for each version of each group, made when a client asks. */
export class OpenApiDocuments {
  readonly #state: Pick<ServerState, 'registry' | 'store'>;
  readonly #made = new Map<string, { readonly of: string; readonly document: OpenApiDocument }>();

  constructor(state: Pick<ServerState, 'registry' | 'store'>) {
    this.#state = state;
  }

  /** The paths of all documents, such as `apis/apps/v1`. */
  paths(): readonly string[] {
    return [...new Set(this.#state.registry.all().map(pathOf))].sort();
  }

  find(path: string): OpenApiDocument | undefined {
    const kinds = this.#state.registry.all().filter((kind) => pathOf(kind) === path);
    if (kinds.length === 0) return undefined;
    const of = kinds.map((kind) => this.#definitionVersion(kind)).join();
    const known = this.#made.get(path);
    if (known?.of === of) return known.document;
    const content = this.#document(kinds);
    const json = JSON.stringify(content);
    const document = { content, json, hash: createHash('sha512').update(json).digest('hex').toUpperCase() };
    this.#made.set(path, { of, document });
    return document;
  }

  /** The definitions of all documents, as OpenAPI 2 writes them. */
  definitionsV2(): JsonObject {
    const all = this.paths().map((path) => objectOf(valueAt(this.find(path)?.content, 'components', 'schemas')));
    return definitionsV2(Object.assign({}, ...all));
  }

  /** What tells one state of a kind's schema from the next. */
  #definitionVersion({ custom, collection }: ServedKind): string {
    if (!custom) return collection;
    const stored = this.#state.store.get(customResourceDefinitions.collection, undefined, collection);
    return `${collection}@${stored?.resourceVersion ?? 0}`;
  }

  #document(kinds: readonly ServedKind[]): JsonObject {
    const definitions = new Definitions();
    const own: JsonDraft = {};
    const paths: JsonDraft = {};
    for (const kind of kinds) {
      const type = kind.custom ? customTypeName(kind) : definitions.define(kind.schema);
      const listType = type.slice(0, -kind.kind.length) + kind.listKind;
      own[type] = kind.custom ? this.#custom(kind) : builtInDefinition(kind, objectOf(definitions.all[type]));
      own[listType] = listDefinition(kind, type);
      Object.assign(paths, pathsOf(kind, type, listType));
    }
    definitions.define(objectMeta);
    definitions.defineShared(WELL_KNOWN.listMeta);
    return {
      openapi: '3.0.0',
      info: { title: 'Kubernetes', version: versionText() },
      paths,
      components: { schemas: { ...definitions.all, ...own } },
    };
  }

  #custom(kind: ServedKind): JsonObject {
    const stored = this.#state.store.get(customResourceDefinitions.collection, undefined, kind.collection);
    if (stored === undefined) return {};
    const { spec } = asDefinition(stored.object);
    const schema = spec.versions?.find(({ name }) => name === kind.version)?.schema?.openAPIV3Schema;
    return { ...customDefinition(objectOf(schema)), ...identityOf(kind, kind.kind) };
  }
}

function pathOf({ group, version }: ServedKind): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

/** The full name of a custom resource's type: its group read from the right. */
function customTypeName({ group, version, kind }: ServedKind): string {
  return [...group.split('.').reverse(), version, kind].join('.');
}

function identityOf({ group, version }: ServedKind, kind: string): JsonObject {
  return { 'x-kubernetes-group-version-kind': [{ group, kind, version }] };
}

function builtInDefinition(kind: ServedKind, definition: JsonObject): JsonObject {
  const description = kindDescription(kind.kind);
  const described = Object.entries(objectOf(definition.properties)).map(([name, property]) => {
    const text = name === 'spec' || name === 'status' ? STANDARD_FIELDS[name] : undefined;
    return [name, text === undefined ? property : { description: text, ...objectOf(property) }];
  });
  return {
    ...(description !== undefined && { description }),
    ...definition,
    properties: { ...Object.fromEntries(described), ...standardProperties() },
    ...identityOf(kind, kind.kind),
  };
}

function listDefinition(kind: ServedKind, type: string): JsonObject {
  const { apiVersion, kind: kindField } = standardProperties();
  return {
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion: apiVersion ?? {},
      items: { description: STANDARD_FIELDS.items, type: 'array', items: reference(type) },
      kind: kindField ?? {},
      metadata: { allOf: [reference(WELL_KNOWN.listMeta)] },
    },
    ...identityOf(kind, kind.listKind),
  };
}
