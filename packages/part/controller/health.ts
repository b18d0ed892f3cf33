import { messageOf } from '@fairlead/control';
import type { ReadinessReport } from '../part.ts';

/** One failure may be chance, and is tried again soon; so many in a row are worth telling. */
export const FAILURES_UNTIL_UNREADY = 3;

/** Says whether the part can do its work, from what its loops tell. */
export class Health {
  readonly #report: ReadinessReport;
  readonly #failures = new Map<string, { readonly count: number; readonly error: unknown }>();
  #startupReason: string | undefined = 'reading the cluster';
  #obstacle: string | undefined;

  constructor(report: ReadinessReport) {
    this.#report = report;
    this.#tell();
  }

  /** Not ready until started; the reason says what that waits for. */
  starting(reason: string): void {
    this.#startupReason = reason;
    this.#tell();
  }

  started(): void {
    this.#startupReason = undefined;
    this.#tell();
  }

  /** What keeps the part from its work, whatever its loops tell; undefined: nothing does. */
  obstacle(reason: string | undefined): void {
    this.#obstacle = reason;
    this.#tell();
  }

  /** A loop has ended a round; the error is what it failed with. */
  round(what: string, error: unknown): void {
    if (error === undefined) this.#failures.delete(what);
    else this.#failures.set(what, { count: (this.#failures.get(what)?.count ?? 0) + 1, error });
    this.#tell();
  }

  #tell(): void {
    if (this.#startupReason !== undefined) {
      this.#report.set({ ready: false, reason: this.#obstacle ?? this.#startupReason });
      return;
    }
    if (this.#obstacle !== undefined) {
      this.#report.set({ ready: false, reason: this.#obstacle });
      return;
    }
    const failing = [...this.#failures].filter(([, { count }]) => count >= FAILURES_UNTIL_UNREADY);
    const reasons = failing.map(([what, { error }]) => `${what} fails: ${messageOf(error)}`);
    this.#report.set(reasons.length === 0 ? { ready: true } : { ready: false, reason: reasons.join('; ') });
  }
}
