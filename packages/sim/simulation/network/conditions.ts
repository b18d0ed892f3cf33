/** For as long as it lasts, everything between these two sides is answered like this. */
export interface StandingRefusal {
  readonly status: number;
  readonly retryAfterSeconds?: number;
}

/** What holds between processes and servers for a while, as against what strikes a single call. */
export class Conditions {
  /** `process > server` to how many partitions hold at the moment. */
  readonly #partitions = new Map<string, number>();
  /** `process > server` to the refusals that hold, the latest last. */
  readonly #refusals = new Map<string, StandingRefusal[]>();

  isPartitioned(process: string, server: string): boolean {
    return this.#partitions.size > 0 && (this.#partitions.get(pair(process, server)) ?? 0) > 0;
  }

  refusal(process: string, server: string): StandingRefusal | undefined {
    return this.#refusals.size === 0 ? undefined : this.#refusals.get(pair(process, server))?.at(-1);
  }

  partition(process: string, server: string): void {
    const key = pair(process, server);
    this.#partitions.set(key, (this.#partitions.get(key) ?? 0) + 1);
  }

  heal(process: string, server: string): void {
    const key = pair(process, server);
    this.#partitions.set(key, Math.max(0, (this.#partitions.get(key) ?? 0) - 1));
  }

  refuse(process: string, server: string, refusal: StandingRefusal): void {
    const key = pair(process, server);
    this.#refusals.set(key, [...(this.#refusals.get(key) ?? []), refusal]);
  }

  accept(process: string, server: string, refusal: StandingRefusal): void {
    const key = pair(process, server);
    const rest = (this.#refusals.get(key) ?? []).filter((candidate) => candidate !== refusal);
    this.#refusals.set(key, rest);
  }

  /** All processes reach all servers again. */
  clear(): void {
    this.#partitions.clear();
    this.#refusals.clear();
  }
}

const pair = (process: string, server: string) => `${process} > ${server}`;
