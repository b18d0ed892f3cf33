import { VirtualClock } from '@fairlead/control';
import { KubeClient } from '@fairlead/kube';
import { FakeApi } from '@fairlead/kube/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { text } from '../server/router.ts';
import { type StatusServer, startStatusServer } from '../server/status-server.ts';
import { ACCOUNT, askedCluster, forgetful, question, type Tokens } from '../testing/asked-cluster.ts';
import { askNamed } from './ask-leader.ts';
import type { Leader } from './leader.ts';

interface World extends Tokens {
  /** Whom the Fairlead answers. */
  readonly welcome?: (token: string | undefined) => boolean;
  readonly leader?: Leader;
  /** The cluster that it says it runs on; ours is `this`. */
  readonly ofCluster?: string;
}

describe('a Fairlead that a person names', () => {
  let server: StatusServer | undefined;
  afterEach(() => server?.close());

  /** Asks it, and says which tokens it was shown. */
  async function asking({ welcome = (token) => token !== undefined, leader, ofCluster = '', ...tokens }: World) {
    const { routes, shown } = forgetful({ welcome, cluster: ofCluster });
    server = await startStatusServer('127.0.0.1:0', routes);
    const cluster = askedCluster(tokens);
    const asked = await askNamed(server.url, { ...question, cluster, leader: leader ?? question.leader });
    return { asked, shown };
  }

  it('is shown our own token where we have one', async () => {
    const { asked, shown } = await asking({ own: 'my-own' });
    expect(asked).toHaveProperty('answer');
    expect(shown).toEqual(['my-own']);
  });

  it('is shown a token of Fairlead’s account where we have a certificate only, and it wants one', async () => {
    const { asked, shown } = await asking({});
    expect(asked).toHaveProperty('answer');
    expect(shown).toEqual([undefined, `of ${ACCOUNT}`]);
    expect((await asking({ welcome: () => true })).shown).toEqual([undefined]);
  });

  it('is shown one of the account of any replica where nobody leads', async () => {
    expect((await asking({ leader: { kind: 'nobody' } })).shown).toEqual([undefined, `of ${ACCOUNT}`]);
  });

  it('is said not to have been asked where we may make no token, or where it refuses ours', async () => {
    const { asked, shown } = await asking({ mayCreateTokens: false });
    expect(asked).toEqual({
      unasked: expect.stringMatching(
        /show a token of the cluster \(401\); the kubeconfig has no token, and none could be asked for: you may not create serviceaccounts\/token$/,
      ),
    });
    expect(shown).toEqual([undefined]);
    const refused = await asking({ own: 'my-own', welcome: () => false });
    expect(refused.asked).toEqual({ unasked: expect.stringMatching(/show a token of the cluster \(403\)$/) });
    expect(refused.shown).toEqual(['my-own']);
  });

  it('fails the command where it runs on another cluster', async () => {
    await expect(asking({ own: 'my-own', ofCluster: 'another' })).rejects.toThrow(
      /^the Fairlead at http:\S+ runs on another cluster than https:\/\/cluster$/,
    );
    expect((await asking({ own: 'my-own', ofCluster: 'this' })).asked).toHaveProperty('answer');
  });

  it('is believed by who may not read which cluster it is', async () => {
    const { routes } = forgetful({ cluster: 'another' });
    server = await startStatusServer('127.0.0.1:0', routes);
    const cluster = askedCluster({ own: 'my-own' });
    vi.spyOn(cluster.client, 'get').mockRejectedValue(new Error('you may not get namespaces'));
    expect(await askNamed(server.url, { ...question, cluster })).toHaveProperty('answer');
  });

  it('is quoted in a few words where it refuses at length', async () => {
    server = await startStatusServer('127.0.0.1:0', new Map([['/debug', async () => text(403, 'no '.repeat(5_000))]]));
    const asked = await askNamed(server.url, { ...question, cluster: askedCluster({ own: 'my-own' }) });
    expect('unasked' in asked && asked.unasked.length).toBeLessThan(400);
  });

  it('fails the command where it is none, or does not answer', async () => {
    const other = await startStatusServer('127.0.0.1:0', new Map());
    const client = new KubeClient(new FakeApi().connect(new VirtualClock()), new VirtualClock());
    const connection = { token: async () => 'my-own' };
    const cluster = { client, connection, server: 'https://cluster', isPod: false };
    const ask = () => askNamed(other.url, { ...question, cluster });
    await expect(ask()).rejects.toThrow(/^cannot ask .*\(404\)$/);
    await other.close();
    await expect(ask()).rejects.toThrow(/^cannot ask .*nothing listens there/);
  });
});
