import { type KubeClient, namespaces, type Secret, secrets } from '@fairlead/kube';
import { accountOf, type Member, type Placed } from './broker-objects.ts';
import type { MembershipStep } from './membership.ts';
import { requestToken } from './token.ts';

/** The Secret in the cluster that has the way to the broker: a kubeconfig, and beside it the token that it names. */
export const SECRET = 'fairlead-broker';
/** In a file of its own: that is read again when it changes, and a kubeconfig is not. */
export const TOKEN = 'token';

export interface CredentialPlaces {
  readonly broker: KubeClient;
  /** Where the broker is and how it is recognised, as a kubeconfig has it. */
  readonly entry: Readonly<Record<string, unknown>>;
  readonly cluster: KubeClient;
  /** In which Fairlead runs there. */
  readonly namespace: string;
}

/**
 * New credentials for the account at the broker, in the Secret of the cluster. An account that is there already is made
 * anew first: that is what takes every token before it back, whoever has it by now.
 */
export async function credentialSteps(
  member: Member,
  { broker, entry, cluster, namespace }: CredentialPlaces,
  account: Placed,
  signal: AbortSignal,
): Promise<readonly MembershipStep[]> {
  const { resource, object } = account;
  const found = await broker.find(resource, object.metadata, { signal });
  const renewed: MembershipStep = {
    text: `make ServiceAccount ${object.metadata.namespace}/${object.metadata.name} anew, which revokes all its tokens`,
    run: async (stop) => {
      await broker.delete(resource, object.metadata, { signal: stop });
      await broker.create(resource, object, { signal: stop });
    },
  };
  const written: MembershipStep = {
    text: `write a new token for the broker into Secret ${namespace}/${SECRET} of this cluster`,
    run: async (stop) => {
      const token = await requestToken(broker, accountOf(member), stop);
      const there = await cluster.find(namespaces, { name: namespace }, { signal: stop });
      if (there === undefined) await cluster.create(namespaces, { metadata: { name: namespace } }, { signal: stop });
      const stringData = { kubeconfig: kubeconfigOf(entry), [TOKEN]: token };
      const secret: Secret = { metadata: { namespace, name: SECRET }, stringData };
      await cluster.apply<Secret>(secrets, secret, { fieldManager: 'fairlead-join', force: true, signal: stop });
    },
  };
  return found === undefined ? [written] : [renewed, written];
}

function kubeconfigOf(entry: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'broker', cluster: entry }],
    users: [{ name: 'member', user: { tokenFile: TOKEN } }],
    contexts: [{ name: 'broker', context: { cluster: 'broker', user: 'member' } }],
    'current-context': 'broker',
  });
}
