import { VirtualClock } from '@fairlead/control';
import { KubeClient, type Lease, leases, type Service, services } from '@fairlead/kube';
import { connectionOver } from '@fairlead/kube/testing';
import { describe, expect, it, vi } from 'vitest';
import { parts } from '../parts.ts';
import { reportsWithoutConfiguration } from './without-configuration.ts';

const clock = new VirtualClock();
const condition = { type: 'fairlead.dev/Programmed', status: 'False', reason: 'PortTaken', message: 'by shop/web' };
const service = (loadBalancerClass?: string): Service => ({
  metadata: { namespace: 'shop', name: 'late', uid: 'u' },
  spec: { type: 'LoadBalancer', ...(loadBalancerClass === undefined ? {} : { loadBalancerClass }) },
  status: { conditions: [{ ...condition, status: 'False', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
});
const led: Lease = {
  metadata: { namespace: 'fairlead-system', name: 'fairlead-gateway' },
  spec: {
    holderIdentity: 'pod-1_u',
    leaseDurationSeconds: 15,
    renewTime: new Date(clock.now()).toISOString(),
  },
};

/** Asks why, in a cluster with this Service and what may be read of its leader. */
async function told(found: Service | undefined, lease: Lease | 'forbidden', answer?: string) {
  const connection = connectionOver({ send: () => Promise.reject(new Error('nothing is sent')) }, clock);
  const client = new KubeClient(connection, clock);
  vi.spyOn(client, 'find').mockImplementation(async (resource) => {
    if (resource.plural === services.plural) return found;
    if (resource.plural === leases.plural && lease !== 'forbidden') return lease;
    throw new Error('forbidden');
  });
  vi.spyOn(client, 'list').mockResolvedValue({ items: [], resourceVersion: '1' });
  vi.spyOn(connection, 'token').mockResolvedValue(undefined);
  vi.spyOn(client, 'getText').mockImplementation(() =>
    answer === undefined ? Promise.reject(new Error('forbidden')) : Promise.resolve(answer),
  );
  const cluster = { client, connection, server: 'https://cluster', isPod: false };
  const subject = { kind: 'service', namespace: 'shop', name: 'late' };
  const { signal } = new AbortController();
  return reportsWithoutConfiguration(cluster, parts, { subject, server: undefined, clock, signal });
}

describe('why without a configuration file', () => {
  it('tells what the Service shows, and what would tell more', async () => {
    const [report] = await told(service('fairlead.dev/gateway'), 'forbidden');
    expect(report).toMatchObject({ part: 'gateway', leader: expect.stringContaining('unknown') });
    expect(report?.explanation.there).toEqual(['condition fairlead.dev/Programmed is False (PortTaken): by shop/web']);
    expect(report?.tried).toContain('--config');
  });

  it('asks the leader of the class of the Service at its default place', async () => {
    const explanation = { answer: 'waits for its port', state: 'stuck', wanted: [], there: [] };
    const answer = JSON.stringify({ cluster: '', standing: { kind: 'leads' }, explanation, entries: [] });
    const [report] = await told(service('fairlead.dev/gateway'), led, answer);
    expect(report).toMatchObject({ part: 'gateway', leader: 'led by pod-1', explanation, tried: [] });
  });

  it('believes what the Service shows rather than a replica that stands by', async () => {
    const explanation = { answer: 'all is well', state: 'as-wanted', wanted: [], there: [] };
    const answer = JSON.stringify({ cluster: '', standing: { kind: 'stands-by' }, explanation, entries: [] });
    const [report] = await told(service('fairlead.dev/gateway'), led, answer);
    expect(report?.explanation.answer).toBe('Service shop/late shows no address.');
  });

  it('asks nobody about a Service of no class of ours, and has no report of one that is not there', async () => {
    const [report] = await told(service(), led, '{}');
    expect(report).toMatchObject({ part: 'fairlead', tried: expect.stringContaining('--config') });
    expect(await told(undefined, led)).toEqual([]);
  });
});
