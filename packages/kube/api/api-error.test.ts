import { cpuTime } from '@fairlead/control/testing';
import { describe, expect, it } from 'vitest';
import { response } from '../testing/responses.ts';
import type { Status } from '../types/meta.ts';
import {
  ApiError,
  apiErrorFromResponse,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isUnauthorized,
} from './api-error.ts';

const NOW = Date.parse('2026-11-15T10:00:00Z');
const request = { method: 'GET', path: '/api/v1/services' } as const;

async function failure(status: number, body: string | object, headers: Record<string, string> = {}): Promise<ApiError> {
  return apiErrorFromResponse(request, response(status, body, headers), NOW);
}

const status = (code: number, reason: string, message = reason): Status => ({
  kind: 'Status',
  status: 'Failure',
  code,
  reason,
  message,
});

describe('ApiError', () => {
  it.each([
    [400, 'BadRequest', 'terminal'],
    [401, 'Unauthorized', 'retriable'],
    [403, 'Forbidden', 'terminal'],
    [404, 'NotFound', 'stale'],
    [405, 'MethodNotAllowed', 'terminal'],
    [408, 'Timeout', 'retriable'],
    [409, 'Conflict', 'stale'],
    [409, 'AlreadyExists', 'stale'],
    [410, 'Expired', 'stale'],
    [413, 'RequestEntityTooLarge', 'terminal'],
    [422, 'Invalid', 'terminal'],
    [429, 'TooManyRequests', 'retriable'],
    [500, 'InternalError', 'retriable'],
    [503, 'ServiceUnavailable', 'retriable'],
    [504, 'Timeout', 'retriable'],
  ] as const)('takes a %i %s for %s and keeps the reason as its code', async (code, reason, verdict) => {
    const error = await failure(code, status(code, reason));
    expect(error).toMatchObject({ status: code, reason, code: reason, verdict });
  });

  it('is terminal when another manager owns the field that was applied', async () => {
    const body = { ...status(409, 'Conflict'), details: { causes: [{ reason: 'FieldManagerConflict' }] } };
    expect(await failure(409, body)).toMatchObject({ verdict: 'terminal', causes: ['FieldManagerConflict'] });
  });

  it('is stale when the namespace it writes to is going away', async () => {
    const body = { ...status(403, 'Forbidden'), details: { causes: [{ reason: 'NamespaceTerminating' }] } };
    expect(await failure(403, body)).toMatchObject({ verdict: 'stale' });
  });

  it('names the request, the server message and the status in one line', async () => {
    const error = await failure(404, status(404, 'NotFound', 'services "web"\nnot found'));
    expect(error.message).toBe('GET /api/v1/services: services "web" not found (404 NotFound)');
  });

  it('says who lacks which permission where, and the fix', async () => {
    const told =
      'leases.coordination.k8s.io is forbidden: User "system:serviceaccount:fairlead:controller" cannot create ' +
      'resource "leases" in API group "coordination.k8s.io" in the namespace "fairlead"';
    expect((await failure(403, status(403, 'Forbidden', told))).message).toBe(
      'GET /api/v1/services: system:serviceaccount:fairlead:controller may not create leases.coordination.k8s.io ' +
        'in namespace fairlead (403 Forbidden): allow it in a Role or ClusterRole',
    );
    const clusterWide =
      'services is forbidden: User "eve" cannot list resource "services" in API group "" at the cluster scope';
    expect((await failure(403, status(403, 'Forbidden', clusterWide))).message).toBe(
      'GET /api/v1/services: eve may not list services in the whole cluster (403 Forbidden): allow it in a ClusterRole',
    );
  });

  it('keeps the words of a refusal that is not about permissions', async () => {
    const error = await failure(403, status(403, 'Forbidden', 'exceeded quota: small'));
    expect(error.message).toContain('exceeded quota: small (403 Forbidden)');
  });

  it('waits as long as Retry-After says, in seconds or as a date', async () => {
    expect((await failure(429, '', { 'retry-after': '7' })).retryAfterMilliseconds).toBe(7000);
    const date = 'Sun, 15 Nov 2026 10:00:30 GMT';
    expect((await failure(429, '', { 'retry-after': date })).retryAfterMilliseconds).toBe(30_000);
    const past = 'Sun, 15 Nov 2026 09:00:00 GMT';
    expect((await failure(503, '', { 'retry-after': past })).retryAfterMilliseconds).toBe(0);
    expect((await failure(503, '', { 'retry-after': 'soon' })).retryAfterMilliseconds).toBeUndefined();
  });

  it('falls back on the delay in the details', async () => {
    const body = { ...status(504, 'Timeout'), details: { retryAfterSeconds: 2 } };
    expect((await failure(504, body)).retryAfterMilliseconds).toBe(2000);
    expect((await failure(504, body, { 'retry-after': '1' })).retryAfterMilliseconds).toBe(1000);
  });

  it('waits for no more than a minute at the word of a server or a proxy', async () => {
    const body = { ...status(429, 'TooManyRequests'), details: { retryAfterSeconds: 2_000_000_000 } };
    expect((await failure(429, body)).retryAfterMilliseconds).toBe(60_000);
    expect((await failure(503, 'later', { 'retry-after': '3600' })).retryAfterMilliseconds).toBe(60_000);
  });

  it('understands an answer that is not from the API server itself', async () => {
    const error = await failure(502, `<html><h1>502 Bad Gateway</h1>${'x'.repeat(100_000)}</html>`);
    expect(error).toMatchObject({ status: 502, code: 'BadGateway', verdict: 'retriable' });
    expect(error.message.length).toBeLessThan(300);
    expect(error.message).toContain('502 Bad Gateway');
    expect(await failure(418, '')).toMatchObject({ code: 'http-418', verdict: 'terminal' });
  });

  it('reads no more than the beginning of a page without end', async () => {
    let bytes = 0;
    async function* pages() {
      for (; bytes < 10_000_000; bytes += 1024) yield new Uint8Array(1024).fill(0x20);
    }
    await apiErrorFromResponse(request, { status: 502, headers: {}, body: pages() }, NOW);
    expect(bytes).toBeLessThanOrEqual(65_536);
  });

  it.each(['<', 'User "', 'User "" cannot x resource "" in API group "', ' x', '<a ', '"'])(
    'takes no time over a page full of %j',
    async (repeated) => {
      const body = repeated.repeat(65_536 / repeated.length);
      const work = async () => {
        const errors = [await failure(502, body), await failure(403, { kind: 'Status', message: body })];
        for (const { message } of errors) expect(message.length).toBeLessThan(2_200);
      };
      expect(await cpuTime(work)).toBeLessThan(200);
    },
  );

  it.each([
    { message: 5 },
    { reason: 7 },
    { code: '503' },
    { details: null },
    { details: { causes: {} } },
    { details: { causes: [null] } },
    { details: { retryAfterSeconds: 'soon' } },
  ])('does not take just anything for a Status: %j', async (odd) => {
    const error = await failure(503, { kind: 'Status', ...odd });
    expect(error).toMatchObject({ verdict: 'retriable', code: 'ServiceUnavailable' });
    expect(error.message).toContain(JSON.stringify(odd).slice(1));
  });

  it('believes the status line rather than the body', async () => {
    expect((await failure(503, status(200, 'ServiceUnavailable'))).status).toBe(503);
  });

  it('survives a body that breaks off', async () => {
    const error = await apiErrorFromResponse(
      request,
      {
        status: 500,
        headers: {},
        body: (async function* broken() {
          yield new TextEncoder().encode('{"kind":');
          throw new Error('connection reset');
        })(),
      },
      NOW,
    );
    expect(error).toMatchObject({ status: 500, verdict: 'retriable' });
  });

  it('is told apart by predicates', () => {
    const of = (code: number, reason: string) => new ApiError('GET /', status(code, reason));
    expect(isNotFound(of(404, 'NotFound'))).toBe(true);
    expect(isConflict(of(409, 'Conflict'))).toBe(true);
    expect(isConflict(of(409, 'AlreadyExists'))).toBe(false);
    expect(isAlreadyExists(of(409, 'AlreadyExists'))).toBe(true);
    expect(isAlreadyExists(of(409, 'Conflict'))).toBe(false);
    expect(isUnauthorized(of(401, 'Unauthorized'))).toBe(true);
    expect(isForbidden(of(403, 'Forbidden'))).toBe(true);
    expect(isGone(of(410, 'Expired'))).toBe(true);
    expect(isInvalid(of(422, 'Invalid'))).toBe(true);
    expect(isNotFound(new Error('while reading', { cause: of(404, 'NotFound') }))).toBe(true);
    expect(isNotFound(new Error('not an ApiError'))).toBe(false);
  });
});
