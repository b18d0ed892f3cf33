import { FairleadError } from '@fairlead/control';
import type { KubeClient, KubeObject, ObjectKey, Resource } from '@fairlead/kube';

/** Or as long as the server allows: the cluster renews it while it runs, from half of its time on. */
const LIFETIME_SECONDS = 30 * 86_400;

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
    { apiVersion: 'authentication.k8s.io/v1', metadata: account, spec: { expirationSeconds: LIFETIME_SECONDS } },
    { signal },
  );
  if (status !== undefined) return status.token;
  throw new FairleadError('the broker gave no token for the account of this cluster', {
    verdict: 'terminal',
    code: 'no-token',
  });
}

/** When half of the token's time is over, in milliseconds since 1970; undefined where it does not say. */
export function renewableFrom(token: string): number | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    if (typeof claims !== 'object' || claims === null || !('iat' in claims) || !('exp' in claims)) return undefined;
    const { iat, exp } = claims;
    return typeof iat === 'number' && typeof exp === 'number' ? ((iat + exp) / 2) * 1_000 : undefined;
  } catch {
    return undefined;
  }
}
