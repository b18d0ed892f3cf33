import { VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { KubeClient } from '../api/client.ts';
import { services } from '../api/resources.ts';
import type { Leadership } from '../leader/leadership.ts';
import { FakeApi } from '../testing/fake-api.ts';
import type { Service } from '../types/service.ts';
import { addFinalizer } from './finalizers.ts';
import { leasedWrite } from './leased-write.ts';

const PATH = '/api/v1/namespaces/shop/services/web';
const KEY = { namespace: 'shop', name: 'web' };
const { signal } = new AbortController();

/** A Lease that lasts for so many more questions. */
function leaseFor(questions: number): Leadership {
  let left = questions;
  return { epoch: 1, signal, covers: () => (left -= 1) >= 0 };
}

function setUp() {
  const api = new FakeApi();
  const clock = new VirtualClock();
  const put = (finalizers: readonly string[]) => api.put(PATH, { metadata: { ...KEY, finalizers }, spec: {} });
  put([]);
  return { api, clock, put, client: new KubeClient(api.connect(clock), clock) };
}

describe('a write under a Lease', () => {
  it('is not begun when the Lease may end before it would', () => {
    expect(() => leasedWrite(leaseFor(0), 'fairlead', signal)).toThrow('the Lease may end before the write would');
  });

  it('is not sent when the Lease has become too short since, and reads go on', async () => {
    const { api, client } = setUp();
    const options = leasedWrite(leaseFor(1), 'fairlead', signal);
    await client.get(services, KEY, options);
    await expect(client.patchMerge<Service>(services, KEY, { spec: {} }, options)).rejects.toMatchObject({
      verdict: 'retriable',
      code: 'lease-too-short',
    });
    expect(api.writes).toEqual([]);
  });

  it('is given up when the time is over that the Lease was asked for', async () => {
    const { api, clock, client } = setUp();
    let covered = 0;
    const covers = (milliseconds: number) => (covered = milliseconds) > 0;
    const options = leasedWrite({ epoch: 1, signal, covers }, 'fairlead', signal);
    api.fault = () => 'hang';
    let outcome: unknown = 'under way';
    void client.patchMerge<Service>(services, KEY, { spec: {} }, options).catch((error: unknown) => (outcome = error));
    await clock.advance(covered);
    expect(outcome).toMatchObject({ code: 'deadline-exceeded' });
  });

  it('is repeated after another client wrote only while the Lease lasts', async () => {
    const { api, put, client } = setUp();
    const stale = await client.get(services, KEY);
    put(['other/one']);
    const add = (questions: number) =>
      addFinalizer(client, services, stale, 'fairlead.dev/gateway', leasedWrite(leaseFor(questions), 'us', signal));
    await expect(add(2)).rejects.toMatchObject({ code: 'lease-too-short' });
    expect(api.at(PATH)?.metadata['finalizers']).toEqual(['other/one']);
    await add(3);
    expect(api.at(PATH)?.metadata['finalizers']).toEqual(['other/one', 'fairlead.dev/gateway']);
  });
});
