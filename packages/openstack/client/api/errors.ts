import {
  CloudError,
  findCloudError,
  oneLine,
  pageText,
  type RefusedAnswer,
  type RefusedCall,
  REPEATED_STATUSES,
} from '@fairlead/cloud';
import { fieldOf, textFieldOf, type Verdict } from '@fairlead/control';

/** What is wrong, whichever service says it and however it words it. */
export type OpenStackProblem =
  | 'not-found'
  /** Others hold what was asked for: an address, a port. */
  | 'conflict'
  /** The very rule that was to be created is there. */
  | 'exists'
  /** The object changed since it was read: read it again. */
  | 'precondition'
  /** Octavia is still at the change before this one. */
  | 'immutable'
  | 'quota'
  /** No address is left in the network. */
  | 'exhausted'
  | 'throttled'
  | 'unauthorized'
  | 'forbidden'
  | 'invalid'
  /** The provider of a load balancer has no such option. */
  | 'unsupported'
  | 'server-error'
  /** A proxy answered in place of the service, or the address of the service is wrong. */
  | 'unexpected-answer';

/** OpenStack answered, and the answer was no. Its `code` is Neutron's own, such as `OverQuota`, where there is one. */
export class OpenStackError extends CloudError {
  readonly problem: OpenStackProblem;

  constructor(call: RefusedCall, answer: RefusedAnswer) {
    const { status, headers, text, retryAfterMilliseconds } = answer;
    const said = parseErrorBody(text);
    const problem = problemOf(status, said, retryAfterMilliseconds !== undefined);
    const code = said?.type ?? `openstack-${problem}`;
    const message = said?.message || pageText(text) || code;
    const id = headers['x-openstack-request-id'];
    const reference = [String(status), said?.type, id].filter((part) => part !== undefined).join(' ');
    super(`${call.what}: ${message} (${reference})`, {
      verdict: verdictFor(problem, status, call.notFound ?? 'terminal'),
      code,
      // Who knows no such page says nothing about whether the object exists.
      status: problem === 'unexpected-answer' ? 502 : status,
      isThrottling: problem === 'throttled',
      mayHaveTakenEffect: call.mayHaveTakenEffect,
      ...(retryAfterMilliseconds === undefined ? {} : { retryAfterMilliseconds }),
    });
    this.problem = problem;
  }
}

/** What OpenStack says is wrong, if the error is one of its own. */
export function problemIn(error: unknown): OpenStackProblem | undefined {
  const found = findCloudError(error);
  return found instanceof OpenStackError ? found.problem : undefined;
}

interface ErrorBody {
  /** Only Neutron has one. */
  readonly type: string | undefined;
  readonly message: string;
}

/** The services have five ways to say no; undefined when it is none of them. */
function parseErrorBody(text: string): ErrorBody | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  const neutron = fieldOf(body, 'NeutronError');
  if (typeof neutron === 'string') return { type: undefined, message: oneLine(neutron) };
  if (neutron !== undefined) return { type: textFieldOf(neutron, 'type'), message: message(neutron, 'message') };
  // Keystone, then keystonemiddleware, then Octavia and the framework before it.
  const keystone = fieldOf(body, 'error');
  if (typeof keystone === 'object' && keystone !== null) {
    return { type: undefined, message: message(keystone, 'message') };
  }
  // Pecan has a title for every status, and a description of what is about the request.
  if (fieldOf(body, 'description') === '') return undefined;
  const other = ['faultstring', 'description', 'message', 'title']
    .map((name) => textFieldOf(body, name))
    .find((said) => said !== undefined);
  return other === undefined ? undefined : { type: undefined, message: oneLine(other) };
}

function problemOf(status: number, said: ErrorBody | undefined, names: boolean): OpenStackProblem {
  const type = said?.type ?? '';
  const message = said?.message ?? '';
  if (status === 429 || (status === 413 && names)) return 'throttled';
  if (status === 401) return 'unauthorized';
  // Neutron's word for a path that it does not have: it says nothing about an object.
  if (status === 404) return said === undefined || type === 'HTTPNotFound' ? 'unexpected-answer' : 'not-found';
  if (status === 412) return 'precondition';
  if (/quota/i.test(type) || ((status === 403 || status === 409) && /\bquota\b/i.test(message))) return 'quota';
  if (status === 403) return 'forbidden';
  if (status === 409) {
    if (/\bimmutable\b|^Invalid state \S+ of loadbalancer/i.test(message)) return 'immutable';
    if (type === 'SecurityGroupRuleExists') return 'exists';
    return /^(?:IpAddressGenerationFailure|ExternalIpAddressExhausted)/.test(type) ? 'exhausted' : 'conflict';
  }
  if (status === 501) return 'unsupported';
  return status >= 500 || status === 408 ? 'server-error' : 'invalid';
}

function verdictFor(problem: OpenStackProblem, status: number, notFound: Verdict): Verdict {
  if (problem === 'not-found') return notFound;
  if (problem === 'precondition') return 'stale';
  if (problem === 'unsupported') return 'terminal';
  if (problem === 'invalid') return REPEATED_STATUSES.includes(status) ? 'retriable' : 'terminal';
  // Roles take minutes to spread, quotas are raised, and others give back what they hold.
  return 'retriable';
}

function message(value: unknown, name: string): string {
  return oneLine(textFieldOf(value, name) ?? '');
}
