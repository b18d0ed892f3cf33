import { createHash } from 'node:crypto';

const TAIL_LINES = 60;

/**
 * What happened, line by line. The last lines are kept for people; all of them, and the bytes that travelled, go
 * into one hash, which is the same for two runs only if everything happened the same way in the same order.
 */
export class History {
  readonly #digest = createHash('sha256');
  readonly #lines: string[] = [];
  readonly #keepsAll: boolean;

  constructor(options: { readonly keepsAll?: boolean } = {}) {
    this.#keepsAll = options.keepsAll ?? false;
  }

  record(line: string): void {
    this.#digest.update(`${line}\n`);
    this.#lines.push(line);
    if (!this.#keepsAll && this.#lines.length >= 2 * TAIL_LINES) this.#lines.splice(0, TAIL_LINES);
  }

  /** Counts in the hash without being worth a line. */
  absorb(content: string | Uint8Array): void {
    this.#digest.update(content);
  }

  /** The last lines; all of them when it keeps all. */
  tail(): readonly string[] {
    return this.#keepsAll ? [...this.#lines] : this.#lines.slice(-TAIL_LINES);
  }

  hash(): string {
    return this.#digest.copy().digest('hex');
  }
}
