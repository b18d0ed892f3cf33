import { codeOf, type Logger, type Metrics, messageOf } from '@fairlead/control';
import { agentUp } from '../metrics.ts';
import type { Gateway } from '../pools.ts';

/** `unknown` until it has answered, or several attempts to talk to it have failed. */
export type Reach = 'unknown' | 'reachable' | 'unreachable';

/**
 * Of one that has not answered yet: one answer that gets lost when a leader begins does not make every Service say that
 * it is not served. One that has answered before cannot be reached any more as soon as it does not.
 */
const UNANSWERED_WHILE_UNKNOWN = 3;

export interface AgentReachOptions {
  readonly gateway: Gateway;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly onNews: (refused: readonly string[]) => void;
}

/** Whether an agent can be reached, told when that changes. A gateway may be dead for days: each reason is logged once. */
export class AgentReach {
  readonly #options: AgentReachOptions;
  #current: Reach = 'unknown';
  /** Attempts that failed in a row, and why the last one did. */
  #failures = { code: '', count: 0 };
  /** Calls in a row that were made, and got no answer. */
  #unanswered = 0;

  constructor(options: AgentReachOptions) {
    this.#options = options;
  }

  get current(): Reach {
    return this.#current;
  }

  succeeded(): void {
    const { logger, gateway } = this.#options;
    const { count: attempts } = this.#failures;
    if (attempts > 0) logger.info({ gateway: gateway.name, attempts }, 'a gateway is in step again');
    this.#failures = { code: '', count: 0 };
    this.#unanswered = 0;
    this.#set('reachable');
  }

  /** `isAnswer`: something listens there, though it did not take what it was sent. */
  failed(failure: unknown, isAnswer: boolean): void {
    const { logger, gateway } = this.#options;
    const code = codeOf(failure);
    const isKnown = this.#failures.count > 0 && this.#failures.code === code;
    this.#failures = { code, count: this.#failures.count + 1 };
    if (!isKnown) {
      logger.warn({ gateway: gateway.name, code, error: messageOf(failure) }, 'a gateway is not in step');
    }
    // An agent that was not even asked, for want of a Lease, may well be there.
    if (code === 'lease-too-short') return;
    this.#unanswered = isAnswer ? 0 : this.#unanswered + 1;
    if (isAnswer) this.#set('reachable');
    else if (this.#current === 'reachable' || this.#unanswered >= UNANSWERED_WHILE_UNKNOWN) this.#set('unreachable');
  }

  #set(reach: 'reachable' | 'unreachable'): void {
    const { metrics, gateway, onNews } = this.#options;
    if (this.#current === reach) return;
    this.#current = reach;
    metrics.set(agentUp, reach === 'reachable' ? 1 : 0, { gateway: gateway.name });
    onNews([]);
  }
}
