import { FairleadError } from '@fairlead/control';
import type { AgentStatus } from '../../protocol/answer.ts';
import { type Generation, isAfter } from '../../protocol/configuration.ts';
import type { AgentClient } from './agent-client.ts';

/** The agent answered, and did not take what it was sent. */
export class AgentRefusal extends FairleadError {}

/** The generations that one agent is sent: above all that it has heard of. */
export class SentGenerations {
  #last: Generation;
  /** Whether the agent knows that epoch from us, and not from a leader that went as high for it alone. */
  #isAnnounced = false;

  /** `epoch` is that of our leadership; where the agent has seen a higher one, we go above that. */
  constructor(epoch: number) {
    this.#last = { epoch, number: 0 };
  }

  get last(): Generation {
    return this.#last;
  }

  next(): Generation {
    return { epoch: this.#last.epoch, number: this.#last.number + 1 };
  }

  sent(generation: Generation): void {
    this.#last = generation;
  }

  /**
   * What an older leader sent may arrive yet: the agent must not take it, though we may have nothing to send. Gives whether
   * the agent had not heard of us: what it has is known only after that. `isLost`: what was sent last has no answer.
   */
  async announce(
    { epoch: known = 0, generation }: AgentStatus,
    isLost: boolean,
    {
      client,
      gateway,
    }: { readonly client: Pick<AgentClient, 'announce'>; readonly gateway: { readonly name: string } },
    signal: AbortSignal,
  ): Promise<boolean> {
    if (generation !== undefined && isAfter(generation, this.#last)) {
      this.#last = { epoch: generation.epoch + 1, number: 0 };
    }
    // What this leader sent and gave up on may arrive late as well.
    const isOpen = isLost || !this.#isAnnounced;
    if (known > this.#last.epoch || (isOpen && known === this.#last.epoch)) {
      this.#last = { epoch: known + 1, number: 0 };
    }
    const { epoch } = this.#last;
    if (known === epoch) return false;
    const answer = await client.announce({ epoch }, signal);
    this.#isAnnounced = answer.epoch === epoch;
    if (this.#isAnnounced) return true;
    throw new AgentRefusal(`the gateway ${gateway.name} heard of a leader with epoch ${answer.epoch}`, {
      verdict: 'retriable',
      code: 'gateway-newer-leader',
    });
  }
}
