import { keyText } from '../api/resource.ts';
import { compareResourceVersions } from '../api/resource-version.ts';
import type { KubeObject } from '../types/meta.ts';

/** What was there, or that this very object is gone. */
type Seen<Kind extends KubeObject> =
  | { readonly kind: 'there'; readonly object: Kind }
  | { readonly kind: 'gone'; readonly uid: string | undefined };

/**
 * What we wrote, or read, ourselves and a cache may not have seen yet: a controller that goes by the cache alone writes
 * the same thing twice, and is refused the second time. Holds an object only until the cache has caught up with it.
 */
export class OwnWrites<Kind extends KubeObject> {
  /** `namespace/name` -> the object as the server answered us last */
  readonly #seen = new Map<string, Seen<Kind>>();

  /** Answers to calls that were under way at the same time may come in any order: the newest counts. */
  note(object: Kind): void {
    const key = keyText(object.metadata);
    const seen = this.#seen.get(key);
    if (seen?.kind === 'gone' && seen.uid === object.metadata.uid) return;
    if (isDeleted(object)) {
      this.noteGone(object);
      return;
    }
    if (seen?.kind === 'there' && isSameObject(seen.object, object) && isNewer(seen.object, object)) return;
    this.#seen.set(key, { kind: 'there', object });
  }

  /** The server told us that there is no such object any more. */
  noteGone({ metadata }: Kind): void {
    this.#seen.set(keyText(metadata), { kind: 'gone', uid: metadata.uid });
  }

  /** The newer one of what the cache has and what we saw. Undefined when it is gone, be it that only we know. */
  latest(key: string, cached: Kind | undefined): Kind | undefined {
    const seen = this.#seen.get(key);
    if (seen === undefined) return cached;
    // Handed out before, and given back to ask whether there is a newer one: the cache has not seen it for that.
    if (seen.kind === 'there' && seen.object === cached) return cached;
    if (cached !== undefined) {
      if (seen.kind === 'gone' && seen.uid === cached.metadata.uid) return undefined;
      if (seen.kind === 'there' && isSameObject(seen.object, cached) && isNewer(seen.object, cached))
        return seen.object;
    }
    this.#seen.delete(key);
    return cached;
  }
}

function isSameObject(left: KubeObject, right: KubeObject): boolean {
  return left.metadata.uid === right.metadata.uid;
}

/** What was being deleted went with its last finalizer: the server tells of it without a version of its own. */
export function isDeleted({ metadata }: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = metadata;
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizers.length === 0;
}

function isNewer(left: KubeObject, right: KubeObject): boolean {
  const { resourceVersion: leftVersion = '' } = left.metadata;
  const { resourceVersion: rightVersion = '' } = right.metadata;
  return (compareResourceVersions(leftVersion, rightVersion) ?? 0) > 0;
}
