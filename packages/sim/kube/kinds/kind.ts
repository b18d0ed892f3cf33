import type { Random } from '@fairlead/control';
import type { JsonObject } from '../../json.ts';
import type { FieldSet } from '../apply/field-set.ts';
import type { KubeObject } from '../object.ts';
import { type Decoded, decodeObject } from '../schema/decode.ts';
import { withSchemaDefaults } from '../schema/defaults.ts';
import type { StructSchema } from '../schema/schema.ts';
import type { Store } from '../store/store.ts';
import type { FieldProblem } from '../validation/field-problem.ts';
import { type NameRule, subdomainProblems } from '../validation/names.ts';
import type { ServiceAllocator } from './service/allocation.ts';

/** What a kind may look at and leave behind while it handles a request. */
export interface KindContext {
  readonly store: Store;
  readonly random: Random;
  readonly services: ServiceAllocator;
  readonly dryRun: boolean;
  /** The present, as the API writes it. */
  readonly now: string;
  /** Told to the client in a Warning header. */
  warn(message: string): void;
}

/** How an existing object may be changed, as a whole or through one of its subresources. */
export interface UpdateRules {
  /** Puts back what this way of writing cannot change. */
  prepare(next: KubeObject, previous: KubeObject, context: KindContext): KubeObject;
  validate(next: KubeObject, previous: KubeObject): readonly FieldProblem[];
  /** The fields it cannot change: no field manager becomes their owner by it. */
  readonly ignored: FieldSet;
}

/** What the server does for a kind beyond storing it. */
export interface KindRules {
  readonly nameRule: NameRule;
  /** Finalizers without a domain must be ones that Kubernetes knows. */
  readonly qualifiedFinalizers: boolean;
  /** A PUT creates what does not exist. */
  readonly createOnUpdate: boolean;
  /** An update without a resourceVersion overwrites whatever is there. */
  readonly unconditionalUpdate: boolean;
  /** A deletion answers with the object in place of a Status. */
  readonly returnsDeleted: boolean;
  /** The garbage collector takes no notice of these. */
  readonly uncollected: boolean;
  /** Admission: what is filled in or refused after the client's own values were recorded as its own. */
  admit(object: KubeObject, previous: KubeObject | undefined, context: KindContext): KubeObject;
  /** Completes an object with what only the server can give it. May throw. */
  allocate(next: KubeObject, previous: KubeObject | undefined, context: KindContext): KubeObject;
  /** Books what was allocated, once it is stored. */
  settle(next: KubeObject | undefined, previous: KubeObject | undefined, context: KindContext): void;
  prepareCreate(object: KubeObject, context: KindContext): KubeObject;
  validateCreate(object: KubeObject): readonly FieldProblem[];
  /** What is valid and still unwise. */
  warnings(object: KubeObject, previous: KubeObject | undefined): readonly string[];
  readonly update: UpdateRules;
  readonly subresources: ReadonlyMap<string, UpdateRules>;
  /** The object as a first request to delete it leaves it, where that does not remove it at once. */
  markDeleted(object: KubeObject, context: KindContext): KubeObject | undefined;
  /** False while something beside its finalizers holds a deleted object. */
  isReleased(object: KubeObject): boolean;
  /** Seconds that a deletion leaves the object to end by itself; undefined when it does not. */
  gracePeriod(object: KubeObject, asked: number | undefined): number | undefined;
}

/** A kind as one version of one group serves it. */
export interface ServedKind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  /** Where its objects are kept: kinds that show the same objects share a collection. */
  readonly collection: string;
  /** The group that messages about invalid objects name. */
  readonly storedGroup: string;
  readonly schema: StructSchema;
  /** Custom resources keep what they are given and know no strategic merge. */
  readonly custom: boolean;
  /** The warning that every client that uses it gets. */
  readonly deprecation: string | undefined;
  readonly rules: KindRules;
  /** An object in which nothing is set. */
  readonly zero: JsonObject;
  decode(value: JsonObject): Decoded;
  defaults(object: KubeObject): KubeObject;
  toStored(object: KubeObject): KubeObject;
  fromStored(object: KubeObject): KubeObject;
  /** What a field selector can ask for; undefined where that is the name and the namespace only. */
  readonly selectable: Selectable | undefined;
  /** Undefined for what cannot be scaled. */
  readonly scale: ScalePaths | undefined;
}

