import { describe, expect, it } from 'vitest';
import type { HealthMonitorSpec } from '../resource/types.ts';
import { testSite } from '../testing/test-site.ts';
import { desiredBalancer } from './desired.ts';

const TIMES = { delay: 5, timeout: 3, max_retries: 1, max_retries_down: 3 };

function monitorFor(protocol: 'TCP' | 'UDP' | 'SCTP', health_monitor: HealthMonitorSpec) {
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Service', name: 'web', uid: 'uid-1' }];
  const spec = { ports: [{ protocol, port: 80, targetPort: '80' }], endpointSlices: [], health_monitor };
  const metadata = { namespace: 'shop', name: 'web', ownerReferences };
  return desiredBalancer({ metadata, spec }, testSite)?.listeners[0]?.pool.monitor;
}

describe('the health monitor of a pool', () => {
  it.each([
    ['TCP', 'TCP'],
    ['UDP', 'UDP-CONNECT'],
    ['SCTP', 'SCTP'],
  ] as const)('asks members by %s as %s', (protocol, type) => {
    expect(monitorFor(protocol, TIMES)).toEqual({ ...TIMES, type });
  });

  it('asks nodes where they tell whether they have endpoints of their own, as kube-proxy answers', () => {
    const http = { type: 'HTTP', http_method: 'GET', url_path: '/healthz', expected_codes: '200' };
    expect(monitorFor('UDP', { ...TIMES, node_port: 32_000 })).toEqual({ ...TIMES, ...http });
  });
});
