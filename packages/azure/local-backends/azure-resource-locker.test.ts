import { seededRandom, silentLogger, sleep, VirtualClock } from '@fairlead/control';
import { result } from '@fairlead/control/testing';
import { KubeClient } from '@fairlead/kube';
import { FakeApi } from '@fairlead/kube/testing';
import { describe, expect, it } from 'vitest';
import { AzureResourceLocker } from './azure-resource-locker.ts';

const PATH = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/aks-managed-resource-locker';
const { signal } = new AbortController();

function world(latency = 0, writesTake = 0) {
  const clock = new VirtualClock();
  const api = new FakeApi();
  const connection = api.connect(clock, latency);
  const client = new KubeClient(writesTake === 0 ? connection : slow(connection, clock, writesTake), clock);
  const leading = { mayWrite: true };
  const stop = new AbortController();
  const leadership = { epoch: 1, signal: stop.signal, covers: () => leading.mayWrite };
  const locker = new AzureResourceLocker({ client, clock, random: seededRandom(1), logger: silentLogger, leadership });
  const heldBy = (holderIdentity: string, spec: object = {}) =>
    api.put(PATH, {
      metadata: { namespace: 'kube-system', name: 'aks-managed-resource-locker' },
      spec: { holderIdentity, leaseDurationSeconds: 900, renewTime: new Date(clock.now()).toISOString(), ...spec },
    });
  return { clock, api, locker, leading, stop, heldBy, lease: () => api.at(PATH) };
}
type Connection = ReturnType<FakeApi['connect']>;

