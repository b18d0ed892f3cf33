import { FairleadError } from '@fairlead/control';
import type { KubeClient, KubeObject, ObjectKey, Resource } from '@fairlead/kube';

/** As long as the server allows, up to a year: it is renewed by joining again. */
const YEAR_SECONDS = 31_536_000;

interface TokenRequest extends KubeObject {
  readonly spec: { readonly expirationSeconds: number };
  readonly status?: { readonly token: string };
}

const tokens: Resource<TokenRequest> = {
  group: '',
  version: 'v1',
  plural: 'serviceaccounts',
  kind: 'TokenRequest',
  namespaced: true,
  subresource: 'token',
};

export async function requestToken(
  client: KubeClient,
  account: Required<ObjectKey>,
  signal: AbortSignal,
): Promise<string> {
  const { status } = await client.create<TokenRequest>(
    tokens,
    { apiVersion: 'authentication.k8s.io/v1', metadata: account, spec: { expirationSeconds: YEAR_SECONDS } },
    { signal },
  );
  if (status !== undefined) return status.token;
  throw new FairleadError('the broker gave no token for the account of this cluster', {
    verdict: 'terminal',
    code: 'no-token',
  });
}
