import { type Clock, codeOf } from '@fairlead/control';
import { isRefusedRequest } from './resume-point.ts';

const SHORTEST_PAUSE_MILLISECONDS = 600_000;
const LONGEST_PAUSE_MILLISECONDS = 86_400_000;

/**
 * Whether to have the next list streamed. A server that fails to may be upgraded, or had a bad moment, so it is asked
 * again; but ever more rarely, because it costs half a minute to find out that nothing comes.
 */
export class ListStreaming {
  readonly #clock: Clock;
  #pause = SHORTEST_PAUSE_MILLISECONDS;
  #notBefore = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isWorthTrying(): boolean {
    return this.#clock.monotonic() >= this.#notBefore;
  }

  worked(): void {
    this.#pause = SHORTEST_PAUSE_MILLISECONDS;
  }

  failed(): void {
    this.#notBefore = this.#clock.monotonic() + this.#pause;
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE_MILLISECONDS);
  }
}

/** A server that does not know how to stream a list refuses it, or watches without ever ending the list. */
export function isStreamingRefused(error: unknown): boolean {
  const code = codeOf(error);
  return isRefusedRequest(error) || code === 'streaming-ignored' || code === 'connection-silent';
}
