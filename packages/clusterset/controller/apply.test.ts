import { Journal, noMetrics } from '@fairlead/control';
import { configMaps, leases } from '@fairlead/kube';
import { NAMESPACE, TestCluster } from '@fairlead/part/testing';
import { describe, expect, it } from 'vitest';
import type { Precondition, Write } from '../decision/write.ts';
import { Applier } from './apply.ts';

const { signal } = new AbortController();
const key = { namespace: NAMESPACE, name: 'one' };

async function setUp() {
  const { client, clock } = await new TestCluster().setUp();
  const created = await client.create(configMaps, { metadata: key });
  const applier = new Applier({
    clients: { member: client, broker: client },
    clock,
    journal: new Journal(clock),
    metrics: noMetrics,
    leadership: { signal, covers: () => true, epoch: 1 },
    expectations: { note() {} },
  });
  const deletion = (object: typeof created, ...preconditions: readonly Precondition[]): Write => ({
    verb: 'delete',
    at: 'member',
    resource: configMaps,
    object,
    preconditions,
    ifItDiesHere: 'a test',
  });
  const isThere = async () => (await client.find(configMaps, key)) !== undefined;
  return { client, created, deletion, isThere, apply: (write: Write) => applier.apply('shop/web', [write], signal) };
}

describe('a deletion', () => {
  it('is of the version that was decided upon', async () => {
    const { client, created, deletion, isThere, apply } = await setUp();
    const changed = await client.update(configMaps, { ...created, data: { changed: 'yes' } });
    await expect(apply(deletion(created))).rejects.toThrow('it has changed meanwhile');
    expect(await isThere()).toBe(true);
    await apply(deletion(changed));
    expect(await isThere()).toBe(false);
  });

  it('is held back where its preconditions do not hold, by what the server says', async () => {
    const { client, created, deletion, isThere, apply } = await setUp();
    const lease = { namespace: NAMESPACE, name: 'a' };
    const absent: Precondition = { is: 'absent', at: 'broker', resource: leases, key: lease };
    await client.create(leases, { metadata: { ...lease, finalizers: ['example.org/held'] } });
    await expect(apply(deletion(created, absent))).rejects.toThrow('is there after all');
    // One that is being deleted is as good as gone, and nothing to rest upon.
    await client.delete(leases, lease);
    await expect(apply(deletion(created, { ...absent, is: 'there' }))).rejects.toThrow('is not there');
    expect(await isThere()).toBe(true);
    await apply(deletion(created, absent));
    expect(await isThere()).toBe(false);
  });
});
