import type { HttpRequest } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { armDialect } from './arm-dialect.ts';
import { ids } from './testing/samples.ts';

const request = (method: HttpRequest['method'], path: string, headers = {}): HttpRequest => ({
  method,
  url: `https://arm.test${path}?api-version=2026-01-01`,
  headers,
});
const operation = '/subscriptions/sub/providers/Microsoft.Network/locations/emulated/operations/1';

describe('the dialect of Azure Resource Manager', () => {
  it.each([
    ['PUT', ids.publicIp('web'), 'PUT publicIPAddresses', 'web-pip'],
    ['DELETE', ids.pool('web'), 'DELETE backendAddressPools', 'web/web'],
    ['GET', ids.list('loadBalancers'), 'LIST loadBalancers', ''],
    ['GET', `${ids.gateway}/services`, 'LIST services', 'sgw'],
    ['POST', `${ids.gateway}/updateServices`, 'POST updateServices', 'sgw'],
    ['GET', operation, 'POLL', ''],
    ['GET', '/elsewhere', 'GET', '/elsewhere'],
  ] as const)('names %s %s', (method, path, name, subject) => {
    expect(armDialect.name(request(method, path))).toEqual({ name, subject });
  });

  it('refuses as Azure may: a conflict only for a write, a failed condition only where there is one', () => {
    expect(armDialect.refusals(request('GET', ids.gateway))).not.toContain(409);
    expect(armDialect.refusals(request('PUT', ids.gateway))).toContain(409);
    expect(armDialect.refusals(request('PUT', ids.gateway))).not.toContain(412);
    expect(armDialect.refusals(request('PUT', ids.gateway, { 'if-match': 'x' }))).toContain(412);
    expect(JSON.parse(armDialect.refusal(409, request('PUT', ids.publicIp('web'))).body)).toMatchObject({
      error: { code: 'AnotherOperationInProgress' },
    });
  });
});
