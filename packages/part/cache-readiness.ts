import type { CacheStatus } from '@fairlead/kube';
import { FAILURES_UNTIL_UNREADY } from './controller/health.ts';
import type { Readiness, ReadinessReport } from './part.ts';

/**
 * Passes on what a part says, unless it cannot see: it only knows that it waits for its caches to be complete, and once
 * they are, not that they fall behind.
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
    const enough = this.#said.ready ? FAILURES_UNTIL_UNREADY : 1;
    const reasons = this.#caches().flatMap(({ name, isBlind, failure }) =>
      isBlind && failure !== undefined && failure.attempts >= enough ? [`${name}: ${failure.message}`] : [],
    );
    const said = this.#said.ready ? [] : [this.#said.reason];
    this.#report.set(
      this.#said.ready && reasons.length === 0
        ? this.#said
        : { ready: false, reason: [...said, ...reasons].join('; ') },
    );
  }
}
