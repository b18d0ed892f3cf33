import {
  type Clock,
  FairleadError,
  type HttpRequest,
  type HttpTransport,
  messageOf,
  readText,
  withDeadline,
} from '@fairlead/control';
import type { Leadership } from '@fairlead/kube';
import type { z } from 'zod';
import {
  type AgentStatus,
  agentStatus,
  type ConfigurationAnswer,
  configurationAnswer,
  type LeaderAnswer,
  leaderAnswer,
} from '../../protocol/answer.ts';
import type { LeaderAnnouncement } from '../../protocol/configuration.ts';
import type { Gateway } from '../pools.ts';

const STATUS_DEADLINE_MILLISECONDS = 5_000;
/** A gateway takes seconds to load thousands of Services for the first time. */
const WHOLE_DEADLINE_MILLISECONDS = 60_000;
const DELTA_DEADLINE_MILLISECONDS = 10_000;
/** Asked again where the agent is still loading what an older leader sent: an answer that is lost costs no more. */
const ANNOUNCEMENT_DEADLINE_MILLISECONDS = 10_000;
/** The Lease has to last at least so long. What is under way for longer is kept out by the epoch of the next leader. */
const LEASE_MARGIN_MILLISECONDS = 4_000;
/** Answers name frontends at fault; what is longer is no answer of an agent. */
const LONGEST_ANSWER_BYTES = 16 * 1024 * 1024;

export interface AgentClientOptions {
  readonly gateway: Gateway;
  readonly transport: HttpTransport;
  readonly clock: Clock;
  readonly leadership: Pick<Leadership, 'covers'>;
}

/** Talks to the agent of one gateway. Rejects with a FairleadError when no answer came that can be read. */
export class AgentClient {
  readonly #options: AgentClientOptions;

  constructor(options: AgentClientOptions) {
    this.#options = options;
  }

  status(signal: AbortSignal): Promise<AgentStatus> {
    return this.#send('GET', '/v1/status', agentStatus, STATUS_DEADLINE_MILLISECONDS, signal);
  }

  /** Has the agent take nothing more from leaders before this one; what it takes at the moment comes to its end first. */
  async announce(announcement: LeaderAnnouncement, signal: AbortSignal): Promise<LeaderAnswer> {
    this.#requireLease();
    const body = JSON.stringify(announcement);
    return this.#send('PUT', '/v1/leader', leaderAnswer, ANNOUNCEMENT_DEADLINE_MILLISECONDS, signal, body);
  }

  /** `body` is a configuration request, as text. */
  async put(body: string, kind: 'whole' | 'delta', signal: AbortSignal): Promise<ConfigurationAnswer> {
    this.#requireLease();
    const deadline = kind === 'whole' ? WHOLE_DEADLINE_MILLISECONDS : DELTA_DEADLINE_MILLISECONDS;
    return this.#send('PUT', '/v1/config', configurationAnswer, deadline, signal, body);
  }

  #requireLease(): void {
    if (!this.#options.leadership.covers(LEASE_MARGIN_MILLISECONDS)) {
      const message = `the Lease may end before ${this.#options.gateway.name} answers; trying again once it is renewed`;
      throw new FairleadError(message, { verdict: 'retriable', code: 'lease-too-short' });
    }
  }

  #send<Answer>(
    method: 'GET' | 'PUT',
    path: string,
    shape: z.ZodType<Answer>,
    milliseconds: number,
    signal: AbortSignal,
    body?: string,
  ): Promise<Answer> {
    const { gateway, transport, clock } = this.#options;
    const name = `${method} ${path} of the gateway ${gateway.name}`;
    return withDeadline(clock, { name, milliseconds }, signal, async (within) => {
      const url = `${gateway.url.replace(/\/+$/, '')}${path}`;
      const headers = body === undefined ? {} : { 'content-type': 'application/json' };
      const request: HttpRequest = { method, url, headers, signal: within, ...(body === undefined ? {} : { body }) };
      const response = await transport.send(request);
      const text = await readText(response, LONGEST_ANSWER_BYTES);
      return parsed(text, shape, `${name} (${response.status})`);
    });
  }
}

/** Whatever stands between us and an agent may answer, too, with a page of its own. */
function parsed<Answer>(text: string, shape: z.ZodType<Answer>, what: string): Answer {
  try {
    return shape.parse(JSON.parse(text));
  } catch (error) {
    throw new FairleadError(`${what}: this is no answer of an agent`, {
      verdict: 'retriable',
      code: 'agent-answer-unreadable',
      cause: messageOf(error),
    });
  }
}
