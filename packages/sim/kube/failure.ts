import type { JsonDraft, JsonObject } from '../json.ts';
import { type FieldProblem, problemText } from './validation/field-problem.ts';

/** A group and the plural name of its resource, as messages name it: `services`, `leases.coordination.k8s.io`. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

interface FailureBody {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details?: JsonObject;
  readonly retryAfterSeconds?: number;
}

/** A request the server refuses: becomes a Status in the answer. */
export class RequestFailure extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details: JsonObject | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(body: FailureBody) {
    super(body.message);
    this.name = 'RequestFailure';
    this.code = body.code;
    this.reason = body.reason;
    this.details = body.details;
    this.retryAfterSeconds = body.retryAfterSeconds;
  }

  /** The same refusal in other words. */
  withMessage(message: string): RequestFailure {
    const { code, reason, details, retryAfterSeconds } = this;
    return new RequestFailure({
      code,
      reason,
      message,
      ...(details && { details }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    });
  }

  toStatus(): JsonObject {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      ...(this.reason !== '' && { reason: this.reason }),
      ...(this.details && { details: this.details }),
      code: this.code,
    };
  }
}

function qualified(name: string, group: string): string {
  return group === '' ? name : `${name}.${group}`;
}

function details(name: string, group: string, kind: string, causes: readonly JsonObject[] = []): JsonObject {
  const result: JsonDraft = {};
  if (name !== '') result.name = name;
  if (group !== '') result.group = group;
  if (kind !== '') result.kind = kind;
  if (causes.length > 0) result.causes = causes;
  return result;
}

export function notFound({ group, resource }: GroupResource, name: string): RequestFailure {
  return new RequestFailure({
    code: 404,
    reason: 'NotFound',
    message: `${qualified(resource, group)} "${name}" not found`,
    details: details(name, group, resource),
  });
}

/** The path leads nowhere. */
export function noSuchResource(): RequestFailure {
  const message = 'the server could not find the requested resource';
  return new RequestFailure({ code: 404, reason: 'NotFound', message, details: {} });
}

export function methodNotAllowed(): RequestFailure {
  const message = 'the server does not allow this method on the requested resource';
  return new RequestFailure({ code: 405, reason: 'MethodNotAllowed', message, details: {} });
}

export function alreadyExists({ group, resource }: GroupResource, name: string): RequestFailure {
  return new RequestFailure({
    code: 409,
    reason: 'AlreadyExists',
    message: `${qualified(resource, group)} "${name}" already exists`,
    details: details(name, group, resource),
  });
}

export function conflict({ group, resource }: GroupResource, name: string, why: string): RequestFailure {
  return new RequestFailure({
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${qualified(resource, group)} "${name}": ${why}`,
    details: details(name, group, resource),
  });
}

/** The object was read before another client wrote it. */
export function staleVersion(resource: GroupResource, name: string): RequestFailure {
  const why = 'the object has been modified; please apply your changes to the latest version and try again';
  return conflict(resource, name, why);
}

/** Another field manager owns what a server-side apply would change. */
export function applyConflict(message: string, causes: readonly JsonObject[]): RequestFailure {
  return new RequestFailure({ code: 409, reason: 'Conflict', message, details: { causes } });
}

export function invalid(group: string, kind: string, name: string, problems: readonly FieldProblem[]): RequestFailure {
  const texts = [...new Set(problems.map((problem) => `${problem.field}: ${problemText(problem)}`))];
  const summary = texts.length === 1 ? texts.join('') : `[${texts.join(', ')}]`;
  const causes = problems.map((problem) => ({
    reason: problem.reason,
    message: problemText(problem),
    field: problem.field,
  }));
  return new RequestFailure({
    code: 422,
    reason: 'Invalid',
    message: `${qualified(kind, group)} "${name}" is invalid: ${summary}`,
    details: details(name, group, kind, causes),
  });
}

export function badRequest(message: string): RequestFailure {
  return new RequestFailure({ code: 400, reason: 'BadRequest', message });
}

export function forbidden({ group, resource }: GroupResource, name: string, why: string): RequestFailure {
  const subject = qualified(resource, group);
  return new RequestFailure({
    code: 403,
    reason: 'Forbidden',
    message: name === '' ? `${subject} is forbidden: ${why}` : `${subject} "${name}" is forbidden: ${why}`,
    details: details(name, group, resource),
  });
}

export function unauthorized(): RequestFailure {
  return new RequestFailure({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
}

/** What was asked for is older than the history the server keeps. */
export function expired(message: string): RequestFailure {
  return new RequestFailure({ code: 410, reason: 'Expired', message });
}

export function unsupportedMediaType(accepted: readonly string[]): RequestFailure {
  const types = `accepted media types include: ${accepted.join(', ')}`;
  const message = `the body of the request was in an unknown format - ${types}`;
  return new RequestFailure({ code: 415, reason: 'UnsupportedMediaType', message });
}

export function notAcceptable(available: readonly string[]): RequestFailure {
  const message = `406: Not Acceptable\n\nAvailable representations: ${available.join(', ')}`;
  return new RequestFailure({ code: 406, reason: 'NotAcceptable', message, details: {} });
}

/** The server cannot read as far ahead as the request asks. */
export function tooLargeResourceVersion(asked: number, current: number): RequestFailure {
  return new RequestFailure({
    code: 504,
    reason: 'Timeout',
    message: `Too large resource version: ${asked}, current: ${current}`,
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
    retryAfterSeconds: 1,
  });
}

export function internalError(message: string): RequestFailure {
  return new RequestFailure({
    code: 500,
    reason: 'InternalError',
    message: `Internal error occurred: ${message}`,
    details: { causes: [{ message }] },
  });
}
