import { VirtualClock } from '@fairlead/control';
import { KubeClient, type Pod } from '@fairlead/kube';
import { connectionOver, FakeApi } from '@fairlead/kube/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { json, text } from '../server/router.ts';
import { type StatusServer, startStatusServer } from '../server/status-server.ts';
import { askNamed, type Question } from './ask-leader.ts';
import type { Leader } from './leader.ts';

const ACCOUNT = '/api/v1/namespaces/fairlead-system/serviceaccounts/fairlead/token';
const pod: Pod = { metadata: { name: 'pod-1' }, spec: { serviceAccountName: 'fairlead', containers: [] } };
const question: Omit<Question, 'cluster'> = {
  configuration: {
    http: { listen: '127.0.0.1:8080' },
    leaderElection: { namespace: 'fairlead-system', leaseDurationSeconds: 15 },
  },
  part: 'gateway',
  leader: { kind: 'led', replica: 'pod-1' },
  subject: { kind: 'service', namespace: 'shop', name: 'web' },
  signal: new AbortController().signal,
};

interface World {
  /** Of the kubeconfig. */
  readonly own?: string;
  readonly mayCreateTokens?: boolean;
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
  async function asking({
    own,
    mayCreateTokens = true,
    welcome = (token) => token !== undefined,
    leader,
    ofCluster = '',
  }: World) {
    const shown: (string | undefined)[] = [];
    const why = async (_: string, { token }: { readonly token: string | undefined }) => {
      shown.push(token);
      if (!welcome(token)) return text(token === undefined ? 401 : 403, 'show a token of the cluster');
      return json({ cluster: ofCluster, standing: { kind: 'leads' }, entries: [] });
    };
    server = await startStatusServer('127.0.0.1:0', new Map([['/debug/why', why]]));
    const clock = new VirtualClock();
    const connection = connectionOver({ send: () => Promise.reject(new Error('nothing is sent')) }, clock);
    const client = new KubeClient(connection, clock);
    vi.spyOn(connection, 'token').mockResolvedValue(own);
    vi.spyOn(client, 'find').mockResolvedValue(pod);
    vi.spyOn(client, 'get').mockResolvedValue({ metadata: { name: 'kube-system', uid: 'this' } });
    vi.spyOn(client, 'list').mockResolvedValue({ items: [pod], resourceVersion: '1' });
    vi.spyOn(client, 'postJson').mockImplementation(async (path) => {
      if (!mayCreateTokens) throw new Error('you may not create serviceaccounts/token');
      return { status: { token: `of ${path}` } };
    });
    const cluster = { client, connection, server: 'https://cluster', isPod: false };
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
