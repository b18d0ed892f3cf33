import type { Service } from '@fairlead/kube';
import { type ServiceKey, serviceKey } from '@fairlead/service';

interface Settled {
  readonly version: string | undefined;
  /** To be looked at again, although nothing about the Service changed. */
  readonly isDoubted: boolean;
}

/** The Services that were found to be as they should be, in the version that they had then. */
export class SettledServices {
  readonly #settled = new Map<ServiceKey, Settled>();

  /** Whether there is nothing to do for it. */
  has({ metadata }: Service): boolean {
    const settled = this.#settled.get(serviceKey(metadata));
    return settled?.version === metadata.resourceVersion && settled?.isDoubted === false;
  }

  /** True when it was so before, in this very version: what was written meanwhile is a change that was not ours. */
  add({ metadata }: Service): boolean {
    const key = serviceKey(metadata);
    const { resourceVersion: version } = metadata;
    const wasSettled = this.#settled.has(key) && this.#settled.get(key)?.version === version;
    this.#settled.set(key, { version, isDoubted: false });
    return wasSettled;
  }

  delete(key: ServiceKey): void {
    this.#settled.delete(key);
  }

  /** Has the Service compared with Azure again, although nothing about it changed. */
  doubt(key: ServiceKey): void {
    const settled = this.#settled.get(key);
    if (settled !== undefined) this.#settled.set(key, { ...settled, isDoubted: true });
  }

  doubtAll(): void {
    for (const key of this.#settled.keys()) this.doubt(key);
  }
}