/** A write that is on its way arrives, also when nobody waits for it any more. */
function slow(connection: Connection, clock: VirtualClock, milliseconds: number): Connection {
  return {
    send: (request) => {
      if (request.method === 'GET') return connection.send(request);
      const { signal: given, ...sent } = request;
      const gone = Promise.withResolvers<never>();
      given?.addEventListener('abort', () => gone.reject(given.reason));
      return Promise.race([sleep(clock, milliseconds, signal).then(() => connection.send(sent)), gone.promise]);
    },
  };
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

  it('is not given back by who came too late for it, although it was taken in the same millisecond', async () => {
    const { api, locker, clock, heldBy, lease } = world();
    heldBy('');
    api.fault = ({ method }) => {
      const acquireTime = '2026-01-01T00:00:00.000000Z';
      if (method === 'PATCH') heldBy('fairlead-azure-local', { acquireTime });
      return undefined;
    };
    await expect(locker.acquire(signal)).rejects.toThrowError(locked);
    api.fault = () => undefined;
    const { length } = api.requests;
    await clock.advance(1_000_000);
    expect(lease()).toMatchObject({ spec: { holderIdentity: 'fairlead-azure-local' } });
    expect(api.requests).toHaveLength(length);
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

  it.each([
    ['it could not be given back', { status: 503, reason: 'ServiceUnavailable' }],
    ['the request that gives it back is lost', 'lose-request'],
    ['the answer to the request that gives it back is lost', 'lose-response'],
  ] as const)('is given back later when %s', async (_, fault) => {
    const { api, locker, clock, lease } = world();
    const holding = await locker.acquire(signal);
    api.fault = () => fault;
    await holding.release();
    api.fault = () => undefined;
    await clock.advance(1_000);
    expect(lease()).toMatchObject({
      metadata: { annotations: { 'aks-managed-resource-locker-previous-holder': 'fairlead-azure-local' } },
      spec: { holderIdentity: '' },
    });
    const { length } = api.requests;
    await clock.advance(1_000_000);
    expect(api.requests).toHaveLength(length);
  });

  it('is given back when all that was lost is the answer by which it was taken, or renewed', async () => {
    const { api, locker, clock, heldBy, lease } = world();
    heldBy('');
    api.fault = ({ method }) => (method === 'PATCH' ? 'lose-response' : undefined);
    await expect(locker.acquire(signal)).rejects.toMatchObject({ verdict: 'retriable' });
    expect(lease()).toMatchObject({ spec: { holderIdentity: 'fairlead-azure-local' } });
    api.fault = () => undefined;
    await clock.advance(1_000);
    expect(lease()).toMatchObject({ spec: { holderIdentity: '' } });

    const holding = await locker.acquire(signal);
    await clock.advance(300_000);
    api.fault = () => 'lose-response';
    await expect(holding.keep(signal)).rejects.toMatchObject({ verdict: 'retriable' });
    api.fault = () => undefined;
    await holding.release();
    await clock.advance(1_000);
    expect(lease()).toMatchObject({ spec: { holderIdentity: '' } });
  });

  it.each([
    ['another replica of ours', 'fairlead-azure-local', '2026-01-01T00:00:00.100000Z'],
    ['another component', 'cloud-controller-manager', '2026-01-01T00:00:00.000000Z'],
  ])('is not given back later when %s has taken it', async (_, other, acquireTime) => {
    const { api, locker, clock, heldBy } = world();
    const holding = await locker.acquire(signal);
    api.fault = () => ({ status: 503, reason: 'ServiceUnavailable' });
    await holding.release();
    api.fault = () => undefined;
    heldBy(other, { acquireTime });
    const { length } = api.writes;
    await clock.advance(1_000_000);
    expect(api.writes).toHaveLength(length);
  });

  it('is not given back later by who no longer leads', async () => {
    const { api, locker, clock, stop } = world();
    const holding = await locker.acquire(signal);
    api.fault = () => ({ status: 503, reason: 'ServiceUnavailable' });
    await holding.release();
    api.fault = () => undefined;
    stop.abort();
    const { length } = api.requests;
    await clock.advance(1_000_000);
    expect(api.requests).toHaveLength(length);
  });

  it('is not given back any more when it is taken again meanwhile', async () => {
    for (let milliseconds = 0; milliseconds < 800; milliseconds += 25) {
      const { api, locker, clock, lease } = world(100);
      const first = await result(clock, locker.acquire(signal));
      api.fault = () => ({ status: 503, reason: 'ServiceUnavailable' });
      await result(clock, first.release());
      api.fault = () => undefined;
      await clock.advance(milliseconds);
      await result(clock, locker.acquire(signal));
      await clock.advance(1_000_000);
      expect(lease(), `taken after ${milliseconds} ms`).toMatchObject({
        spec: { holderIdentity: 'fairlead-azure-local' },
      });
    }
  });

  it('is taken again only when what gives it back has arrived', async () => {
    const { api, locker, clock, lease } = world(0, 300);
    const first = await result(clock, locker.acquire(signal));
    api.fault = () => ({ status: 503, reason: 'ServiceUnavailable' });
    await result(clock, first.release());
    api.fault = () => undefined;
    const { length } = api.requests;
    await clock.runUntil(() => api.requests.length > length, 10_000);
    await clock.advance(100);
    await result(clock, locker.acquire(signal));
    await clock.advance(1_000_000);
    expect(lease()).toMatchObject({ spec: { holderIdentity: 'fairlead-azure-local' } });
  });

  it('is given back when the API server is there again after minutes', async () => {
    const { api, locker, clock, lease } = world();
    const holding = await locker.acquire(signal);
    api.fault = () => ({ status: 503, reason: 'ServiceUnavailable' });
    await holding.release();
    await clock.advance(600_000);
    api.fault = () => undefined;
    await clock.advance(60_000);
    expect(lease()).toMatchObject({ spec: { holderIdentity: '' } });
  });

  it('is not tried to be given back for longer than it lasts', async () => {
    const { api, locker, clock } = world();
    const holding = await locker.acquire(signal);
    api.fault = () => ({ status: 503, reason: 'ServiceUnavailable' });
    await holding.release();
    await clock.advance(1_000_000);
    const { length } = api.requests;
    await clock.advance(1_000_000);
    expect(api.requests).toHaveLength(length);
    expect(length).toBeLessThan(40);
  });
});
