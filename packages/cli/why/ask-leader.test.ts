import { VirtualClock } from '@fairlead/control';
import { KubeClient } from '@fairlead/kube';
import { FakeApi } from '@fairlead/kube/testing';
import { afterEach, describe, expect, it } from 'vitest';
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
