import type { Service, ServiceSpec } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { ADDRESSES_ANNOTATION, demandsOf } from './service-demands.ts';

function service(spec: ServiceSpec, addresses?: string): Service {
  const annotations = addresses === undefined ? {} : { [ADDRESSES_ANNOTATION]: addresses };
  return { metadata: { name: 'web', annotations }, spec: { ports: [{ port: 80 }], ...spec } };
}

describe('demandsOf', () => {
  it('fills in what the API leaves to its defaults', () => {
    expect(demandsOf(service({}))).toEqual({
      ports: [
        {
          name: '',
          protocol: 'TCP',
          port: 80,
          target: { kind: 'number', port: 80 },
          nodePort: undefined,
          appProtocol: undefined,
        },
      ],
      families: ['IPv4'],
      familyPolicy: 'SingleStack',
      externalTraffic: 'Cluster',
      internalTraffic: 'Cluster',
      healthCheckNodePort: undefined,
      affinity: { kind: 'none' },
      sourceRanges: { kind: 'any' },
      addresses: [],
    });
  });

  it('reads ports with named and numeric targets', () => {
    const ports = [
      { name: 'web', protocol: 'TCP', port: 443, targetPort: 'https', nodePort: 30443, appProtocol: 'https' },
      { name: 'dns', protocol: 'UDP', port: 53, targetPort: 5353, nodePort: 0 },
    ] as const;
    expect(demandsOf(service({ ports })).ports).toEqual([
      {
        name: 'web',
        protocol: 'TCP',
        port: 443,
        target: { kind: 'name', name: 'https' },
        nodePort: 30443,
        appProtocol: 'https',
      },
      {
        name: 'dns',
        protocol: 'UDP',
        port: 53,
        target: { kind: 'number', port: 5353 },
        nodePort: undefined,
        appProtocol: undefined,
      },
    ]);
  });

  it('keeps the order of the families, the preferred one first', () => {
    const spec = { ipFamilies: ['IPv6', 'IPv4'], ipFamilyPolicy: 'PreferDualStack' } as const;
    expect(demandsOf(service(spec))).toMatchObject({ families: ['IPv6', 'IPv4'], familyPolicy: 'PreferDualStack' });
  });

  it('tells the families from the cluster addresses where the server does not', () => {
    expect(demandsOf(service({ clusterIPs: ['fd00::1', '10.96.0.1'] })).families).toEqual(['IPv6', 'IPv4']);
    expect(demandsOf(service({ clusterIP: 'fd00::1' })).families).toEqual(['IPv6']);
    expect(demandsOf(service({ clusterIP: 'None', ipFamilies: [] })).families).toEqual(['IPv4']);
  });

  it('has a port for health checks only where traffic stays on the node', () => {
    const port = { healthCheckNodePort: 32000 };
    expect(demandsOf(service({ ...port, externalTrafficPolicy: 'Local' })).healthCheckNodePort).toBe(32000);
    expect(demandsOf(service({ ...port, externalTrafficPolicy: 'Cluster' })).healthCheckNodePort).toBeUndefined();
    const none = { healthCheckNodePort: 0, externalTrafficPolicy: 'Local' } as const;
    expect(demandsOf(service(none)).healthCheckNodePort).toBeUndefined();
  });

  it('reads the traffic policies', () => {
    const spec = { externalTrafficPolicy: 'Local', internalTrafficPolicy: 'Local' } as const;
    expect(demandsOf(service(spec))).toMatchObject({ externalTraffic: 'Local', internalTraffic: 'Local' });
  });

  it('reads the affinity, for three hours unless told otherwise', () => {
    const spec = { sessionAffinity: 'ClientIP' } as const;
    expect(demandsOf(service(spec)).affinity).toEqual({ kind: 'client-ip', timeoutSeconds: 10_800 });
    const short = { ...spec, sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } } };
    expect(demandsOf(service(short)).affinity).toEqual({ kind: 'client-ip', timeoutSeconds: 60 });
  });

  it('refuses a source range it cannot read', () => {
    const spec = { loadBalancerSourceRanges: ['10.0.0.1'] };
    expect(() => demandsOf(service(spec))).toThrow(expect.objectContaining({ code: 'invalid-source-range' }));
  });

  describe('chosen addresses', () => {
    const dualStack = { ipFamilies: ['IPv4', 'IPv6'] } as const;

    it('come from the field or from the annotation, in canonical spelling', () => {
      expect(demandsOf(service({ loadBalancerIP: ' 192.0.2.10 ' })).addresses).toEqual(['192.0.2.10']);
      expect(demandsOf(service(dualStack, '192.0.2.10, 2001:DB8::10')).addresses).toEqual([
        '192.0.2.10',
        '2001:db8::10',
      ]);
      expect(demandsOf(service({ loadBalancerIP: '' }, ' ')).addresses).toEqual([]);
    });

    it.each([
      ['no address', service({ loadBalancerIP: 'web.example.com' }), 'invalid-address', 'web.example.com'],
      ['an address of another family', service({}, '2001:db8::10'), 'invalid-address', 'IPv4 only'],
      ['two of one family', service(dualStack, '192.0.2.1,192.0.2.2'), 'invalid-address', 'keep one'],
      ['an empty piece', service(dualStack, '192.0.2.1,'), 'invalid-address', '""'],
      ['both', service({ loadBalancerIP: '192.0.2.1' }, '192.0.2.1'), 'addresses-asked-twice', 'keep one'],
    ])('are refused when they are %s', (_name, asking, code, hint) => {
      const refused = expect.objectContaining({ verdict: 'terminal', code, message: expect.stringContaining(hint) });
      expect(() => demandsOf(asking)).toThrow(refused);
    });
  });
});
