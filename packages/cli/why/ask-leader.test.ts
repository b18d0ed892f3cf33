import { afterEach, describe, expect, it, vi } from 'vitest';
import { type StatusServer, startStatusServer } from '../server/status-server.ts';
import { ACCOUNT, askedCluster, forgetful, question, type Tokens } from '../testing/asked-cluster.ts';
import { askLeader } from './ask-leader.ts';
import { podProxyPath } from './running-client.ts';

describe('what listens on this machine', () => {
  let server: StatusServer | undefined;
  afterEach(() => server?.close());

  it.each([
    ['no token of an operator, as any program may listen there', false, undefined],
    ['the token of a Pod, which is its own', true, 'secret'],
  ])('is shown %s', async (_, isPod, token) => {
    const { routes, shown } = forgetful({});
    server = await startStatusServer('127.0.0.1:0', routes);
    const http = { listen: server.url.replace('http://', '') };
    const asked = await askLeader({
      ...question,
      cluster: { ...askedCluster({ own: 'secret' }), isPod },
      configuration: { ...question.configuration, http },
      leader: { kind: 'unknown', why: 'the Lease may not be read' },
    });
    expect(asked).toMatchObject({ by: server.url });
    expect(shown).toEqual([token]);
  });
});

const ANSWER = JSON.stringify({ cluster: '', standing: { kind: 'leads' }, entries: [] });

/** Asks a Pod that the Lease names, with what may be of a token, and says which it was shown. */
async function askPod(tokens: Tokens) {
  const cluster = askedCluster(tokens);
  const seen = vi.spyOn(cluster.client, 'getText').mockImplementation(async (_, options) => {
    if (options?.headers?.['x-fairlead-token'] === undefined) throw new Error('show a token');
    return ANSWER;
  });
  const asked = await askLeader({ ...question, cluster });
  return { asked, shown: seen.mock.calls[0]?.[1]?.headers?.['x-fairlead-token'] };
}

describe('the Pod that leads', () => {
  it.each(['../../secrets', 'pod-1/../pod-2', 'pod-1?x=', 'Pod', '-pod', ''])('is no Pod by the name %j', (replica) => {
    expect(podProxyPath(question.configuration, replica)).toBeUndefined();
  });

  it('is asked with a token that is good for ten minutes', async () => {
    const cluster = askedCluster({});
    vi.spyOn(cluster.client, 'getText').mockResolvedValue(ANSWER);
    const requests = vi.spyOn(cluster.client, 'postJson');
    await askLeader({ ...question, cluster });
    expect(requests.mock.calls).toMatchObject([[ACCOUNT, { spec: { expirationSeconds: 600 } }, {}]]);
  });

  it('is shown a token of its own account rather than ours, which it may not be worthy of', async () => {
    expect(await askPod({ own: 'my-own' })).toMatchObject({ asked: { by: 'pod-1' }, shown: `of ${ACCOUNT}` });
  });

  it('is shown our own where we may make no other', async () => {
    const asked = { asked: { by: 'pod-1' }, shown: 'my-own' };
    expect(await askPod({ own: 'my-own', mayCreateTokens: false })).toMatchObject(asked);
  });

  it('is said not to have been asked where there is none to show, and why', async () => {
    const { asked } = await askPod({ mayCreateTokens: false });
    const why = 'the kubeconfig has no token, and none could be asked for: you may not create serviceaccounts/token';
    expect(asked).toEqual({ unasked: expect.stringContaining(`show a token; ${why}`) });
  });
});
