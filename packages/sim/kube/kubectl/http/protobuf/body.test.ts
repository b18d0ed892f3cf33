import { describe, expect, it } from 'vitest';
import { withReadableBody } from './body.ts';

/** As a program written in Go sends them. */
const POD =
  'azhzAAoJCgJ2MRIDUG9kEvMBCh8KA29uZRIAGgAiACoAMgA4AEIAWgoKA2FwcBIDd2ViEroBChYKCHNldHRpbmdzEgqaAQcKBQoDd2ViEnUKBG1haW4SBW5naW54KgA6GAoDS0VZEgAaDyINCgYKBGtleXMSAWsYAUISChAKBm1lbW9yeRIGCgQ2NE1pWiYKGhIYCgYvcmVhZHkSCggBEAAaBGh0dHAaACIAEAAYACADKAAwAGoAcgCAAQCIAQCQAQCiAQAaADIAQgBKAFIAWABgAGgAcg0gByD///////////8BggEAigEAmgEAwgEAGhMKABoAIgAqADIASgBaAHIAiAEAGgAiAA==';
const SERVICE =
  'azhzAAoNCgJ2MRIHU2VydmljZRI+ChMKA3dlYhIAGgAiACoAMgA4AEIAEiMKEQoAEgAYUCIHCAAQkD8aACgAGgAiADoAQgBSAFoAYABoABoCCgAaACIA';
const SECRET = 'azhzAAoMCgJ2MRIGU2VjcmV0EiMKFAoEa2V5cxIAGgAiACoAMgA4AEIAEgkKAWsSBGh1c2gaABoAIgA=';
const LEASE =
  'azhzAAofChZjb29yZGluYXRpb24uazhzLmlvL3YxEgVMZWFzZRJRCjoKAWwSABoAIgAqADIAOABCAIoBJgoBbRIAGgAiCAjA1JDNBhAAMgA6DwoNeyJmOnNwZWMiOnt9fUIAEhMKAm1lEA8iCwjA1JDNBhCA5Zp3GgAiAA==';
const DELETE_OPTIONS = 'azhzAAoTCgJ2MRINRGVsZXRlT3B0aW9ucxIMCAASAxIBNyoDQWxsGgAiAA==';
const REVIEW =
  'azhzAAouChdhdXRob3JpemF0aW9uLms4cy5pby92MRITU3ViamVjdEFjY2Vzc1JldmlldxJwChAKABIAGgAiACoAMgA4AEIAElIKKgoAEgRsaXN0GgAiACoEcG9kczIAOgBKEgoAEg4KA2FwcBICSW4aA3dlYhoDYWRhIgRjcmV3KhcKBnNjb3BlcxINCgRyZWFkCgV3cml0ZTIAGggIABIAGgAgABoAIgA=';
const DEFINITION =
  'azhzAAozChdhcGlleHRlbnNpb25zLms4cy5pby92MRIYQ3VzdG9tUmVzb3VyY2VEZWZpbml0aW9uEjMKEQoBeBIAGgAiACoAMgA4AEIAEhAKABoICgASACIAKgAiAFAAGgwSCAoAEgAiACoAIAAaACIA';

const PROTOBUF = { 'content-type': 'application/vnd.kubernetes.protobuf' };

function decoded(base64: string): unknown {
  const { headers, body = '' } = withReadableBody(PROTOBUF, Buffer.from(base64, 'base64'));
  expect(headers).toEqual({ 'content-type': 'application/json' });
  return JSON.parse(body);
}

describe('a body in protobuf', () => {
  it('becomes the JSON that says the same', () => {
    expect(decoded(SERVICE)).toMatchObject({
      kind: 'Service',
      apiVersion: 'v1',
      metadata: { name: 'web', creationTimestamp: null },
      spec: { ports: [{ port: 80, targetPort: 8080 }] },
    });
    expect(decoded(SECRET)).toMatchObject({ data: { k: Buffer.from('hush').toString('base64') } });
    expect(decoded(DELETE_OPTIONS)).toEqual({
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      gracePeriodSeconds: 0,
      preconditions: { resourceVersion: '7' },
      dryRun: ['All'],
    });
  });

  it('keeps in place what JSON does not nest', () => {
    expect(decoded(POD)).toMatchObject({
      metadata: { labels: { app: 'web' } },
      spec: {
        volumes: [{ name: 'settings', configMap: { name: 'web' } }],
        securityContext: { supplementalGroups: [7, -1] },
        containers: [
          {
            name: 'main',
            resources: { limits: { memory: '64Mi' } },
            env: [{ name: 'KEY', valueFrom: { secretKeyRef: { name: 'keys', key: 'k', optional: true } } }],
            readinessProbe: { httpGet: { path: '/ready', port: 'http' }, periodSeconds: 3 },
          },
        ],
      },
    });
  });

  it('has lists within a map', () => {
    expect(decoded(REVIEW)).toMatchObject({
      spec: {
        resourceAttributes: { verb: 'list', labelSelector: { requirements: [{ key: 'app', values: ['web'] }] } },
        user: 'ada',
        groups: ['crew'],
        extra: { scopes: ['read', 'write'] },
      },
      status: { allowed: false },
    });
  });

  it('tells times to the second or to the microsecond', () => {
    expect(decoded(LEASE)).toMatchObject({
      metadata: { managedFields: [{ manager: 'm', time: '2026-03-01T12:00:00Z', fieldsV1: { 'f:spec': {} } }] },
      spec: { holderIdentity: 'me', leaseDurationSeconds: 15, renewTime: '2026-03-01T12:00:00.250000Z' },
    });
  });

  it('is left for the server to refuse when it cannot be read', () => {
    const whole = Buffer.from(SERVICE, 'base64');
    const broken = [
      whole.subarray(0, -20),
      whole.subarray(4),
      Buffer.from(DEFINITION, 'base64'),
      Buffer.from('k8s\0\xff'),
    ];
    for (const bytes of broken) expect(withReadableBody(PROTOBUF, bytes)).toEqual({ headers: PROTOBUF });
  });

  it('leaves other bodies alone', () => {
    const headers = { 'content-type': 'application/yaml' };
    expect(withReadableBody(headers, Buffer.from('a: b'))).toEqual({ headers, body: 'a: b' });
    expect(withReadableBody(headers, new Uint8Array())).toEqual({ headers });
  });
});
