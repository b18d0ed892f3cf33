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

  /** The newer one of what the cache has and what we wrote. What the cache does not have is gone. */
  latest(key: string, cached: Kind | undefined): Kind | undefined {
    const written = this.#written.get(key);
    if (written === undefined) return cached;
    if (cached !== undefined && isNewer(written, cached)) return written;
    this.#written.delete(key);
    return cached;
  }
}

function isNewer(left: KubeObject, right: KubeObject): boolean {
  const { resourceVersion: leftVersion = '', uid: leftUid } = left.metadata;
  const { resourceVersion: rightVersion = '', uid: rightUid } = right.metadata;
  return leftUid === rightUid && (compareResourceVersions(leftVersion, rightVersion) ?? 0) > 0;
}
