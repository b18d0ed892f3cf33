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
    ['POST', '/load-balancer/v2/lbaas/loadbalancers', 'POST loadbalancers', ''],
    ['GET', '/load-balancer/v2/lbaas/loadbalancers/l1/status', 'GET status', 'l1'],
    ['GET', '/load-balancer/v2/lbaas/pools/p1/members?limit=9', 'LIST members', 'p1'],
    ['PUT', '/load-balancer/v2/lbaas/pools/p1/members', 'PUT members', 'p1'],
    ['DELETE', '/load-balancer/v2.0/lbaas/pools/p1/members/m1', 'DELETE members', 'm1'],
    ['GET', '/load-balancer/', 'GET versions', ''],
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

  it('says no in the words of the service that is asked', () => {
    const said = (path: string) => openStackDialect.refusal(409, request('PUT', path)).body;
    expect(said('/network/v2.0/ports/p1')).toContain('NeutronError');
    expect(said('/load-balancer/v2/lbaas/pools/p1')).toContain('is immutable and cannot be updated.');
  });
});
