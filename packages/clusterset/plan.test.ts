import { silentLogger } from '@fairlead/control';
import { afterEach, describe, expect, it } from 'vitest';
import { imports, TestClusterSet, type TestMember } from './testing/test-clusterset.ts';

let set = new TestClusterSet();

afterEach(() => set.stop());

const names = (count: number) => Array.from({ length: count }, (_, index) => `web-${index}`);

/** What the member tells beforehand that it would do. */
async function planOf({ cluster, part }: TestMember) {
  const { signal } = new AbortController();
  const planned = part.plan({ client: cluster.client, clock: set.clock, logger: silentLogger, signal });
  await set.settle(1_000);
  return planned;
}

/** The records of a member at the broker are deleted while this one does not look. */
async function lose(member: string, lost: readonly string[]): Promise<void> {
  const { items } = await set.broker.client.list(imports, { namespace: `fairlead-broker-m-${member}` });
  const deleted = items.filter(({ metadata }) => lost.some((name) => metadata.name.startsWith(`${name}.`)));
  for (const { metadata } of deleted) await set.broker.client.delete(imports, metadata);
}

describe('the plan of imports that lose a cluster', () => {
  async function clusters(exported: Readonly<Record<string, readonly string[]>>) {
    set = new TestClusterSet();
    const here = await set.add('here');
    for (const [name, services] of Object.entries(exported)) {
      const member = await set.add(name);
      for (const service of services) await set.export(member, service);
    }
    await set.settle(120_000);
    await set.stop();
    return here;
  }

  it('says of each cluster what is held back at first, and how to let it go', async () => {
    const here = await clusters({ a: names(12), b: ['db'] });
    expect(await planOf(here)).not.toHaveProperty('heldBack');
    await lose('a', names(12));
    await lose('b', ['db']);
    const { heldBack, changes } = await planOf(here);
    expect(heldBack).toMatch(
      /^Holding back the deletion of 12 of 12 imported Services of a: .*: fairlead release clusterset\.$/,
    );
    expect(heldBack?.match(/Holding back/g)).toHaveLength(1);
    expect(changes.filter(({ action }) => action === 'delete')).toHaveLength(13);
  });

  it('says so of a few from each of many clusters, which are many together', async () => {
    const here = await clusters({
      a: ['a-1', 'a-2', 'a-3', 'a-4'],
      b: ['b-1', 'b-2', 'b-3', 'b-4'],
      c: ['c-1', 'c-2', 'c-3', 'c-4'],
    });
    for (const cluster of ['a', 'b', 'c'])
      await lose(
        cluster,
        names(4).map((_, index) => `${cluster}-${index + 1}`),
      );
    expect((await planOf(here)).heldBack).toMatch(
      /^Holding back the deletion of 12 of 12 imported Services of all clusters: /,
    );
  });
});
