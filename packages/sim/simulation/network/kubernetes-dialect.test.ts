import type { HttpRequest } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { kubernetesDialect } from './kubernetes-dialect.ts';

const request = (method: HttpRequest['method'], path: string, contentType?: string): HttpRequest => ({
  method,
  url: `https://kube:6443${path}`,
  headers: contentType === undefined ? {} : { 'content-type': contentType },
});

describe('the dialect of Kubernetes', () => {
  it.each([
    ['GET', '/api/v1/services', 'list services', ''],
    ['GET', '/api/v1/services?watch=true&resourceVersion=5', 'watch services', ''],
    ['GET', '/api/v1/namespaces/default/services?limit=500', 'list services', 'default'],
    ['GET', '/api/v1/namespaces/default/services/web', 'get services', 'default/web'],
    ['POST', '/api/v1/namespaces/default/events', 'create events', 'default'],
    ['PUT', '/apis/coordination.k8s.io/v1/namespaces/a/leases/b', 'update leases', 'a/b'],
    ['PATCH', '/api/v1/namespaces/default/services/web/status', 'patch services/status', 'default/web'],
    ['DELETE', '/api/v1/namespaces/default/pods/web', 'delete pods', 'default/web'],
    ['DELETE', '/api/v1/namespaces/default/pods', 'deletecollection pods', 'default'],
    ['GET', '/api/v1/namespaces', 'list namespaces', ''],
    ['GET', '/api/v1/namespaces/default', 'get namespaces', 'default'],
    ['PUT', '/api/v1/namespaces/default/finalize', 'update namespaces/finalize', 'default'],
    ['GET', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/x', 'get customresourcedefinitions', 'x'],
    ['GET', '/readyz', 'get /readyz', ''],
    ['GET', '/apis/apps', 'get /apis/apps', ''],
  ] as const)('calls %s %s «%s» of «%s»', (method, path, name, subject) => {
    expect(kubernetesDialect.name(request(method, path))).toEqual({ name, subject });
  });

  it('tells server-side apply from other patches', () => {
    const path = '/api/v1/namespaces/default/services/web';
    const apply = request('PATCH', path, 'application/apply-patch+yaml');
    expect(kubernetesDialect.name(apply).name).toBe('apply services');
    expect(kubernetesDialect.name(request('PATCH', path, 'application/merge-patch+json')).name).toBe('patch services');
  });

  it('says «too old» only to requests that go on from an earlier answer', () => {
    const refusals = (path: string) => kubernetesDialect.refusals(request('GET', path));
    expect(refusals('/api/v1/services')).not.toContain(410);
    expect(refusals('/api/v1/services?resourceVersion=0')).not.toContain(410);
    expect(refusals('/api/v1/services?watch=true&resourceVersion=17')).toContain(410);
    expect(refusals('/api/v1/services?limit=5&continue=abc')).toContain(410);
  });

  it('says «conflict» to writes, but not to the creation of something new', () => {
    const refusals = (method: HttpRequest['method']) =>
      kubernetesDialect.refusals(request(method, '/api/v1/services/x'));
    expect(refusals('PUT')).toContain(409);
    expect(refusals('POST')).not.toContain(409);
    expect(refusals('GET')).not.toContain(409);
  });

  it('refuses with a Status, also within a stream', () => {
    expect(
      JSON.parse(kubernetesDialect.refusal(409, request('PUT', '/api/v1/namespaces/a/pods/b')).body),
    ).toMatchObject({
      kind: 'Status',
      code: 409,
      reason: 'Conflict',
    });
    const line = kubernetesDialect.streamError(410);
    expect(line.endsWith('\n')).toBe(true);
    expect(JSON.parse(line)).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } });
  });
});
