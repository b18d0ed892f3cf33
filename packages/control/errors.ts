/**
 * What is to be done about a failure:
 * - `stale`: what we acted on is gone or has moved on; drop the attempt quietly, the next look will be right.
 * - `retriable`: the same call may succeed later, after `retryAfterMilliseconds` where the server said so.
 * - `terminal`: trying again changes nothing until the object, the configuration or a permission is changed.
 */
export type Verdict = 'stale' | 'retriable' | 'terminal';

export interface FailureDetails {
  readonly verdict: Verdict;
  /** Stable, in kebab case or as the server spelled it; users search for it and code switches on it. */
  readonly code: string;
  /** The delay the server itself asked for. */
  readonly retryAfterMilliseconds?: number;
  readonly cause?: unknown;
}

/** The base of every error Fairlead raises on purpose. */
export class FairleadError extends Error {
  readonly verdict: Verdict;
  readonly code: string;
  readonly retryAfterMilliseconds: number | undefined;

  constructor(message: string, details: FailureDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.verdict = details.verdict;
    this.code = details.code;
    this.retryAfterMilliseconds = details.retryAfterMilliseconds;
  }
}

/** The FairleadError in the chain of causes, if there is one: wrapping an error must not change its verdict. */
export function findFairleadError(error: unknown): FairleadError | undefined {
  let current = error;
  for (let depth = 0; depth < 10; depth += 1) {
    if (current instanceof FairleadError) return current;
    if (!(current instanceof Error)) return undefined;
    current = current.cause;
  }
  return undefined;
}

/** An unclassified error is terminal: it is a defect of ours, and repeating it would hide it. */
export function verdictOf(error: unknown): Verdict {
  return findFairleadError(error)?.verdict ?? 'terminal';
}

/** The stable code of an error, for Events, metrics and the journal. */
export function codeOf(error: unknown): string {
  return findFairleadError(error)?.code ?? 'unexpected';
}

/** What the operating system calls a failure: `ENOENT`. */
export function systemCodeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What a log line tells of an error: a stack, too, where it is a defect of ours. */
export function errorFields(error: unknown): { readonly error: string; readonly stack?: string } {
  const stack = error instanceof Error && findFairleadError(error) === undefined ? error.stack : undefined;
  return { error: messageOf(error), ...(stack === undefined ? {} : { stack }) };
}
