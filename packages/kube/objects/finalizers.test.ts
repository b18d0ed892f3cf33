import { VirtualClock } from '@fairlead/control';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KubeClient } from '../api/client.ts';
import { services } from '../api/resources.ts';
import { FakeApi } from '../testing/fake-api.ts';
import type { Service } from '../types/service.ts';
import { addFinalizer, hasFinalizer, removeFinalizer } from './finalizers.ts';

const OURS = 'fairlead.dev/gateway';
const PATH = '/api/v1/namespaces/shop/services/web';

function setUp(metadata: object = {}) {
  const api = new FakeApi();
  const client = new KubeClient(api.connect(new VirtualClock()), new VirtualClock());
  const put = (more: object) => api.put(PATH, { metadata: { namespace: 'shop', name: 'web', ...more }, spec: {} });
  put(metadata);
  const read = () => client.get(services, { namespace: 'shop', name: 'web' });
  const stored = () => api.at(PATH)?.metadata['finalizers'];
  return { api, client, put, read, stored };
}

/** A stale copy that already looks as wanted is believed: the next event corrects it. */
function expected(before: readonly string[], now: readonly string[], add: boolean): readonly string[] {
  if (before.includes(OURS) === add) return now;
  if (!add) return now.filter((name) => name !== OURS);
  return now.includes(OURS) ? now : [...now, OURS];
}

describe('a finalizer', () => {
  it('is added to an object without any, and to those of others', async () => {
    const { client, read, stored, put } = setUp();
    expect(hasFinalizer((await addFinalizer(client, services, await read(), OURS)) ?? (await read()), OURS)).toBe(true);
    expect(stored()).toEqual([OURS]);
    put({ finalizers: ['other/one'] });
    await addFinalizer(client, services, await read(), OURS);
    expect(stored()).toEqual(['other/one', OURS]);
  });

  it('costs no write when it is as wanted', async () => {
    const { api, client, read } = setUp({ finalizers: [OURS] });
    const object = await read();
    expect(await addFinalizer(client, services, object, OURS)).toBe(object);
    expect(await removeFinalizer(client, services, object, 'other/one')).toBe(object);
    expect(api.writes).toEqual([]);
  });

  it('does not overwrite what was added since the object was read', async () => {
    const { client, read, put, stored } = setUp();
    const stale = await read();
    put({ finalizers: ['other/one'] });
    await addFinalizer(client, services, stale, OURS);
    expect(stored()).toEqual(['other/one', OURS]);
  });

  it('is not added twice when another client added it since the object was read', async () => {
    const { client, read, put, stored } = setUp();
    const stale = await read();
    put({ finalizers: [OURS] });
    await addFinalizer(client, services, stale, OURS);
    expect(stored()).toEqual([OURS]);
  });

  it('is removed alone, wherever it has moved to, and however often it is listed', async () => {
    const { client, read, put, stored } = setUp({ finalizers: ['other/one', OURS] });
    const stale = await read();
    put({ finalizers: [OURS, 'other/one', OURS, 'other/two'] });
    await removeFinalizer(client, services, stale, OURS);
    expect(stored()).toEqual(['other/one', 'other/two']);
  });

  it('lets the object go when it was the last', async () => {
    const { api, client, read } = setUp({ finalizers: [OURS] });
    await client.delete(services, { namespace: 'shop', name: 'web' });
    await removeFinalizer(client, services, await read(), OURS);
    expect(api.at(PATH)).toBeUndefined();
  });

  it('is neither added to nor removed from a namesake of an object that is gone', async () => {
    const { api, client, read, put, stored } = setUp();
    const gone = await read();
    api.remove(PATH);
    expect(await addFinalizer(client, services, gone, OURS)).toBeUndefined();
    put({ uid: 'another', finalizers: [OURS] });
    const before: Service = { ...gone, metadata: { ...gone.metadata, finalizers: [OURS] } };
    expect(await removeFinalizer(client, services, before, OURS)).toBeUndefined();
    expect(await addFinalizer(client, services, gone, 'other/one')).toBeUndefined();
    expect(stored()).toEqual([OURS]);
  });

  it('is not added to an object that is being deleted', async () => {
    const { api, client, read } = setUp({ finalizers: ['other/one'], deletionTimestamp: '2026-01-01T00:00:00Z' });
    await expect(addFinalizer(client, services, await read(), OURS)).rejects.toMatchObject({
      verdict: 'stale',
      code: 'object-being-deleted',
    });
    expect(api.writes).toEqual([]);
  });

  it('passes on a refusal that reading again does not explain', async () => {
    const { api, client, read } = setUp();
    const object = await read();
    api.fault = (request) => (request.method === 'PATCH' ? { status: 422, reason: 'Invalid' } : undefined);
    await expect(addFinalizer(client, services, object, 'bad name')).rejects.toMatchObject({ status: 422 });
    expect(api.writes).toHaveLength(1);
  });

  it('gives up on an object that changes each time it is read', async () => {
    const { api, client, read, put } = setUp();
    const object = await read();
    let change = 0;
    api.fault = (request) => {
      if (request.method === 'PATCH') put({ finalizers: [`other/${(change += 1)}`] });
      return undefined;
    };
    await expect(addFinalizer(client, services, object, OURS)).rejects.toMatchObject({ status: 422 });
    expect(api.writes).toHaveLength(5);
  });

  it('ends as wanted, with the others untouched, from whatever stale copy it starts', async () => {
    const names = fc.uniqueArray(fc.constantFrom('other/one', 'other/two', 'other/three', OURS));
    await fc.assert(
      fc.asyncProperty(names, names, fc.boolean(), async (before, now, add) => {
        const { client, read, put, stored } = setUp({ finalizers: before });
        const stale = await read();
        put({ finalizers: now });
        await (add ? addFinalizer : removeFinalizer)(client, services, stale, OURS);
        expect(stored()).toEqual(expected(before, now, add));
      }),
    );
  });
});
