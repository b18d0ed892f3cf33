import type { CacheStatus } from '@fairlead/kube';
import type { Readiness, ReadinessReport } from './part.ts';

/**
 * Passes on what a part says while it leads. As long as it is not ready, adds why a cache cannot be completed: the part
 * only knows that it waits.
 */
export class CacheReadiness implements ReadinessReport {
  readonly #report: ReadinessReport;
  readonly #caches: () => readonly CacheStatus[];
  readonly #signal: AbortSignal;
  #said: Readiness = { ready: false, reason: 'starting' };

  /** Says nothing more once the signal aborts. */
  constructor(report: ReadinessReport, caches: () => readonly CacheStatus[], signal: AbortSignal) {
    this.#report = report;
    this.#caches = caches;
    this.#signal = signal;
  }

  set(readiness: Readiness): void {
    this.#said = readiness;
    this.tell();
  }

  /** To be called whenever the status of a cache has changed. */
  tell(): void {
    if (this.#signal.aborted) return;
    this.#report.set(this.#said.ready ? this.#said : withReasons(this.#said.reason, this.#caches()));
  }
}

function withReasons(said: string, caches: readonly CacheStatus[]): Readiness {
  const reasons = caches.flatMap(({ name, synced, failure }) =>
    synced || failure === undefined ? [] : [`${name}: ${failure.message}`],
  );
  return { ready: false, reason: [said, ...reasons].join('; ') };
}
