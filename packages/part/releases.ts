import type { Lease } from '@fairlead/kube';

/** On the Lease of a part, by who lets go what it holds back; its value differs each time. */
export const RELEASE_ANNOTATION = 'fairlead.dev/release';

/** Tells a leader that an operator lets go what a brake holds back: renewing its Lease shows the leader the mark. */
export class Releases {
  /** What a person types to release it. */
  readonly command: string;
  readonly #listeners = new Set<() => void>();
  /** Undefined before the first look, so that a mark from before we led releases nothing. */
  #seen: string | undefined;

  constructor(part: string) {
    this.command = `fairlead release ${part}`;
  }

  /** For as long as we lead, or until the signal aborts before that. */
  onRelease(listener: () => void, signal?: AbortSignal): void {
    this.#listeners.add(listener);
    signal?.addEventListener('abort', () => this.#listeners.delete(listener), { once: true });
  }

  /** We lead no longer: who listened is gone. */
  forgetListeners(): void {
    this.#listeners.clear();
  }

  /** Takes note of a Lease that we hold. */
  observe({ metadata: { annotations = {} } }: Pick<Lease, 'metadata'>): void {
    const mark = annotations[RELEASE_ANNOTATION] ?? '';
    const before = this.#seen;
    this.#seen = mark;
    if (before === undefined || before === mark || mark === '') return;
    for (const listener of this.#listeners) listener();
  }
}
