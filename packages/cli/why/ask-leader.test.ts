import { VirtualClock } from '@fairlead/control';
import { KubeClient, type Pod } from '@fairlead/kube';
import { connectionOver, FakeApi } from '@fairlead/kube/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { json } from '../server/router.ts';
import { type StatusServer, startStatusServer } from '../server/status-server.ts';
import { askLeader } from './ask-leader.ts';

describe('what listens on this machine', () => {
  let server: StatusServer | undefined;
  afterEach(() => server?.close());

  it.each([
    ['no token of an operator, as any program may listen there', false, undefined],
    ['the token of a Pod, which is its own', true, 'secret'],
  ])('is shown %s', async (_, isPod, shown) => {
    const tokens: (string | undefined)[] = [];
    const why = async (__: string, { token }: { readonly token: string | undefined }) => {
      tokens.push(token);
      return json({ cluster: '', standing: { kind: 'runs' }, entries: [] });
    };
    server = await startStatusServer('127.0.0.1:0', new Map([['/debug/why', why]]));
    const clock = new VirtualClock();
    const asked = await askLeader({
      cluster: {
        client: new KubeClient(new FakeApi().connect(clock), clock),
        connection: { token: async () => 'secret' },
        server: 'https://cluster',
        isPod,
      },
      configuration: {
        http: { listen: server.url.replace('http://', '') },
        leaderElection: { namespace: 'fairlead-system', leaseDurationSeconds: 15 },
      },
      part: 'gateway',
      leader: { kind: 'unknown', why: 'the Lease may not be read' },
      subject: { kind: 'service', namespace: 'shop', name: 'web' },
      signal: new AbortController().signal,
    });
    expect(asked).toMatchObject({ by: server.url });
    expect(tokens).toEqual([shown]);
  });
});

const ANSWER = JSON.stringify({ cluster: '', standing: { kind: 'leads' }, entries: [] });

/** Asks a Pod that the Lease names, with what may be of a token, and says which it was shown. */
async function askPod({
  own,
  mayCreateTokens,
}: {
  readonly own: string | undefined;
  readonly mayCreateTokens: boolean;
}) {
  const clock = new VirtualClock();
  const connection = connectionOver({ send: () => Promise.reject(new Error('nothing is sent')) }, clock);
  const client = new KubeClient(connection, clock);
  vi.spyOn(connection, 'token').mockResolvedValue(own);
  const pod: Pod = { metadata: { name: 'pod-1' }, spec: { serviceAccountName: 'fairlead', containers: [] } };
  vi.spyOn(client, 'find').mockResolvedValue(pod);
  vi.spyOn(client, 'postJson').mockImplementation(async (path) => {
    if (!mayCreateTokens) throw new Error('forbidden');
    return { status: { token: `of ${path}` } };
  });
  const seen = vi.spyOn(client, 'getText').mockImplementation(async (_, options) => {
    if (options?.headers?.['x-fairlead-token'] === undefined) throw new Error('show a token');
    return ANSWER;
  });
  const asked = await askLeader({
    cluster: { client, connection, server: 'https://cluster', isPod: false },
    configuration: {
      http: { listen: '127.0.0.1:1' },
      leaderElection: { namespace: 'fairlead-system', leaseDurationSeconds: 15 },
    },
    part: 'gateway',
    leader: { kind: 'led', replica: 'pod-1' },
    subject: { kind: 'service', namespace: 'shop', name: 'web' },
    signal: new AbortController().signal,
  });
  return { asked, shown: seen.mock.calls[0]?.[1]?.headers?.['x-fairlead-token'] };
}

describe('the Pod that leads', () => {
  it('is shown a token of its own account rather than ours, which it may not be worthy of', async () => {
    expect(await askPod({ own: 'my-own', mayCreateTokens: true })).toMatchObject({
      asked: { by: 'pod-1' },
      shown: 'of /api/v1/namespaces/fairlead-system/serviceaccounts/fairlead/token',
    });
  });

  it('is shown our own where we may make no other', async () => {
    expect(await askPod({ own: 'my-own', mayCreateTokens: false })).toMatchObject({
      asked: { by: 'pod-1' },
      shown: 'my-own',
    });
  });

  it('is said not to have been asked where there is none to show, and why', async () => {
    const { asked } = await askPod({ own: undefined, mayCreateTokens: false });
    expect(asked).toEqual({
      unasked: expect.stringContaining(
        'show a token; the kubeconfig has no token, and none could be asked for: forbidden',
      ),
    });
  });
});
