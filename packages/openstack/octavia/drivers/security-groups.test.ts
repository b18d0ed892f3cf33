import { expect, it } from 'vitest';
import { desiredBalancer } from '../balancer/desired.ts';
import type { KuryrLoadBalancer } from '../resource/types.ts';
import { testSite } from '../testing/test-site.ts';
import { memberRules } from './security-groups.ts';

it('lets the health of nodes be asked by TCP, whatever the ports are that they serve', () => {
  const spec = {
    ports: [{ protocol: 'UDP', port: 53, targetPort: '30053' }],
    endpointSlices: [{ endpoints: [{ addresses: ['10.1.0.1'] }], ports: [{ protocol: 'UDP', port: 30_053 }] }],
    health_monitor: { delay: 5, timeout: 3, max_retries: 1, max_retries_down: 3, node_port: 32_000 },
  } as const;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Service', name: 'dns', uid: 'uid-1' }];
  const resource: KuryrLoadBalancer = { metadata: { namespace: 'shop', name: 'dns', ownerReferences }, spec };
  const desired = desiredBalancer(resource, testSite);
  const rules = desired === undefined ? [] : memberRules(desired, ['nodes'], ['10.0.0.0/24']);
  expect(rules.map(({ protocol, port_range_min }) => [protocol, port_range_min])).toEqual([
    ['udp', 30_053],
    ['tcp', 32_000],
  ]);
});
