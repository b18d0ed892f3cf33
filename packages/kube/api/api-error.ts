import {
  codeOf,
  FairleadError,
  findFairleadError,
  type HttpResponse,
  isRecord,
  parseRetryAfter,
  type Verdict,
} from '@fairlead/control';
import type { Status } from '../types/meta.ts';
import type { ApiRequest } from './connection.ts';

/** The API server asks for seconds. Who waits longer at the word of a proxy is blind for as long. */
const LONGEST_DELAY_MILLISECONDS = 60_000;
/** An error page of a proxy may be long; its beginning says enough. */
const LONGEST_BODY_BYTES = 65_536;
const LONGEST_EXCERPT = 200;
/** What a person reads of the server's own words; a refused object may repeat itself in them. */
const LONGEST_MESSAGE = 2_000;

/** What the API server calls these, for answers that come from something in front of it. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  408: 'Timeout',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  502: 'BadGateway',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** The API server answered, and the answer was no. Its `code` is the server's reason, such as `NotFound`. */
export class ApiError extends FairleadError {
  /** The HTTP status. */
  readonly status: number;
  /** The server's own word for it. */
  readonly reason: string;
  /** The reasons below the reason, such as `FieldManagerConflict`. */
  readonly causes: readonly string[];

  /** `what` names the request, and begins the message. */
  constructor(what: string, status: Status, retryAfterMilliseconds?: number) {
    const code = status.code ?? 500;
    const reason = status.reason ?? REASONS[code] ?? `http-${code}`;
    const causes = (status.details?.causes ?? []).flatMap((cause) => cause.reason ?? []);
    const seconds = status.details?.retryAfterSeconds ?? 0;
    const told = seconds > 0 ? Math.min(seconds * 1000, LONGEST_DELAY_MILLISECONDS) : undefined;
    const delay = retryAfterMilliseconds ?? told;
    super(`${what}: ${sentence(code, reason, status.message)}`, {
      verdict: verdictFor(code, causes),
      code: reason,
      ...(delay === undefined ? {} : { retryAfterMilliseconds: delay }),
    });
    this.status = code;
    this.reason = reason;
    this.causes = causes;
  }
}

/** Reads the body of a refused request. `now` is wall time: the server may name its delay as a date. */
export async function apiErrorFromResponse(
  request: ApiRequest,
  response: HttpResponse,
  now: number,
): Promise<ApiError> {
  const text = await readBeginning(response);
  const told = parseStatus(text);
  const status: Status =
    told === undefined
      ? { kind: 'Status', code: response.status, message: excerpt(text) }
      : { ...told, code: response.status };
  return new ApiError(
    `${request.method} ${request.path}`,
    status,
    parseRetryAfter(response.headers['retry-after'], now, LONGEST_DELAY_MILLISECONDS),
  );
}

/** Whether a decoded body, or the object of a watch's ERROR event, is a Status. */
export function isStatus(value: unknown): value is Status {
  if (!isRecord(value) || value['kind'] !== 'Status') return false;
  const { code, reason, message, details = {} } = value;
  if (!isRecord(details) || !isOptionalNumber(code) || !isOptionalText(reason) || !isOptionalText(message))
    return false;
  const { causes = [], retryAfterSeconds } = details;
  return isOptionalNumber(retryAfterSeconds) && Array.isArray(causes) && causes.every(isCause);
}

/** There is no such object, or no such resource. */
export const isNotFound = (error: unknown): boolean => statusOf(error) === 404;

/** The object changed since it was read, or a precondition did not hold. */
export const isConflict = (error: unknown): boolean => statusOf(error) === 409 && codeOf(error) !== 'AlreadyExists';

/** An object of this name was there before. */
export const isAlreadyExists = (error: unknown): boolean =>
  statusOf(error) === 409 && codeOf(error) === 'AlreadyExists';

/** The server does not know who we are. */
export const isUnauthorized = (error: unknown): boolean => statusOf(error) === 401;

/** The server knows who we are, and we may not do this. */
export const isForbidden = (error: unknown): boolean => statusOf(error) === 403;

/** A resource version or a page's token is too old to continue from: list again. */
export const isGone = (error: unknown): boolean => statusOf(error) === 410;

/** The server has too much to do, or we ask too much of it. */
export const isThrottled = (error: unknown): boolean => statusOf(error) === 429;

/** A JSON patch's `test` did not hold, or its path is not there: the object is not as it was read. */
export const isInvalid = (error: unknown): boolean => statusOf(error) === 422;

const isCause = (value: unknown): boolean => isRecord(value) && isOptionalText(value['reason']);

const isOptionalText = (value: unknown): boolean => value === undefined || typeof value === 'string';

const isOptionalNumber = (value: unknown): boolean => value === undefined || typeof value === 'number';

function statusOf(error: unknown): number | undefined {
  const found = findFairleadError(error);
  return found instanceof ApiError ? found.status : undefined;
}

function verdictFor(code: number, causes: readonly string[]): Verdict {
  if (code === 404 || code === 410) return 'stale';
  // Another field manager owns a field: the answer stays the same until it is given up or forced.
  if (code === 409) return causes.includes('FieldManagerConflict') ? 'terminal' : 'stale';
  if (code === 403) return causes.includes('NamespaceTerminating') ? 'stale' : 'terminal';
  if (code === 401 || code === 408 || code === 429 || code >= 500) return 'retriable';
  return 'terminal';
}

function sentence(code: number, reason: string, message: string | undefined): string {
  const told = message === undefined || message === '' ? reason : shortened(oneLine(message), LONGEST_MESSAGE);
  if (code === 401)
    return `the API server does not accept our credentials (401 ${reason}): renew the token or certificate`;
  if (code === 403) return forbidden(told);
  return `${told} (${code} ${reason})`;
}

/** Turns the server's refusal into who lacks which permission, and what to do about it. */
function forbidden(message: string): string {
  const found = /User "([^"]*)" cannot (\S+) resource "([^"]*)" in API group "([^"]*)"(.*)$/.exec(message);
  if (found === null) return `${message} (403 Forbidden)`;
  const [, user, verb, resource, group, rest = ''] = found;
  const scope = /in the namespace "([^"]*)"/.exec(rest)?.[1];
  const where = scope === undefined ? 'in the whole cluster' : `in namespace ${scope}`;
  const role = scope === undefined ? 'a ClusterRole' : 'a Role or ClusterRole';
  const qualified = group === '' ? resource : `${resource}.${group}`;
  return `${user} may not ${verb} ${qualified} ${where} (403 Forbidden): allow it in ${role}`;
}

function parseStatus(text: string): Status | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isStatus(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

async function readBeginning(response: HttpResponse): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    for await (const piece of response.body) {
      text += decoder.decode(piece, { stream: true });
      bytes += piece.length;
      if (bytes >= LONGEST_BODY_BYTES) break;
    }
  } catch {
    // The status alone decides; a body cut off on the way only makes the message shorter.
  }
  return text;
}

/** A tag ends where the next one begins, too: to look for its end past that takes for ever on a page of `<`. */
function excerpt(text: string): string {
  return shortened(oneLine(text.replace(/<[^<>]*>/g, ' ')), LONGEST_EXCERPT);
}

function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
