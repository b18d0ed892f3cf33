import { type Json, type JsonObject, shareUnchangedFields } from '../json.ts';
import type { ServedKind } from './kinds/kind.ts';
import { asKubeObject, type KubeObject } from './object.ts';
import type { ServerState } from './server/state.ts';
import { createObject, type WriteTarget } from './server/writes/create.ts';
import { decodeFields } from './server/writes/decode-object.ts';
import { deleteObject } from './server/writes/delete.ts';
import type { DeleteOptions } from './server/writes/delete-options.ts';
import { replaceObject } from './server/writes/update.ts';

const PLAIN_DELETE: DeleteOptions = {
  dryRun: false,
  gracePeriodSeconds: undefined,
  propagation: undefined,
  uid: undefined,
  resourceVersion: undefined,
};

/** The API for what lives inside the simulation: the cluster's own controllers, and the players of nodes and pods. */
export class InternalClient {
  readonly #state: ServerState;
  readonly #manager: string;

  constructor(state: ServerState, manager: string) {
    this.#state = state;
    this.#manager = manager;
  }

  get(kind: ServedKind, namespace: string | undefined, name: string): KubeObject | undefined {
    return this.#state.store.get(kind.collection, namespace, name)?.object;
  }

  list(kind: ServedKind, namespace?: string): readonly KubeObject[] {
    return this.#state.store.list(kind.collection, namespace).map(({ object }) => object);
  }

  create(kind: ServedKind, described: JsonObject): KubeObject {
    const object = kind.defaults(decodeFields(kind, described).object);
    return createObject(this.#state, this.#target(kind, object.metadata.namespace), object).object;
  }

  /** Replaces an object, or what its subresource shows of it. */
  update(kind: ServedKind, changed: JsonObject, subresource = ''): KubeObject {
    const object = kind.defaults(decodeFields(kind, changed).object);
    const { namespace, name } = object.metadata;
    const target = { ...this.#target(kind, namespace), name, subresource, forceCreate: false };
    return replaceObject(this.#state, target, object).stored.object;
  }

  /** Changes an object by what `change` makes of it; does nothing when it does not exist or does not change. */
  modify(
    kind: ServedKind,
    namespace: string | undefined,
    name: string,
    change: (object: KubeObject) => KubeObject,
    subresource = '',
  ): KubeObject | undefined {
    const current = this.get(kind, namespace, name);
    if (current === undefined) return undefined;
    const next = decodeChanges(kind, current, change(current));
    if (next === current) return current;
    const target = { ...this.#target(kind, namespace), name, subresource, forceCreate: false };
    return replaceObject(this.#state, target, kind.defaults(next)).stored.object;
  }

  delete(kind: ServedKind, namespace: string | undefined, name: string, options: Partial<DeleteOptions> = {}): void {
    if (this.get(kind, namespace, name) === undefined) return;
    deleteObject(this.#state, { kind, namespace, name }, { ...PLAIN_DELETE, ...options });
  }

  #target(kind: ServedKind, namespace: string | undefined): WriteTarget {
    const options = { dryRun: false, fieldValidation: 'Ignore', manager: this.#manager, force: false } as const;
    return { kind, namespace, options, warnings: [] };
  }
}

/** Only what changed has to be decoded: the rest is as the server keeps it. */
function decodeChanges(kind: ServedKind, current: KubeObject, next: KubeObject): KubeObject {
  const changed = Object.entries(next).filter(([field, value]) => current[field] !== value);
  if (changed.length === 0) return current;
  const { object } = decodeFields(kind, Object.fromEntries(changed));
  const decoded = changed.map(([field]): [string, Json] => [field, object[field] ?? null]);
  return asKubeObject(shareUnchangedFields(current, { ...current, ...Object.fromEntries(decoded) }));
}
