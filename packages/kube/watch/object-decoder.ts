import { isRecord } from '@fairlead/control';
import { isObjectOf } from '../api/decode.ts';
import { apiVersionOf, type Resource } from '../api/resource.ts';
import type { KubeObject } from '../types/meta.ts';
import type { Interner } from './interner.ts';

/**
 * Takes what is needed out of an object. What it returns is kept instead, so namespace, name, uid and resource version
 * must stay in it.
 */
export type Projection<Kind extends KubeObject, Kept extends KubeObject> = (object: Kind) => Kept;

/** Makes of decoded JSON what a cache keeps: no managed fields, projected, interned. */
export class ObjectDecoder<Kind extends KubeObject, Kept extends KubeObject> {
  readonly #resource: Resource<Kind>;
  readonly #apiVersion: string;
  readonly #projection: Projection<Kind, Kept>;
  readonly #interner: Interner;

  constructor(resource: Resource<Kind>, projection: Projection<Kind, Kept>, interner: Interner) {
    this.#resource = resource;
    this.#apiVersion = apiVersionOf(resource);
    this.#projection = projection;
    this.#interner = interner;
  }

  /** Undefined when it is no object of the resource. Throws what the projection throws, and when it loses the name. */
  decode(value: unknown): Kept | undefined {
    if (!isRecord(value) || !isRecord(value['metadata'])) return undefined;
    // The items of a list come without these; readers of a cache should not have to care.
    value['apiVersion'] ??= this.#apiVersion;
    value['kind'] ??= this.#resource.kind;
    const metadata = value['metadata'];
    // Half of what is on the wire. `delete` would turn the metadata into a slower and larger kind of object.
    if (metadata['managedFields'] !== undefined) metadata['managedFields'] = undefined;
    if (!isObjectOf(this.#resource, value)) return undefined;
    const kept = this.#projection(value);
    const { name, namespace } = kept.metadata;
    if (name !== value.metadata.name || namespace !== value.metadata.namespace) {
      throw new TypeError(`the projection of ${this.#resource.kind} loses the name or the namespace: keep both`);
    }
    this.#interner.intern(kept);
    return kept;
  }
}
