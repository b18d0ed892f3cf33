import type { HttpRequest } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { openStackDialect } from './openstack-dialect.ts';

const request = (method: HttpRequest['method'], path: string, headers = {}): HttpRequest => ({
  method,
  url: `http://openstack.test${path}`,
  headers,
});

describe('openStackDialect', () => {
  it.each([
    ['POST', '/identity/v3/auth/tokens', 'POST tokens', ''],
    ['GET', '/network/v2.0/ports?tags=a', 'LIST ports', ''],
    ['GET', '/network/v2.0/ports/p1', 'GET ports', 'p1'],
    ['PUT', '/network/v2.0/floatingips/f1/tags', 'PUT tags', 'f1'],
    ['GET', '/elsewhere', 'GET', '/elsewhere'],
  ] as const)('names %s %s', (method, path, name, subject) => {
    expect(openStackDialect.name(request(method, path))).toEqual({ name, subject });
  });

  it('refuses writes as Neutron does, by the revision where one is named', () => {
    expect(openStackDialect.refusals(request('GET', '/network/v2.0/ports'))).not.toContain(409);
    expect(openStackDialect.refusals(request('PUT', '/network/v2.0/ports/p1'))).toContain(409);
    const conditional = request('PUT', '/network/v2.0/ports/p1', { 'if-match': 'revision_number=1' });
    expect(openStackDialect.refusals(conditional)).toContain(412);
  });
});
