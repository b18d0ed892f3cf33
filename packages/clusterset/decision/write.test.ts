import type { EndpointSlice } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import type { ServiceImport } from '../mcs/types.ts';
import { testSettings } from '../testing/test-settings.ts';
import { ensureImport, ensureSlice } from './write.ts';

const key = { namespace: 'shop', name: 'web' };

describe('what the server has filled in', () => {
  it('is no difference in a slice', () => {
    const existing: EndpointSlice = {
      metadata: { ...key, labels: { team: 'blue' } },
      addressType: 'IPv4',
      endpoints: [],
      ports: [{ name: '', protocol: 'TCP', port: 80 }],
    };
    const ensured = (ports: EndpointSlice['ports'] & object) =>
      ensureSlice({ at: 'member', key }, existing, {}, { addressType: 'IPv4', endpoints: [], ports });
    expect(ensured([{ port: 80 }])).toEqual([]);
    expect(ensured([{ port: 81 }])).toHaveLength(1);
    expect(ensured([{ port: 80, protocol: 'UDP' }])).toHaveLength(1);
  });

  it('is no difference in an import', () => {
    const existing: ServiceImport = {
      metadata: key,
      spec: { type: 'ClusterSetIP', ports: [{ name: '', protocol: 'TCP', port: 80 }] },
    };
    const target = { at: 'member', resource: testSettings.serviceImports, key } as const;
    const ensured = (spec: ServiceImport['spec']) =>
      ensureImport(target, existing, { spec, labels: {}, annotations: {} });
    expect(ensured({ type: 'ClusterSetIP', ports: [{ port: 80 }] })).toEqual([]);
    expect(ensured({ type: 'Headless', ports: [{ port: 80 }] })).toHaveLength(1);
  });
});
