import type { CacheChange, KubeObject } from '@fairlead/kube';

/** What the handler of a cache was told, and whether that makes sense: versions of an object only ever rise. */
export class CacheWitness {
  readonly #complain: (what: string) => void;
  /** Key to the object as it was told last. */
  readonly #objects = new Map<string, KubeObject>();
  /** Uids of objects that are gone for good. */
  readonly #gone = new Set<string>();

  constructor(complain: (what: string) => void) {
    this.#complain = complain;
  }

  get objects(): Iterable<KubeObject> {
    return this.#objects.values();
  }

  see(change: CacheChange<KubeObject>): void {
    const held = this.#objects.get(change.key);
    if (change.type === 'delete') {
      if (held === undefined) this.#complain(`${change.key} is removed and was not there`);
      else this.#gone.add(held.metadata.uid ?? '');
      this.#objects.delete(change.key);
      return;
    }
    const { uid = '', resourceVersion } = change.after.metadata;
    if (change.type === 'add' && held !== undefined) this.#complain(`${change.key} is added a second time`);
    if (change.type === 'update' && held !== change.before)
      this.#complain(`${change.key} was not as it is said to have been`);
    if (this.#gone.has(uid)) this.#complain(`${change.key} (${uid}) is back although it was removed`);
    const before = held?.metadata.resourceVersion;
    if (held?.metadata.uid === uid && Number(resourceVersion) <= Number(before)) {
      this.#complain(`${change.key} goes from version ${before} to ${resourceVersion}`);
    }
    this.#objects.set(change.key, change.after);
  }
}
