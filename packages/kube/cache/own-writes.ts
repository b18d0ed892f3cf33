import { keyText } from '../resource.ts';
import type { KubeObject } from '../types/meta.ts';
import { compareResourceVersions } from '../watch/resource-version.ts';

/**
 * What we wrote ourselves and a cache may not have seen yet: whoever goes by the cache alone writes the same thing
 * twice, and is refused the second time. Holds an object only until the cache has caught up with it.
 */
export class OwnWrites<Kind extends KubeObject> {
  /** `namespace/name` -> the object as the server answered our last write */
  readonly #written = new Map<string, Kind>();

  note(object: Kind): void {
    this.#written.set(keyText(object.metadata), object);
  }

  /**
   * The newer one of what the cache has and what we wrote. Undefined when it is gone: the cache does not have it, or
   * our own write let it go.
   */
  latest(key: string, cached: Kind | undefined): Kind | undefined {
    const written = this.#written.get(key);
    if (written === undefined) return cached;
    if (cached !== undefined && isSameObject(written, cached)) {
      if (isGone(written)) return undefined;
      if (isNewer(written, cached)) return written;
    }
    this.#written.delete(key);
    return cached;
  }
}

function isSameObject(left: KubeObject, right: KubeObject): boolean {
  return left.metadata.uid === right.metadata.uid;
}

/** What was being deleted went with the last finalizer: the server tells of it without a version of its own. */
function isGone({ metadata }: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = metadata;
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizers.length === 0;
}

function isNewer(left: KubeObject, right: KubeObject): boolean {
  const { resourceVersion: leftVersion = '' } = left.metadata;
  const { resourceVersion: rightVersion = '' } = right.metadata;
  return (compareResourceVersions(leftVersion, rightVersion) ?? 0) > 0;
}
