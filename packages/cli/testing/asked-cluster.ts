import { VirtualClock } from '@fairlead/control';
import { KubeClient, type Pod } from '@fairlead/kube';
import { connectionOver } from '@fairlead/kube/testing';
import { vi } from 'vitest';
import { json, text } from '../server/router.ts';
import type { Question } from '../why/ask-leader.ts';

/** Where a token of the account of `pod-1` is asked for. */
export const ACCOUNT = '/api/v1/namespaces/fairlead-system/serviceaccounts/fairlead/token';

/** About a Service, while the Pod `pod-1` leads. */
export const question: Omit<Question, 'cluster'> = {
  configuration: {
    http: { listen: '127.0.0.1:1' },
    leaderElection: { namespace: 'fairlead-system', leaseDurationSeconds: 15 },
  },
  part: 'gateway',
  leader: { kind: 'led', replica: 'pod-1' },
  subject: { kind: 'service', namespace: 'shop', name: 'web' },
  signal: new AbortController().signal,
};

export interface Tokens {
  /** Of the kubeconfig. */
  readonly own?: string | undefined;
  readonly mayCreateTokens?: boolean;
}

/** A cluster whose Pods all run Fairlead, as one sees it who has these tokens; ours is the one with the UID `this`. */
export function askedCluster({ own, mayCreateTokens = true }: Tokens) {
  const clock = new VirtualClock();
  const connection = connectionOver({ send: () => Promise.reject(new Error('nothing is sent')) }, clock);
  const client = new KubeClient(connection, clock);
  const pod: Pod = { metadata: { name: 'pod-1' }, spec: { serviceAccountName: 'fairlead', containers: [] } };
  vi.spyOn(connection, 'token').mockResolvedValue(own);
  vi.spyOn(client, 'find').mockResolvedValue(pod);
  vi.spyOn(client, 'get').mockResolvedValue({ metadata: { name: 'kube-system', uid: 'this' } });
  vi.spyOn(client, 'list').mockResolvedValue({ items: [pod], resourceVersion: '1' });
  vi.spyOn(client, 'postJson').mockImplementation(async (path) => {
    if (!mayCreateTokens) throw new Error('you may not create serviceaccounts/token');
    return { status: { token: `of ${path}` } };
  });
  return { client, connection, server: 'https://cluster', isPod: false };
}

/** What a Fairlead answers who remembers nothing, to those that are welcome, and what it was shown. */
export function forgetful({
  cluster = '',
  welcome = () => true,
}: {
  readonly cluster?: string;
  readonly welcome?: ((token: string | undefined) => boolean) | undefined;
}) {
  const shown: (string | undefined)[] = [];
  const why = async (_: string, { token }: { readonly token: string | undefined }) => {
    shown.push(token);
    if (!welcome(token)) return text(token === undefined ? 401 : 403, 'show a token of the cluster');
    return json({ cluster, standing: { kind: 'leads' }, entries: [] });
  };
  return { shown, routes: new Map([['/debug/why', why]]) };
}
