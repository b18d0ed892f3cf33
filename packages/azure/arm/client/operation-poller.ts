import { type CallScope, type CloudAnswer, type CloudConnection, what } from '@fairlead/cloud';
import {
  type BackoffPolicy,
  backoffDelay,
  type Clock,
  FairleadError,
  parseRetryAfter,
  type Random,
  sleep,
} from '@fairlead/control';
import { ArmError, type ArmErrorBody, armErrorFromOperation } from '../errors/arm-error.ts';
import type { ArmRequest } from './dialect.ts';
import { trustedLink } from './links.ts';
import { type PollTarget, type Progress, progressOfPoll } from './long-running.ts';

/**
 * Short at first, as most operations are, and then growing slowly: others wait for the same load balancer, and an
 * operation that is over should not be waited for much longer than it took. A Retry-After of Azure's goes before.
 */
const POLLING: BackoffPolicy = { initialMilliseconds: 300, maximumMilliseconds: 10_000, factor: 1.25, jitter: 0.2 };

export interface PollerOptions {
  readonly connection: CloudConnection<ArmRequest>;
  readonly endpoint: string;
  readonly clock: Clock;
  readonly random: Random;
}

/** Follows what Azure accepted until it is done. */
export class OperationPoller {
  readonly #options: PollerOptions;

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  /**
   * Resolves with the resource, if the last answer held it. `write` is the request that was accepted, `answer` what
   * Azure said to it. Throttling and a lost poll only slow it down: the operation goes on all the same.
   */
  async follow(write: ArmRequest, answer: CloudAnswer, first: PollTarget, scope: CallScope): Promise<unknown> {
    const { clock, random, connection, endpoint } = this.#options;
    let poll = first;
    let asked = parseRetryAfter(answer.headers['retry-after'], clock.now());
    for (let polls = 1; ; polls += 1) {
      const delay = backoffDelay(POLLING, polls, random, asked);
      await scope.wait((signal) => sleep(clock, delay, signal));
      const url = trustedLink(what(write), endpoint, poll.url);
      try {
        const told = await connection.send(pollRequest(write, url), scope);
        asked = parseRetryAfter(told.headers['retry-after'], clock.now());
        const progress: Progress = progressOfPoll(poll, told);
        if (progress.state === 'done') return progress.body;
        if (progress.state === 'failed') throw failedOperation(write, answer, progress.failure);
        poll = progress.poll;
      } catch (error) {
        if (!(error instanceof ArmError)) throw error;
        if (error.status === 404 && poll.style !== 'resource') throw forgotten(what(write));
        if (error.status !== 429) throw error;
        asked = error.retryAfterMilliseconds;
      }
    }
  }
}

/** For a write that Azure accepted with this answer, and failed at. */
export function failedOperation(
  write: ArmRequest,
  { mayHaveTakenEffect }: CloudAnswer,
  failure: ArmErrorBody,
): ArmError {
  const { correlationId } = write;
  return armErrorFromOperation({ what: what(write), correlationId, mayHaveTakenEffect }, failure);
}

function pollRequest({ kind, subject, account, correlationId, record }: ArmRequest, url: string): ArmRequest {
  const about = { kind, subject, account, correlationId, record };
  return { ...about, verb: 'POLL', method: 'GET', url, throttle: 'wait', mayHaveTakenEffect: true };
}

/** Not the 404 itself: that would read as if the resource were not there. */
function forgotten(name: string): FairleadError {
  return new FairleadError(`${name}: Azure no longer knows of the operation it had begun; how it ended is to be seen`, {
    verdict: 'retriable',
    code: 'operation-forgotten',
  });
}
