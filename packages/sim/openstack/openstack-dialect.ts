import { type Dialect, isWrite, pathOf } from '../simulation/network/dialect.ts';
import { octaviaError } from './octavia/refusals.ts';
import { neutronError, Refusal, UNAUTHORIZED } from './refusal.ts';
import { isCollection, kindOf, LOAD_BALANCER_PATH, nameOf, parseTarget } from './target.ts';

const TYPES: Readonly<Record<number, string>> = {
  409: 'Conflict',
  412: 'RevisionNumberConstraintFailed',
  429: 'OverLimit',
  500: 'HTTPInternalServerError',
};
const READ_REFUSALS = [401, 429, 500, 502, 503, 504] as const;

/** OpenStack to the simulated network: calls are named as its client names them. */
export const openStackDialect: Dialect = {
  name(request) {
    const path = decodeURIComponent(pathOf(request.url));
    const target = parseTarget(path);
    if (target === undefined) return { name: request.method, subject: path };
    const subject = nameOf(target);
    const isList = request.method === 'GET' && isCollection(target);
    return { name: `${isList ? 'LIST' : request.method} ${kindOf(target)}`, subject };
  },
  refusals(request) {
    if (!isWrite(request)) return READ_REFUSALS;
    return [...READ_REFUSALS, request.headers['if-match'] === undefined ? 409 : 412];
  },
  refusal(status, request) {
    // What stands before the services has no JSON.
    if (status === 502 || status === 503 || status === 504) {
      return { headers: { 'content-type': 'text/html' }, body: `<html><body><h1>${status}</h1></body></html>` };
    }
    if (status !== 401 && pathOf(request.url).startsWith(LOAD_BALANCER_PATH)) {
      const message = status === 409 ? 'Load Balancer x is immutable and cannot be updated.' : `simulated ${status}`;
      const body = JSON.stringify(octaviaError(new Refusal(status, status < 500 ? 'Client' : 'Server', message)));
      return { headers: { 'content-type': 'application/json' }, body };
    }
    const message = status === 401 ? UNAUTHORIZED : `simulated ${status}`;
    const body = JSON.stringify(neutronError(new Refusal(status, TYPES[status] ?? 'Unauthorized', message)));
    return { headers: { 'content-type': 'application/json' }, body };
  },
  streamErrors: [],
  streamError: () => '',
};
