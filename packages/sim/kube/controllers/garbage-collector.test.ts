import { describe, expect, it } from 'vitest';
import type { Json } from '../../json.ts';
import { valueAt } from '../../json.ts';
import { Simulated } from '../testing/simulated.ts';

const SECRETS = '/api/v1/namespaces/default/secrets';

class Family {
  readonly world = new Simulated();

  async add(name: string, ...owners: readonly string[]): Promise<void> {
    const references: Json[] = [];
    for (const owner of owners) {
      const { body } = await this.world.call('GET', `${SECRETS}/${owner}`);
      const uid = valueAt(body, 'metadata', 'uid') ?? 'gone';
      references.push({ apiVersion: 'v1', kind: 'Secret', name: owner, uid, blockOwnerDeletion: true });
    }
    await this.world.call('POST', SECRETS, { metadata: { name, ownerReferences: references } });
    await this.world.clock.advance(100);
  }

  async remove(name: string, propagationPolicy: string): Promise<void> {
    await this.world.call('DELETE', `${SECRETS}/${name}`, { propagationPolicy });
    await this.world.clock.advance(1_000);
  }

  async exists(name: string): Promise<boolean> {
    return (await this.world.call('GET', `${SECRETS}/${name}`)).status === 200;
  }
}

describe('garbage collection', () => {
  it('deletes what has lost its last owner, down to the last generation', async () => {
    const family = new Family();
    await family.add('parent');
    await family.add('child', 'parent');
    await family.add('grandchild', 'child');
    await family.remove('parent', 'Background');
    expect([await family.exists('child'), await family.exists('grandchild')]).toEqual([false, false]);
  });

  it('keeps what still has an owner, and forgets the one that is gone', async () => {
    const family = new Family();
    await family.add('mother');
    await family.add('father');
    await family.add('child', 'mother', 'father');
    await family.remove('mother', 'Background');
    const { body } = await family.world.call('GET', `${SECRETS}/child`);
    expect(valueAt(body, 'metadata', 'ownerReferences')).toMatchObject([{ name: 'father' }]);
  });

  it('deletes what names an owner that never was', async () => {
    const family = new Family();
    await family.add('child', 'nobody');
    await family.world.clock.advance(1_000);
    expect(await family.exists('child')).toBe(false);
  });

  it('keeps an owner that is deleted in the foreground until what it owns is gone', async () => {
    const family = new Family();
    await family.add('parent');
    await family.add('child', 'parent');
    await family.world.patch('merge', `${SECRETS}/child`, { metadata: { finalizers: ['example.test/hold'] } });
    await family.remove('parent', 'Foreground');
    expect([await family.exists('parent'), await family.exists('child')]).toEqual([true, true]);
    await family.world.patch('merge', `${SECRETS}/child`, { metadata: { finalizers: null } });
    await family.world.clock.advance(1_000);
    expect([await family.exists('parent'), await family.exists('child')]).toEqual([false, false]);
  });

  it('leaves orphans alone', async () => {
    const family = new Family();
    await family.add('parent');
    await family.add('child', 'parent');
    await family.remove('parent', 'Orphan');
    expect([await family.exists('parent'), await family.exists('child')]).toEqual([false, true]);
    const { body } = await family.world.call('GET', `${SECRETS}/child`);
    expect(valueAt(body, 'metadata', 'ownerReferences')).toBeUndefined();
  });
});
