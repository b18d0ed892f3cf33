import type { HttpRequest } from '@fairlead/control';
import { type Dialect, isWrite, pathOf, type RequestName } from '../simulation/network/dialect.ts';
import { errorBody } from './requests/refusal.ts';
import { kindOf, nameOf, parseTarget, type Target } from './requests/target.ts';

const CODES: Readonly<Record<number, string>> = {
  409: 'AnotherOperationInProgress',
  412: 'PreconditionFailed',
  429: 'TooManyRequests',
  500: 'InternalServerError',
  502: 'BadGateway',
  503: 'ServiceUnavailable',
  504: 'GatewayTimeout',
};
const READ_REFUSALS = [429, 500, 502, 503, 504] as const;
const WRITE_REFUSALS = [409, 429, 500, 502, 503, 504] as const;

/** Azure Resource Manager to the simulated network: calls are named as its client names them. */
export const armDialect: Dialect = {
  name(request) {
    const path = decodeURIComponent(pathOf(request.url));
    const target = parseTarget(path);
    return target === undefined ? { name: request.method, subject: path } : named(request, target);
  },
  refusals(request) {
    if (!isWrite(request)) return READ_REFUSALS;
    return request.headers['if-match'] === undefined ? WRITE_REFUSALS : [...WRITE_REFUSALS, 412];
  },
  refusal: (status) => ({
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(errorBody({ code: CODES[status] ?? 'Unknown', message: `simulated ${status}` })),
  }),
  streamErrors: [],
  streamError: () => '',
};

function named(request: HttpRequest, target: Target): RequestName {
  if (target.type === 'operation') return { name: 'POLL', subject: '' };
  const isList = target.type === 'resources' || target.type === 'children' || target.type === 'table';
  return { name: `${isList ? 'LIST' : request.method} ${kindOf(target)}`, subject: nameOf(target) };
}
