import { type Clock, codeOf, findFairleadError } from '@fairlead/control';
import { ApiError, isGone } from '../api/api-error.ts';

/** So many watches in a row that brought nothing, and may owe it to where they resumed, are enough. */
const FRUITLESS_WATCHES = 3;
/** The same would come again from the same version. */
const UNUSABLE_ANSWERS: ReadonlySet<string> = new Set(['unexpected-answer', 'answer-too-large', 'server-went-back']);
/** Two bookmarks should have come in this time. */
const DOUBT_MILLISECONDS = 120_000;

/**
 * The resource version from which a watch resumes: judges by how watches end whether the next can go on from it, or
 * all has to be listed first. A list is dear, for a server in trouble above all; but to insist on a version that is no
 * good means never to hear anything again.
 */
export class ResumePoint {
  readonly #clock: Clock;
  #fruitless = 0;
  #checkedAt: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#checkedAt = clock.monotonic();
  }

  /** A list was complete, or a watch brought something. */
  confirm(): void {
    this.#fruitless = 0;
    this.checked();
  }

  /** The server has reached the version, whether or not it can go on from there. */
  checked(): void {
    this.#checkedAt = this.#clock.monotonic();
  }

  /**
   * Whether to ask how far the server is. One that was restored from a backup keeps silent until it has come so far
   * again, but so does any of which nothing is new: not all send bookmarks then.
   */
  get needsCheck(): boolean {
    return this.#clock.monotonic() - this.#checkedAt >= DOUBT_MILLISECONDS;
  }

  isLostAfter(error: unknown): boolean {
    if (isGone(error) || isRefusedRequest(error) || isNotReached(error)) return true;
    if (UNUSABLE_ANSWERS.has(codeOf(error))) return true;
    if (isSuspect(error)) this.#fruitless += 1;
    return this.#fruitless >= FRUITLESS_WATCHES;
  }
}

/** The server does not understand what it was asked. */
export function isRefusedRequest(error: unknown): boolean {
  const found = findFairleadError(error);
  return found instanceof ApiError && (found.status === 400 || found.status === 422);
}

/** The version is ahead of the server, which was restored from a backup. */
function isNotReached(error: unknown): boolean {
  const found = findFairleadError(error);
  return found instanceof ApiError && found.causes.includes('ResourceVersionTooLarge');
}

/** Of a server that is overloaded, or is not there behind its proxy: this says nothing about the version. */
const TROUBLE_OF_ITS_OWN: ReadonlySet<number> = new Set([502, 503, 504]);

/** A server that cannot make sense of what comes next fails there each time. */
function isSuspect(error: unknown): boolean {
  const found = findFairleadError(error);
  return found instanceof ApiError && found.status >= 500 && !TROUBLE_OF_ITS_OWN.has(found.status);
}
