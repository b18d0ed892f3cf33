import { silentLogger, VirtualClock } from '@fairlead/control';
import { result } from '@fairlead/control/testing';
import { KubeClient } from '@fairlead/kube';
import { FakeApi } from '@fairlead/kube/testing';
import { describe, expect, it } from 'vitest';
import { AzureResourceLocker } from './azure-resource-locker.ts';

const PATH = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/aks-managed-resource-locker';
const { signal } = new AbortController();

function world(latency = 0) {
  const clock = new VirtualClock();
  const api = new FakeApi();
  const client = new KubeClient(api.connect(clock, latency), clock);
  const leading = { mayWrite: true };
  const leadership = { epoch: 1, signal, covers: () => leading.mayWrite };
  const locker = new AzureResourceLocker({ client, clock, logger: silentLogger, leadership });
  const heldBy = (holderIdentity: string, spec: object = {}) =>
    api.put(PATH, {
      metadata: { namespace: 'kube-system', name: 'aks-managed-resource-locker' },
      spec: { holderIdentity, leaseDurationSeconds: 900, renewTime: new Date(clock.now()).toISOString(), ...spec },
    });
  return { clock, api, locker, leading, heldBy, lease: () => api.at(PATH) };
}
const locked = expect.objectContaining({ verdict: 'retriable', code: 'azure-resources-locked' });

