import { messageOf } from '@fairlead/control';
import { type CallOptions, type KubeClient, type Pod, pods, requestToken } from '@fairlead/kube';
import type { Configuration } from '../configuration/schema.ts';
import type { Leader } from './leader.ts';
import { replicaPods } from './replicas.ts';

/** Of a token that is asked for, to be shown once. */
const TOKEN_SECONDS = 600;

export type AccountToken = { readonly token: string } | { readonly missing: string };

/** A token of the account that Fairlead's Pods have themselves, where that is allowed to us: they learn nothing by it. */
export async function accountToken(
  client: Pick<KubeClient, 'find' | 'list' | 'postJson'>,
  { leaderElection: { namespace } }: Pick<Configuration, 'leaderElection'>,
  leader: Leader,
  options: CallOptions & { readonly signal: AbortSignal },
): Promise<AccountToken> {
  try {
    const pod =
      leader.kind === 'led'
        ? await client.find(pods, { namespace, name: leader.replica }, options)
        : await anyReplica(client, namespace, options);
    const name = pod?.spec.serviceAccountName;
    if (name === undefined) return { missing: 'no Pod tells which account Fairlead has' };
    const token = await requestToken(client, { namespace, name }, TOKEN_SECONDS, options);
    return token === undefined ? { missing: `the API server gives none of ${namespace}/${name}` } : { token };
  } catch (error) {
    options.signal.throwIfAborted();
    return { missing: messageOf(error) };
  }
}

async function anyReplica(
  client: Pick<KubeClient, 'list'>,
  namespace: string,
  options: CallOptions,
): Promise<Pod | undefined> {
  return (await replicaPods(client, namespace, options))[0];
}
