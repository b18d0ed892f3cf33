import type { ServedKind } from '../kinds/kind.ts';
import { type KubeObject, type OwnerReference, withMetadata } from '../object.ts';
import type { StoreEvent } from '../store/store.ts';
import type { ControllerContext } from './controller-context.ts';
import { placeOf, WorkQueue } from './work-queue.ts';

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

/** Where an object is kept; written as `collection key`. */
type Location = string;

/** Deletes what has lost its owners, and lets owners go that wait for what they own. */
export function startGarbageCollector(context: ControllerContext): void {
  const collector = new GarbageCollector(context);
  context.state.store.subscribeAll((event) => collector.notice(event));
}

class GarbageCollector {
  readonly #context: ControllerContext;
  readonly #queue: WorkQueue;
  /** Uid to where the object with it is kept. */
  readonly #locations = new Map<string, Location>();
  /** Uid of an owner to where what it owns is kept. */
  readonly #dependents = new Map<string, Set<Location>>();

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#queue = new WorkQueue(context.state.clock, context.delayMilliseconds, (location) => this.#sync(location));
  }

  notice({ collection, key, before, after }: StoreEvent): void {
    const location = `${collection} ${key}`;
    this.#index(location, before?.object, after?.object);
    const uid = before?.object.metadata.uid ?? after?.object.metadata.uid ?? '';
    if (after === undefined) {
      for (const dependent of this.#dependents.get(uid) ?? []) this.#queue.add(dependent);
      for (const { uid: owner } of before?.object.metadata.ownerReferences ?? []) this.#lookAgain(owner);
      return;
    }
    const { ownerReferences = [], deletionTimestamp } = after.object.metadata;
    if (ownerReferences.length > 0 || deletionTimestamp !== undefined) this.#queue.add(location);
  }

  #lookAgain(uid: string): void {
    const location = this.#locations.get(uid);
    if (location !== undefined) this.#queue.add(location);
  }

  #index(location: Location, before: KubeObject | undefined, after: KubeObject | undefined): void {
    if (before?.metadata.ownerReferences !== after?.metadata.ownerReferences) {
      for (const { uid } of before?.metadata.ownerReferences ?? []) this.#dependents.get(uid)?.delete(location);
      for (const { uid } of after?.metadata.ownerReferences ?? []) {
        const known = this.#dependents.get(uid);
        if (known === undefined) this.#dependents.set(uid, new Set([location]));
        else known.add(location);
      }
    }
    if (after === undefined) this.#locations.delete(before?.metadata.uid ?? '');
    else if (before === undefined) this.#locations.set(after.metadata.uid ?? '', location);
  }

  #sync(location: Location): void {
    const found = this.#find(location);
    if (found === undefined || found.kind.rules.uncollected) return;
    const { metadata } = found.object;
    if (metadata.deletionTimestamp !== undefined) this.#finish(found);
    if (metadata.ownerReferences !== undefined && !isHeldForDependents(found.object)) this.#judge(found);
  }

  #find(location: Location): Found | undefined {
    const space = location.indexOf(' ');
    const collection = location.slice(0, space);
    const { namespace, name } = placeOf(location.slice(space + 1));
    const kind = this.#context.state.registry.ofCollection(collection);
    if (kind === undefined) return undefined;
    const object = this.#context.client.get(kind, namespace, name);
    return object === undefined ? undefined : { kind, object };
  }

  /** An object that is being deleted may wait for us. */
  #finish({ kind, object }: Found): void {
    const { finalizers = [], uid = '' } = object.metadata;
    const dependents = [...(this.#dependents.get(uid) ?? [])].flatMap((location) => this.#find(location) ?? []);
    if (finalizers.includes(ORPHAN)) {
      for (const dependent of dependents) this.#disown(dependent, (owner) => owner.uid !== uid);
      this.#release(kind, object, ORPHAN);
    } else if (finalizers.includes(FOREGROUND)) {
      const blocking = dependents.filter((dependent) => isBlocking(dependent.object, uid));
      if (blocking.length === 0) this.#release(kind, object, FOREGROUND);
      for (const dependent of dependents) this.#queue.add(locationOf(dependent));
    }
  }

  #release(kind: ServedKind, { metadata }: KubeObject, finalizer: string): void {
    const finalizers = (metadata.finalizers ?? []).filter((other) => other !== finalizer);
    this.#context.client.modify(kind, metadata.namespace, metadata.name, (object) =>
      withMetadata(object, { finalizers }),
    );
  }

  #disown({ kind, object }: Found, keep: (owner: OwnerReference) => boolean): void {
    const { namespace, name } = object.metadata;
    this.#context.client.modify(kind, namespace, name, (current) => {
      const ownerReferences = (current.metadata.ownerReferences ?? []).filter(keep);
      return withMetadata(current, { ownerReferences });
    });
  }

  /** An object goes when none of its owners is there to stay. */
  #judge(found: Found): void {
    const { kind, object } = found;
    const { ownerReferences = [], namespace, name, finalizers = [], deletionTimestamp } = object.metadata;
    const owners = ownerReferences.map((reference) => ({ reference, owner: this.#ownerOf(reference, namespace) }));
    const isSolid = (owner: KubeObject | undefined): boolean => owner !== undefined && !isHeldForDependents(owner);
    const solid = owners.filter(({ owner }) => isSolid(owner));
    if (solid.length === owners.length) return;
    if (solid.length > 0) {
      const kept = new Set(solid.map(({ reference }) => reference.uid));
      this.#disown(found, ({ uid }) => kept.has(uid));
      return;
    }
    if (deletionTimestamp !== undefined) return;
    const waiting = owners.some(({ owner }) => owner !== undefined);
    const own = this.#dependents.get(object.metadata.uid ?? '')?.size ?? 0;
    const foreground = (waiting && own > 0) || finalizers.includes(FOREGROUND);
    const policy = finalizers.includes(ORPHAN) ? 'Orphan' : 'Background';
    this.#context.client.delete(kind, namespace, name, { propagation: foreground ? 'Foreground' : policy });
  }

  #ownerOf({ uid, kind, name }: OwnerReference, namespace: string | undefined): KubeObject | undefined {
    const location = this.#locations.get(uid);
    const object = location === undefined ? undefined : this.#find(location)?.object;
    if (object === undefined || object.kind !== kind || object.metadata.name !== name) return undefined;
    const sameSpace = object.metadata.namespace === undefined || object.metadata.namespace === namespace;
    return sameSpace ? object : undefined;
  }
}

interface Found {
  readonly kind: ServedKind;
  readonly object: KubeObject;
}

function locationOf({ kind, object }: Found): Location {
  const { namespace, name } = object.metadata;
  return `${kind.collection} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}

/** True for an owner that is deleted only after what it owns. */
function isHeldForDependents({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(FOREGROUND);
}

function isBlocking({ metadata }: KubeObject, owner: string): boolean {
  return metadata.ownerReferences?.some(({ uid, blockOwnerDeletion }) => uid === owner && blockOwnerDeletion) ?? false;
}
