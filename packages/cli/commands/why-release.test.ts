import { leases, namespaces, services } from '@fairlead/kube';
import { leaseName, type Part, RELEASE_ANNOTATION } from '@fairlead/part';
import type { AccessQuestion } from '@fairlead/sim/kube';
import { afterEach, describe, expect, it } from 'vitest';
import { NAMESPACE, SEEN, startCommandWorld, type World } from '../testing/command-world.ts';
import { toyPart, toyReplicaPart } from '../testing/toy-part.ts';

let started = new AsyncDisposableStack();
afterEach(async () => {
  const ended = started;
  started = new AsyncDisposableStack();
  await ended.disposeAsync();
});

const start = (parts: readonly Part[], world?: World) => startCommandWorld(started, parts, world);

describe('release', () => {
  it('marks the Lease of who leads, and refuses where nobody does', async () => {
    const { client, lead, run } = await start([toyPart('one')]);
    await lead('one', Date.now() - 60_000);
    expect(await run('release', 'one')).toMatchObject({
      exitCode: 1,
      complained: expect.stringContaining('so nothing is held back'),
    });
    const mark = async () =>
      (await client.get(leases, { namespace: NAMESPACE, name: leaseName('one') })).metadata.annotations?.[
        RELEASE_ANNOTATION
      ];
    expect(await mark()).toBeUndefined();
    const renewed = { spec: { renewTime: new Date().toISOString().replace('Z', '000Z') } };
    await client.patchMerge(leases, { namespace: NAMESPACE, name: leaseName('one') }, renewed);
    expect((await run('release', 'one')).exitCode).toBe(0);
    expect(await mark()).toMatch(/^\d{4}-/);
  });

  it('is for parts that one replica leads, and says which these are', async () => {
    const { lead, run } = await start([toyPart('one'), toyReplicaPart('two')]);
    await lead('one');
    for (const name of ['two', 'three']) {
      expect(await run('release', name)).toMatchObject({
        exitCode: 2,
        complained: expect.stringContaining(`no part named ${name} leads here; there is one`),
      });
    }
  });
});

describe('why', () => {
  const explaining = (name: string, answer: string, state: 'stuck' | 'not-ours') =>
    toyPart(name, { explain: async () => ({ ...SEEN, answer, state }) });

  it('believes no Fairlead on this machine that runs on another cluster', async () => {
    const parts = [explaining('one', 'We see it ourselves.', 'stuck')];
    const same = await start(parts);
    expect((await same.run('why', 'service', 'shop/web')).printed).toContain('The leader says so.');
    const other = await start(parts, { clusterOfServer: 'of another cluster' });
    const { printed } = await other.run('why', 'service', 'shop/web');
    expect(printed).toContain('We see it ourselves.');
    expect(printed).toContain('runs on another cluster');
  });

  it('tells what it sees itself where who is asked stands by, and who leads instead', async () => {
    const standing = { kind: 'stands-by', leader: 'pod-9_x' } as const;
    const { run } = await start([explaining('one', 'We see it ourselves.', 'stuck')], { standing });
    const { printed } = await run('why', 'service', 'shop/web');
    expect(printed).toContain('We see it ourselves.');
    expect(printed).not.toContain('The leader says so.');
    expect(printed).toMatch(/- one: http:\S+ stands by, pod-9 leads$/m);
    const alone = await start([explaining('one', 'We see it ourselves.', 'stuck')], {
      standing: { kind: 'stands-by' },
    });
    expect((await alone.run('why', 'service', 'shop/web')).printed).toMatch(/stands by, nobody leads$/m);
  });

  it('says that nobody leads, and not what the leader is about to write', async () => {
    const writing = { ...SEEN, answer: 'It is to have 192.0.2.1.', waitsFor: 'the leader to write: publish-status' };
    const told = async (state: 'working' | 'stuck') => {
      const part = toyPart('one', { explain: async () => ({ ...writing, state }) });
      const { lead, run } = await start([part], { isAway: true });
      await lead('one', Date.now() - 60_000);
      return (await run('why', 'service', 'shop/web')).printed;
    };
    expect(await told('working')).toMatch(/- one: nobody leads: .* fell silent .* s ago$/m);
    expect(await told('working')).toMatch(/Waits for:\n {4}- a replica that leads: nobody does$/m);
    expect(await told('working')).not.toContain('publish-status');
    expect(await told('stuck')).toContain('publish-status');
  });

  it('leaves out the parts that have nothing to do with a Service, unless none has', async () => {
    const world = { clusterOfServer: 'of another cluster' };
    const some = await start(
      [explaining('one', 'Not ours.', 'not-ours'), explaining('two', 'It is stuck.', 'stuck')],
      world,
    );
    const { printed } = await some.run('why', 'service', 'shop/web');
    expect(printed).toContain('It is stuck.');
    expect(printed).not.toContain('Not ours.');
    const none = await start([explaining('one', 'Not ours.', 'not-ours')], world);
    expect((await none.run('why', 'service', 'shop/web')).printed).toBe('Not ours.');
  });

  it('tells what the Service shows to who may read no more', async () => {
    const reading = toyPart('one', {
      async explain({ client, signal }) {
        await client.list(services, { signal });
        return { ...SEEN, answer: 'All was read.' };
      },
    });
    const world = {
      clusterOfServer: 'of another cluster',
      authorize: ({ verb, namespace }: AccessQuestion) => verb !== 'list' || namespace === 'shop',
    };
    const { client, run } = await start([reading], world);
    await client.create(namespaces, { metadata: { name: 'shop' } });
    await client.create(services, {
      metadata: { namespace: 'shop', name: 'web' },
      spec: { type: 'LoadBalancer', loadBalancerClass: 'fairlead.dev/one', ports: [{ port: 80 }] },
    });
    const { printed } = await run('why', 'service', 'shop/web');
    expect(printed).toMatch(/^Service shop\/web shows no address\./);
    expect(printed).toContain('more could not be read: ');
  });
});
