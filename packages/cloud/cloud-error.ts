import { type FailureDetails, FairleadError, findFairleadError, verdictOf } from '@fairlead/control';

const LONGEST_MESSAGE = 400;
/** As much of a page as words are looked for in. */
const LONGEST_PAGE = 65_536;

/** A call that a cloud refused. */
export interface RefusedCall {
  /** Verb, kind and name. */
  readonly what: string;
  readonly notFound?: 'stale' | undefined;
  readonly mayHaveTakenEffect?: boolean | undefined;
}

export interface CloudFailureDetails extends FailureDetails {
  readonly status: number;
  readonly isThrottling: boolean;
  readonly mayHaveTakenEffect?: boolean | undefined;
}

/** The ways in which a request may end, as metrics count them. */
export type CallResult =
  | 'ok'
  | 'not-found'
  | 'conflict'
  | 'throttled'
  | 'busy'
  | 'unauthorized'
  | 'refused'
  | 'server-error'
  | 'no-answer';

/** A cloud answered, and the answer was no. Each cloud has its own kind of these. */
export class CloudError extends FairleadError {
  /** The HTTP status; below 400 when the cloud accepted the call and failed at it later. */
  readonly status: number;
  /** True for too many requests, after which all callers of the account slow down. */
  readonly isThrottling: boolean;
  /** True when an attempt before the one that the cloud refused got no answer that tells. */
  readonly mayHaveTakenEffect: boolean;

  constructor(message: string, details: CloudFailureDetails) {
    super(message, details);
    this.status = details.status;
    this.isThrottling = details.isThrottling;
    this.mayHaveTakenEffect = details.mayHaveTakenEffect ?? false;
  }
}

/** The CloudError in the chain of causes, if there is one. */
export function findCloudError(error: unknown): CloudError | undefined {
  const found = findFairleadError(error);
  if (found instanceof CloudError) return found;
  return found?.cause === undefined ? undefined : findCloudError(found.cause);
}

export const isNotFound = (error: unknown): boolean => findCloudError(error)?.status === 404;

/** Whether the cloud has refused or throttled a write, and no attempt before that can have got through. */
export function isWithoutEffect(error: unknown): boolean {
  const refusal = findCloudError(error);
  if (refusal === undefined || refusal.mayHaveTakenEffect) return false;
  return verdictOf(error) === 'terminal' || refusal.isThrottling;
}

export function resultOf({ status, isThrottling }: CloudError): CallResult {
  if (isThrottling) return 'throttled';
  if (status === 404) return 'not-found';
  if (status === 409 || status === 412) return 'conflict';
  if (status === 429) return 'busy';
  if (status === 401 || status === 403) return 'unauthorized';
  return status >= 500 || status === 408 ? 'server-error' : 'refused';
}

/** What a cloud says, for a message: on one line, and not too long. */
export function oneLine(text: string): string {
  const line = text
    .replace(/<br\s*\/?>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= LONGEST_MESSAGE ? line : `${line.slice(0, LONGEST_MESSAGE)}…`;
}

/** The words of an answer that is none of the cloud's own: a proxy's page, whose words are better than none. */
export function pageText(text: string): string {
  return oneLine(text.slice(0, LONGEST_PAGE).replace(/<[^<>]*>/g, ' '));
}

/** Something between us and the server answered in its place. */
export function unexpectedAnswer(server: string, what: string, how: string, cause?: unknown): FairleadError {
  return new FairleadError(`${what}: the answer ${how}; is this the address of ${server}?`, {
    verdict: 'retriable',
    code: 'unexpected-answer',
    cause,
  });
}
