import type { Clock } from '@fairlead/control';
import type { FrontendError } from '../../protocol/answer.ts';
import { frontendKey, type VirtualServer } from '../../protocol/configuration.ts';
import { canonicalText } from '../../protocol/delta.ts';

/** What an agent refused is offered again: its allow-list may have grown. */
const OFFER_AGAIN_MILLISECONDS = 300_000;

interface Refused {
  readonly error: FrontendError;
  /** Of the virtual server that was refused: another one is offered at once. */
  readonly text: string;
  /** What the agent has there, where it did not refuse that, too. */
  readonly instead: VirtualServer | undefined;
  readonly at: number;
}

/** The frontends that one agent refused. Without those that are at fault the others go ahead at once. */
export class RefusedFrontends {
  readonly #clock: Clock;
  readonly #refused = new Map<string, Refused>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  errorOf(frontend: string): FrontendError | undefined {
    return this.#refused.get(frontend)?.error;
  }

  /** Takes the errors that are about what was sent; gives the frontends at fault. */
  add(errors: readonly FrontendError[], sent: ReadonlyMap<string, VirtualServer | undefined>): readonly string[] {
    return errors.flatMap((error) => {
      const frontend = frontendKey(error.frontend);
      const server = sent.get(frontend);
      if (server === undefined) return [];
      const text = canonicalText(server);
      const before = this.#refused.get(frontend);
      // What was sent in the place of what it refused is refused, too: nothing is sent there.
      const isInstead = before !== undefined && before.text !== text;
      this.#refused.set(frontend, {
        error,
        text: isInstead ? before.text : text,
        instead: isInstead ? undefined : error.current,
        at: this.#clock.monotonic(),
      });
      return [frontend];
    });
  }

  delete(frontend: string): void {
    this.#refused.delete(frontend);
  }

  /**
   * What the agent is to have there: in the place of what it refused, what it has, unless that lets in more. That is
   * what it confirmed to this leader, or what it told of itself.
   */
  insteadOf(frontend: string, wanted: VirtualServer, confirmed: VirtualServer | undefined): VirtualServer | undefined {
    const refused = this.#refused.get(frontend);
    if (refused === undefined) return wanted;
    if (refused.text !== canonicalText(wanted)) {
      this.#refused.delete(frontend);
      return wanted;
    }
    const has = confirmed ?? refused.instead;
    return has !== undefined && admitsTheSame(has, wanted) ? has : undefined;
  }

  /** Until something is offered again; infinity where nothing was refused. */
  get offerAgainIn(): number {
    let oldest = Number.POSITIVE_INFINITY;
    for (const { at } of this.#refused.values()) oldest = Math.min(oldest, at);
    return oldest + OFFER_AGAIN_MILLISECONDS - this.#clock.monotonic();
  }

  /** Forgets those that it is time to offer again; gives them. */
  offerAgain(): readonly string[] {
    const before = this.#clock.monotonic() - OFFER_AGAIN_MILLISECONDS;
    const due = [...this.#refused].flatMap(([frontend, { at }]) => (at > before ? [] : [frontend]));
    for (const frontend of due) this.#refused.delete(frontend);
    return due;
  }
}

function admitsTheSame(before: VirtualServer, wanted: VirtualServer): boolean {
  return (
    before.service === wanted.service &&
    JSON.stringify(before.sourceRanges?.toSorted()) === JSON.stringify(wanted.sourceRanges?.toSorted())
  );
}