/** Where an object says how many of it there are and shall be. */
export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** The labels of what is counted. */
  readonly selector: (object: KubeObject) => string;
}

export interface Selectable {
  readonly names: readonly string[];
  read(object: KubeObject): Readonly<Record<string, string>>;
}

export function apiVersionOf({ group, version }: Pick<ServedKind, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/** Events come and go too fast for the server to keep them at hand. */
export function isCached({ collection }: ServedKind): boolean {
  return collection !== 'events';
}

const KEEP_STATUS: UpdateRules = {
  prepare: (next, previous) => ({ ...next, ...(previous.status !== undefined && { status: previous.status }) }),
  validate: () => [],
  ignored: { 'f:status': {} },
};

/** The status is written by itself; everything else but the metadata stays as it is. */
export const STATUS_ONLY: UpdateRules = {
  prepare: (next, previous) => ({ ...next, ...(previous.spec !== undefined && { spec: previous.spec }) }),
  validate: () => [],
  ignored: { 'f:spec': {} },
};

const PLAIN_UPDATE: UpdateRules = { prepare: (next) => next, validate: () => [], ignored: {} };

export const PLAIN_RULES: KindRules = {
  nameRule: subdomainProblems,
  qualifiedFinalizers: true,
  createOnUpdate: false,
  unconditionalUpdate: true,
  returnsDeleted: false,
  uncollected: false,
  admit: (object) => object,
  allocate: (next) => next,
  settle: () => undefined,
  prepareCreate: (object) => object,
  validateCreate: () => [],
  warnings: () => [],
  update: PLAIN_UPDATE,
  subresources: new Map(),
  markDeleted: () => undefined,
  isReleased: () => true,
  gracePeriod: () => undefined,
};

/** Rules of a kind with a status of its own. */
export const STATUS_RULES: KindRules = {
  ...PLAIN_RULES,
  update: KEEP_STATUS,
  subresources: new Map([['status', STATUS_ONLY]]),
};

interface BuiltIn {
  readonly group?: string;
  readonly version?: string;
  readonly plural: string;
  readonly kind: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly namespaced?: boolean;
  readonly schema: StructSchema;
  readonly rules?: KindRules;
  readonly collection?: string;
  readonly storedGroup?: string;
  readonly deprecation?: string;
  readonly defaults?: (object: KubeObject) => KubeObject;
  readonly toStored?: (object: KubeObject) => KubeObject;
  readonly fromStored?: (object: KubeObject) => KubeObject;
  readonly selectable?: Selectable;
  readonly scale?: ScalePaths;
}

export function builtIn(definition: BuiltIn): ServedKind {
  const { group = '', version = 'v1', plural, kind, schema, defaults = (object) => object } = definition;
  const same = (object: KubeObject): KubeObject => object;
  return {
    group,
    version,
    plural,
    singular: kind.toLowerCase(),
    kind,
    listKind: `${kind}List`,
    shortNames: definition.shortNames ?? [],
    categories: definition.categories ?? [],
    namespaced: definition.namespaced ?? true,
    collection: definition.collection ?? (group === '' ? plural : `${plural}.${group}`),
    storedGroup: definition.storedGroup ?? group,
    schema,
    custom: false,
    deprecation: definition.deprecation,
    rules: definition.rules ?? PLAIN_RULES,
    zero: decodeObject(schema, {}).object,
    decode: (value) => decodeObject(schema, value),
    defaults: (object) => defaults(withSchemaDefaults(schema, object)),
    toStored: definition.toStored ?? same,
    fromStored: definition.fromStored ?? same,
    selectable: definition.selectable,
    scale: definition.scale,
  };
}
