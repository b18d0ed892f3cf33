import { type EndpointSlice, keyText, type ObjectMeta } from '@fairlead/kube';

/** Of one Service: each counts as an endpoint at least, of which there are no more. */
export const MOST_SLICES = 4_000;

/**
 * The EndpointSlices of a Service. So many of them count, whichever came first: to read all that a tenant can make, at
 * every change of one, would keep the server from answering. The others wait until one of these is gone.
 */
export class SliceStore {
  readonly #counted = new Map<string, EndpointSlice>();
  readonly #beyond = new Map<string, EndpointSlice>();

  get counted(): readonly EndpointSlice[] {
    return [...this.#counted.values()];
  }

  /** How many are left out. */
  get beyond(): number {
    return this.#beyond.size;
  }

  get isEmpty(): boolean {
    return this.#counted.size === 0;
  }

  set(slice: EndpointSlice): void {
    const key = keyText(slice.metadata);
    const counts = this.#counted.has(key) || this.#counted.size < MOST_SLICES;
    (counts ? this.#counted : this.#beyond).set(key, slice);
  }

  delete(metadata: ObjectMeta): void {
    const key = keyText(metadata);
    if (this.#beyond.delete(key) || !this.#counted.delete(key)) return;
    const [next] = this.#beyond;
    if (next === undefined) return;
    this.#beyond.delete(next[0]);
    this.#counted.set(...next);
  }
}