describe('the lock of the Azure resources', () => {
  it('is a Lease that is made when it is not there, and given back with a note of who had it', async () => {
    const { locker, lease } = world();
    const holding = await locker.acquire(signal);
    expect(lease()).toMatchObject({
      spec: {
        holderIdentity: 'fairlead-azure-local',
        leaseDurationSeconds: 900,
        acquireTime: '2026-01-01T00:00:00.000000Z',
        renewTime: '2026-01-01T00:00:00.000000Z',
      },
    });
    await holding.release();
    expect(lease()).toMatchObject({
      metadata: { annotations: { 'aks-managed-resource-locker-previous-holder': 'fairlead-azure-local' } },
      spec: { holderIdentity: '' },
    });
    await expect(locker.acquire(signal)).resolves.toBeDefined();
  });

  it('is left to the component that holds it, until that expires', async () => {
    const { locker, clock, heldBy, lease } = world();
    heldBy('aks-resource-provider');
    await expect(locker.acquire(signal)).rejects.toThrowError(locked);
    await clock.advance(900_000);
    await expect(locker.acquire(signal)).rejects.toThrowError(locked);
    await clock.advance(1);
    await locker.acquire(signal);
    expect(lease()).toMatchObject({ spec: { holderIdentity: 'fairlead-azure-local' } });
  });

  it('is left to the cloud-controller-manager while that holds it under its own name', async () => {
    const { locker, clock, heldBy, lease } = world();
    heldBy('cloud-controller-manager');
    await expect(locker.acquire(signal)).rejects.toThrowError(locked);
    heldBy('');
    const holding = await locker.acquire(signal);
    await clock.advance(1_000);
    await holding.release();
    // By this it knows that it has to read again what it remembers.
    const annotations = { 'aks-managed-resource-locker-previous-holder': 'fairlead-azure-local' };
    expect(lease()).toMatchObject({ metadata: { annotations }, spec: { holderIdentity: '' } });
  });

  it.each([
    ['nobody', '', {}],
    ['ourselves, in an earlier life', 'Fairlead-Azure-Local', {}],
    ['a holder that never said since when', 'other', { renewTime: undefined }],
  ])('is taken when it is held by %s', async (_, holder, spec) => {
    const { locker, heldBy } = world();
    heldBy(holder, spec);
    await expect(locker.acquire(signal)).resolves.toBeDefined();
  });

  it.each([
    ['made', undefined],
    ['taken', 'fairlead-azure-local'],
  ])('is not %s by a replica that may not lead any more: another holds it under the same name', async (_, holder) => {
    const { api, locker, leading, heldBy } = world();
    if (holder !== undefined) heldBy(holder);
    leading.mayWrite = false;
    await expect(locker.acquire(signal)).rejects.toMatchObject({ code: 'lease-too-short', verdict: 'retriable' });
    expect(api.writes).toEqual([]);
  });

  it('is given back also by a replica that may not lead any more, unless another has taken it since', async () => {
    const { locker, leading, heldBy, lease } = world();
    const [first, second] = [await locker.acquire(signal), await locker.acquire(signal)];
    leading.mayWrite = false;
    await first.release();
    expect(lease()).toMatchObject({ spec: { holderIdentity: 'fairlead-azure-local' } });
    await second.release();
    expect(lease()).toMatchObject({ spec: { holderIdentity: '' } });
    heldBy('other');
    await second.release();
    expect(lease()).toMatchObject({ spec: { holderIdentity: 'other' } });
  });

  it('is not renewed by a replica that may not lead any more', async () => {
    const { api, locker, clock, leading } = world();
    const holding = await locker.acquire(signal);
    await clock.advance(300_000);
    leading.mayWrite = false;
    const before = api.writes.length;
    await expect(holding.keep(signal)).rejects.toMatchObject({ code: 'lease-too-short' });
    expect(api.writes).toHaveLength(before);
  });

  it.each([
    ['when it is created', 'POST', { status: 409, reason: 'AlreadyExists' }],
    ['when it is written', 'PATCH', { status: 409, reason: 'Conflict' }],
  ] as const)('is not taken when another component is faster %s', async (_, method, fault) => {
    const { api, locker, heldBy } = world();
    if (method === 'PATCH') heldBy('');
    api.fault = (request) => (request.method === method ? fault : undefined);
    await expect(locker.acquire(signal)).rejects.toThrowError(locked);
  });

  it('is renewed in the course of long work, and lost for good when it was taken away', async () => {
    const { api, locker, clock, heldBy, lease } = world();
    const holding = await locker.acquire(signal);
    await clock.advance(299_999);
    await holding.keep(signal);
    expect(lease()).toMatchObject({ spec: { renewTime: '2026-01-01T00:00:00.000000Z' } });
    await clock.advance(1);
    await holding.keep(signal);
    expect(lease()).toMatchObject({ spec: { renewTime: '2026-01-01T00:05:00.000000Z' } });
    heldBy('other');
    await clock.advance(300_000);
    await expect(holding.keep(signal)).rejects.toThrowError(locked);
    const before = api.requests.length;
    await expect(holding.keep(signal)).rejects.toThrowError(locked);
    expect(api.requests.slice(before)).toEqual([]);
    await holding.release();
    expect(lease()).toMatchObject({ spec: { holderIdentity: 'other' } });
  });

  it('counts from when a renewal was sent, however long its answer took', async () => {
    const { api, locker, clock } = world(1_500);
    const holding = await result(clock, locker.acquire(signal));
    await clock.advance(300_000);
    const sentAt = clock.monotonic();
    await result(clock, holding.keep(signal));
    await clock.advance(sentAt + 300_000 - clock.monotonic());
    const before = api.requests.length;
    await result(clock, holding.keep(signal));
    expect(api.requests.slice(before)).toHaveLength(1);
  });

  it('is renewed once for steps that run side by side, and they all wait for it', async () => {
    const { api, locker, clock } = world();
    const holding = await locker.acquire(signal);
    await clock.advance(300_000);
    const before = api.requests.length;
    await Promise.all([holding.keep(signal), holding.keep(signal), holding.keep(signal)]);
    expect(api.requests.slice(before)).toHaveLength(1);
    api.fault = () => ({ status: 409, reason: 'Conflict' });
    await clock.advance(300_000);
    const kept = await Promise.allSettled([holding.keep(signal), holding.keep(signal)]);
    expect(kept.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
