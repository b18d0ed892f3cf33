import type { Service } from '@fairlead/kube';
import { describe, expect, it } from 'vitest';
import { gatewayConfiguration, poolsOf } from './configuration.ts';
import { keptRequest, recordedHolding } from './desired.ts';

const certificates = { certificateFile: 'certificate', keyFile: 'key', authorityFile: 'authority' };
const pools = poolsOf(
  gatewayConfiguration().parse({
    certificates,
    pools: [
      { name: 'bare', addresses: ['192.0.2.1'] },
      { name: 'public', addresses: ['192.0.2.2'], gateways: [{ name: 'gw', url: 'https://gw' }] },
    ],
  }),
);

function service(spec: Service['spec'], annotations: Readonly<Record<string, string>> = {}): Service {
  return { metadata: { namespace: 'shop', name: 'web', annotations }, spec: { ports: [{ port: 80 }], ...spec } };
}

describe('what a Service that cannot be honoured goes on with', () => {
  it('is not where nothing would keep out whom it shuts out', () => {
    expect(keptRequest(service({}), pools)?.permittedPools).toEqual(['bare', 'public']);
    const loadBalancerSourceRanges = ['198.51.100.0/24'];
    expect(keptRequest(service({ loadBalancerSourceRanges }), pools)?.permittedPools).toEqual(['public']);
  });
});

describe('what annotations record', () => {
  const record = (more: string) => ({
    'gateway.fairlead.dev/l2-ports': `192.0.2.2${more}`,
    'gateway.fairlead.dev/l4-ports': 'TCP/80',
  });

  it('is not even taken apart where it is longer than any that we write', () => {
    expect(recordedHolding(service({}, record('')), []).l2Ports).toEqual(['192.0.2.2']);
    expect(recordedHolding(service({}, record(','.repeat(20_000))), []).l2Ports).toEqual([]);
  });
});
