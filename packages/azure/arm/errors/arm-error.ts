import { CloudError, findCloudError, oneLine, pageText, type RefusedCall } from '@fairlead/cloud';
import { isRecord, type Verdict } from '@fairlead/control';
import { isThrottling, verdictFor, verdictForOperation } from './verdict.ts';

const DEEPEST_DETAIL = 4;

/** What Azure said in the body of an error. */
export interface ArmErrorBody {
  /** The most general first. */
  readonly codes: readonly string[];
  readonly message: string;
}

interface ArmErrorDetails extends ArmErrorBody {
  readonly status: number;
  readonly verdict: Verdict;
  readonly correlationId: string;
  readonly retryAfterMilliseconds?: number | undefined;
  readonly mayHaveTakenEffect?: boolean | undefined;
}

/** Azure answered, and the answer was no. Its `code` is Azure's own, such as `PublicIPAddressCannotBeDeleted`. */
export class ArmError extends CloudError {
  /** All codes Azure gave, the most general first. */
  readonly codes: readonly string[];
  readonly correlationId: string;

  /** `what` names the call, and begins the message. The status is 200 when Azure accepted the call and failed later. */
  constructor(what: string, details: ArmErrorDetails) {
    const { status, codes, verdict, correlationId, retryAfterMilliseconds, mayHaveTakenEffect } = details;
    const code = codes[0] ?? `http-${status}`;
    const detail = codes.length > 1 ? `${code}/${codes.slice(1).join('/')}` : code;
    const message = details.message === '' ? code : details.message;
    super(`${what}: ${message} (${status} ${detail}, correlation ${correlationId})`, {
      verdict,
      code,
      status,
      isThrottling: isThrottling(status, codes),
      mayHaveTakenEffect,
      ...(retryAfterMilliseconds === undefined ? {} : { retryAfterMilliseconds }),
    });
    this.codes = codes;
    this.correlationId = correlationId;
  }
}

export interface RefusedArmCall extends RefusedCall {
  readonly correlationId: string;
}

export function armErrorFromAnswer(
  call: RefusedArmCall,
  status: number,
  text: string,
  retryAfterMilliseconds: number | undefined,
): ArmError {
  const { codes, message } = parseErrorBody(text);
  const verdict = verdictFor(status, codes, call.notFound ?? 'terminal');
  const { what, ...rest } = call;
  return new ArmError(what, { ...rest, status, codes, message, verdict, retryAfterMilliseconds });
}

/** For an operation that was accepted and failed. */
export function armErrorFromOperation(call: RefusedArmCall, failure: ArmErrorBody): ArmError {
  const { what, correlationId, mayHaveTakenEffect } = call;
  const verdict = verdictForOperation(failure.codes);
  return new ArmError(what, { ...failure, status: 200, verdict, correlationId, mayHaveTakenEffect });
}

/** The error in a decoded body, or undefined when there is none. */
export function errorIn(body: unknown): ArmErrorBody | undefined {
  if (!isRecord(body) || !isRecord(body['error'])) return undefined;
  const codes: string[] = [];
  let error: unknown = body['error'];
  const message = isRecord(error) && typeof error['message'] === 'string' ? error['message'] : '';
  for (let depth = 0; depth < DEEPEST_DETAIL && isRecord(error); depth += 1) {
    if (typeof error['code'] === 'string') codes.push(error['code']);
    error = Array.isArray(error['details']) ? error['details'][0] : undefined;
  }
  return { codes, message: oneLine(message) };
}

/** The ArmError in the chain of causes, if there is one. */
export function findArmError(error: unknown): ArmError | undefined {
  const found = findCloudError(error);
  return found instanceof ArmError ? found : undefined;
}

function parseErrorBody(text: string): ArmErrorBody {
  try {
    const told = errorIn(JSON.parse(text));
    if (told !== undefined) return told;
  } catch {
    // A proxy's page.
  }
  return { codes: [], message: pageText(text) };
}
