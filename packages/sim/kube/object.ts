import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { objectMeta } from './schema/built-in.ts';
import { inOrderOf } from './schema/schema.ts';

export type OwnerReference = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
};

export type ManagedFieldsEntry = {
  readonly manager?: string;
  readonly operation?: string;
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: string;
  readonly fieldsV1?: JsonObject;
  readonly subresource?: string;
};

export type ObjectMeta = {
  readonly name: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly ManagedFieldsEntry[];
};

/** An object whose metadata went through the decoder; `name` is empty until one was given or generated. */
export type KubeObject = {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: Json;
};

/** True for what the decoders let through: they guarantee what the metadata holds. */
function isKubeObject(value: Json | undefined): value is KubeObject {
  if (!isJsonObject(value) || !isJsonObject(value.metadata)) return false;
  return typeof value.kind === 'string' && typeof value.apiVersion === 'string';
}

/** Asserts what a decoder guarantees. */
export function asKubeObject(value: Json): KubeObject {
  if (isKubeObject(value)) return value;
  throw new TypeError('expected an object with kind, apiVersion and metadata');
}

type MetadataChanges = { readonly [Field in keyof ObjectMeta]?: ObjectMeta[Field] | undefined };

/** The object with other metadata, in the order in which the API writes it; a field set to undefined is dropped. */
export function withMetadata(object: KubeObject, changes: MetadataChanges): KubeObject {
  const { name = object.metadata.name } = changes;
  return { ...object, metadata: { ...inOrderOf(objectMeta, { ...object.metadata, ...changes }), name } };
}
