import type { HttpRequest } from '@fairlead/control';
import { type Dialect, isWrite, pathOf, type RequestName } from './dialect.ts';

const REASONS: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  502: 'BadGateway',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

const WRITE_REFUSALS = [401, 409, 429, 500, 503, 504] as const;
const CREATE_REFUSALS = [401, 429, 500, 503, 504] as const;
const READ_REFUSALS = [401, 429, 500, 503, 504] as const;
const POINT_IN_TIME_REFUSALS = [401, 410, 410, 429, 500, 503, 504] as const;

/** Kubernetes: calls are named by verb and resource, and errors are Status objects. */
export const kubernetesDialect: Dialect = {
  name: nameOf,
  refusals(request) {
    if (request.method === 'POST') return CREATE_REFUSALS;
    if (isWrite(request)) return WRITE_REFUSALS;
    // Only what goes on from an earlier answer can be told that it is too old.
    return /[?&](continue|resourceVersion)=[^&0]/.test(request.url) ? POINT_IN_TIME_REFUSALS : READ_REFUSALS;
  },
  refusal: (status) => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(statusObject(status)),
  }),
  streamErrors: [410, 500],
  streamError: (status) => `${JSON.stringify({ type: 'ERROR', object: statusObject(status) })}\n`,
};

function statusObject(status: number): object {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `simulated ${status}`,
    reason: REASONS[status] ?? 'Unknown',
    code: status,
  };
}

function nameOf(request: HttpRequest): RequestName {
  const path = pathOf(request.url);
  const segments = path.split('/').slice(1).map(decodeURIComponent);
  const rest = segments[0] === 'api' ? segments.slice(2) : segments[0] === 'apis' ? segments.slice(3) : [];
  const inNamespace = rest[0] === 'namespaces' && rest.length > 2 && rest[2] !== 'status' && rest[2] !== 'finalize';
  const [resource, name, subresource] = inNamespace ? rest.slice(2) : rest;
  if (resource === undefined) return { name: `${request.method.toLowerCase()} ${path}`, subject: '' };
  const subject = [inNamespace ? rest[1] : undefined, name].filter((part) => part !== undefined).join('/');
  const what = subresource === undefined ? resource : `${resource}/${subresource}`;
  return { name: `${verbOf(request, name !== undefined)} ${what}`, subject };
}

function verbOf(request: HttpRequest, isOne: boolean): string {
  switch (request.method) {
    case 'GET':
    case 'HEAD': {
      if (/[?&]watch=(1|true)(&|$)/.test(request.url)) return 'watch';
      return isOne ? 'get' : 'list';
    }
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return request.headers['content-type']?.startsWith('application/apply-patch') === true ? 'apply' : 'patch';
    case 'DELETE':
      return isOne ? 'delete' : 'deletecollection';
    case 'OPTIONS':
      return 'options';
  }
}
