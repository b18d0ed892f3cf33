import { VirtualClock } from '@fairlead/control';
import { KubeClient, type Service, services } from '@fairlead/kube';
import { FakeApi } from '@fairlead/kube/testing';
import { describe, expect, it } from 'vitest';
import { type ClaimRules, claimService } from './class-claim.ts';
import { holdService, letGoOfService } from './service-finalizer.ts';
import { claimIn } from './testing/claims.ts';

const WEB = '/api/v1/namespaces/shop/services/web';
const rules: ClaimRules = {
  loadBalancerClass: 'fairlead.dev/gateway',
  finalizer: 'fairlead.dev/gateway',
  isDefault: true,
};

function serviceOf(metadata: Partial<Service['metadata']> = {}): Service {
  return { kind: 'Service', metadata: { namespace: 'shop', name: 'web', ...metadata }, spec: { type: 'LoadBalancer' } };
}

function setUp(metadata?: Partial<Service['metadata']>) {
  const api = new FakeApi();
  const clock = new VirtualClock();
  api.put(WEB, serviceOf(metadata));
  const client = new KubeClient(api.connect(clock), clock);
  return { api, client, read: () => client.get(services, { namespace: 'shop', name: 'web' }) };
}

describe('holdService', () => {
  it('adds our finalizer behind those of others in one call, and none the second time', async () => {
    const { api, client, read } = setUp({ finalizers: ['example.com/backup'] });
    const claim = await holdService(client, claimIn('claimed', claimService(await read(), rules)));
    expect(claim.service.metadata.finalizers).toEqual(['example.com/backup', 'fairlead.dev/gateway']);
    expect(await holdService(client, claim)).toEqual(claim);
    expect(api.writes).toHaveLength(1);
  });

  it('goes on from a cache that lags behind', async () => {
    const { api, client, read } = setUp();
    const before = await read();
    api.put(WEB, serviceOf({ finalizers: ['example.com/backup'], labels: { tier: 'front' } }));
    const claim = await holdService(client, claimIn('claimed', claimService(before, rules)));
    expect(claim.service.metadata).toMatchObject({
      finalizers: ['example.com/backup', 'fairlead.dev/gateway'],
      labels: { tier: 'front' },
    });
  });

  it('yields to another part that was quicker', async () => {
    const { api, client, read } = setUp();
    const claim = claimIn('claimed', claimService(await read(), rules));
    api.put(WEB, serviceOf({ finalizers: ['fairlead.dev/octavia'] }));
    await expect(holdService(client, claim)).rejects.toMatchObject({ verdict: 'stale', code: 'claim-lost' });
    const release = claimIn('release', claimService(await read(), rules));
    expect(release.reason).toBe('owned-by-other-part');
    await letGoOfService(client, release);
    expect(api.at(WEB)?.metadata['finalizers']).toEqual(['fairlead.dev/octavia']);
  });

  it('gives up when the Service has begun to be deleted', async () => {
    const { api, client, read } = setUp({ finalizers: ['example.com/backup'] });
    const claim = claimIn('claimed', claimService(await read(), rules));
    await client.delete(services, { namespace: 'shop', name: 'web' });
    // The API server gives an object that is being deleted no new finalizer.
    api.fault = ({ method }) => (method === 'PATCH' ? { status: 422, reason: 'Invalid' } : undefined);
    await expect(holdService(client, claim)).rejects.toMatchObject({ verdict: 'stale' });
    expect(api.at(WEB)?.metadata['finalizers']).toEqual(['example.com/backup']);
  });

  it('gives up when the Service is gone, or another of its name is there', async () => {
    const { api, client, read } = setUp();
    const claim = claimIn('claimed', claimService(await read(), rules));
    api.remove(WEB);
    await expect(holdService(client, claim)).rejects.toMatchObject({ verdict: 'stale', code: 'claim-lost' });
    api.put(WEB, serviceOf({ uid: 'another' }));
    await expect(holdService(client, claim)).rejects.toMatchObject({ verdict: 'stale', code: 'claim-lost' });
    expect(api.at(WEB)?.metadata['finalizers']).toBeUndefined();
  });
});

describe('letGoOfService', () => {
  it('lets a deleted Service go in one call, and takes one that is gone for done', async () => {
    const { api, client, read } = setUp({ finalizers: ['fairlead.dev/gateway'] });
    await client.delete(services, { namespace: 'shop', name: 'web' });
    const claim = claimIn('release', claimService(await read(), rules));
    const before = api.writes.length;
    await letGoOfService(client, claim);
    expect(api.at(WEB)).toBeUndefined();
    expect(api.writes).toHaveLength(before + 1);
    await letGoOfService(client, claim);
  });

  it('leaves the finalizers of others', async () => {
    const finalizers = ['example.com/backup', 'fairlead.dev/gateway', 'fairlead.dev/octavia'];
    const { api, client, read } = setUp({ finalizers });
    const moved: Service = { ...(await read()), spec: { type: 'ClusterIP' } };
    await letGoOfService(client, claimIn('release', claimService(moved, rules)));
    expect(api.at(WEB)?.metadata['finalizers']).toEqual(['example.com/backup', 'fairlead.dev/octavia']);
  });
});
