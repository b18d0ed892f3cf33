import type { Service } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { keptService, readLocalExport } from './local-export.ts';
import { derivedLabels } from './marks.ts';

const whole: Service = {
  metadata: {
    namespace: 'shop',
    name: 'web',
    uid: 'u-1',
    resourceVersion: '7',
    labels: { app: 'x'.repeat(60) },
    annotations: { note: 'x'.repeat(200_000) },
    finalizers: ['example.com/hold'],
  },
  spec: {
    type: 'ClusterIP',
    clusterIP: '10.0.0.1',
    clusterIPs: ['10.0.0.1'],
    ipFamilies: ['IPv4'],
    ports: [{ name: 'http', port: 80, appProtocol: 'h2c' }],
    selector: { app: 'web' },
    sessionAffinity: 'ClientIP',
    sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } },
    internalTrafficPolicy: 'Local',
    trafficDistribution: 'PreferClose',
  },
  status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
};

describe('what is kept of a Service', () => {
  it('is what is exported of it, and nothing else that its owner can fill', () => {
    const kept = keptService(whole);
    const { metadata, spec } = whole;
    const { selector: _, ...exported } = spec;
    const { namespace, name, uid, resourceVersion } = metadata;
    expect(kept).toEqual({ metadata: { namespace, name, uid, resourceVersion }, spec: exported });
    const serviceExport = { metadata: { namespace: 'shop', name: 'web' } };
    const read = (service: Service) => {
      const found = readLocalExport(serviceExport, service, 'east', true);
      return found.kind === 'valid' ? found.fields : found;
    };
    expect(read(kept)).toEqual(read(whole));
    expect(read(kept)).toMatchObject({ affinitySeconds: 60, trafficDistribution: 'PreferClose' });
  });

  it('is all of one that we derived, which is written as a whole', () => {
    const derived = { ...whole, metadata: { ...whole.metadata, labels: derivedLabels('web') } };
    expect(keptService(derived)).toBe(derived);
  });
});
