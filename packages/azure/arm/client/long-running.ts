import { isRecord } from '@fairlead/control';
import type { CloudAnswer, CloudRequest } from '@fairlead/cloud';
import { type ArmErrorBody, errorIn } from '../errors/arm-error.ts';

/** How to learn that Azure is done: from the operation's status, from its result, or from the resource itself. */
export type PollStyle = 'status' | 'result' | 'resource';

export interface PollTarget {
  readonly style: PollStyle;
  readonly url: string;
}

/** How far Azure is with a write. */
export type Progress =
  /** `body` is the resource, where the answer held it. */
  | { readonly state: 'done'; readonly body: unknown }
  | { readonly state: 'failed'; readonly failure: ArmErrorBody }
  | { readonly state: 'running'; readonly poll: PollTarget };

/** What the first answer to a write says. */
export function progressOfWrite({ method, url }: Pick<CloudRequest, 'method' | 'url'>, answer: CloudAnswer): Progress {
  const failure = failureIn(answer.body);
  if (failure !== undefined) return { state: 'failed', failure };
  const state = provisioningState(answer.body);
  // Azure sends links also with answers that need no following.
  if (method === 'PUT' && state === 'Succeeded') return { state: 'done', body: answer.body };
  if (method !== 'PUT' && (answer.status === 200 || answer.status === 204)) return { state: 'done', body: undefined };
  const poll = linkIn(answer);
  if (poll !== undefined) return { state: 'running', poll };
  if (method === 'POST') return { state: 'done', body: undefined };
  if (method === 'PUT' && state === undefined && answer.status !== 202) return { state: 'done', body: answer.body };
  return { state: 'running', poll: { style: 'resource', url } };
}

/** What a poll says. A resource that is gone is told by a 404, which does not come here. */
export function progressOfPoll({ style, url }: PollTarget, answer: CloudAnswer): Progress {
  const failure = failureIn(answer.body);
  if (failure !== undefined) return { state: 'failed', failure };
  const running: Progress = { state: 'running', poll: linkIn(answer, style) ?? { style, url } };
  switch (style) {
    case 'status':
      return statusIn(answer.body) === 'Succeeded' ? { state: 'done', body: undefined } : running;
    case 'result': {
      if (answer.status === 202 || isUnderWay(statusIn(answer.body))) return running;
      return { state: 'done', body: answer.body };
    }
    case 'resource': {
      const state = provisioningState(answer.body);
      return state === undefined || state === 'Succeeded' ? { state: 'done', body: answer.body } : running;
    }
  }
}

/** The link to follow; with `style`, only one of the same style. */
function linkIn({ headers }: CloudAnswer, style?: PollStyle): PollTarget | undefined {
  const status = headers['azure-asyncoperation'];
  if (status !== undefined && style !== 'result') return { style: 'status', url: status };
  const result = headers['location'];
  return result === undefined || style === 'status' ? undefined : { style: 'result', url: result };
}

/** A failure may be told in a status, in an error, or in the state of the resource; the HTTP status is 200 in all. */
function failureIn(body: unknown): ArmErrorBody | undefined {
  const error = errorIn(body);
  if (error !== undefined && error.codes.length > 0) return error;
  const state = statusIn(body) ?? provisioningState(body);
  if (state !== 'Failed' && state !== 'Canceled') return undefined;
  return { codes: [`Provisioning${state}`], message: error?.message ?? '' };
}

function statusIn(body: unknown): string | undefined {
  return isRecord(body) && typeof body['status'] === 'string' ? body['status'] : undefined;
}

function isUnderWay(status: string | undefined): boolean {
  return status !== undefined && status !== 'Succeeded';
}

function provisioningState(body: unknown): string | undefined {
  if (!isRecord(body) || !isRecord(body['properties'])) return undefined;
  const state = body['properties']['provisioningState'];
  return typeof state === 'string' ? state : undefined;
}
