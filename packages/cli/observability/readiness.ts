import type { Readiness, ReadinessReport } from '@fairlead/part';

/** The readiness of each part, and of all of them together. */
export class ReadinessBoard {
  /** part name -> what it last said */
  readonly #parts = new Map<string, Readiness>();
  readonly #allReady = Promise.withResolvers<void>();

  /** Adds a part, not ready until it says so. */
  add(part: string): ReadinessReport {
    this.#parts.set(part, { ready: false, reason: 'starting' });
    return {
      set: (readiness) => {
        this.#parts.set(part, readiness);
        if (this.overall.ready) this.#allReady.resolve();
      },
    };
  }

  of(part: string): Readiness | undefined {
    return this.#parts.get(part);
  }

  get parts(): readonly string[] {
    return [...this.#parts.keys()];
  }

  /** Resolves when every part is ready for the first time. */
  get allReady(): Promise<void> {
    return this.#allReady.promise;
  }

  /** Ready when every part is; otherwise the reasons, each with its part. */
  get overall(): Readiness {
    const reasons = [...this.#parts].flatMap(([part, readiness]) =>
      readiness.ready ? [] : [`${part}: ${readiness.reason}`],
    );
    return reasons.length === 0 ? { ready: true } : { ready: false, reason: reasons.join('; ') };
  }
}
