import type * as Identity from '@azure/identity';
import type { TokenCredential } from '@azure/identity';
import type { TokenProvider } from '@fairlead/cloud';
import { FairleadError, messageOf } from '@fairlead/control';
import type { CloudEndpoints } from '../configuration/clouds.ts';
import type { CredentialChoice, ManagedIdentity } from '../configuration/credential-choice.ts';

type IdentityLibrary = typeof Identity;
type RealChoice = Exclude<CredentialChoice, { readonly kind: 'none' }>;

/** Who gives tokens for this choice; undefined when none are needed. The library is loaded with the first token. */
export function tokenProviderFor(choice: CredentialChoice, cloud: CloudEndpoints): TokenProvider | undefined {
  if (choice.kind === 'none') return undefined;
  let credential: TokenCredential | undefined;
  return {
    async newToken(signal) {
      const library = await import('@azure/identity');
      const made = () => (credential ??= createCredential(library, choice, cloud));
      return tokenFrom(made, choice, cloud, signal);
    },
  };
}

export function createCredential(
  library: IdentityLibrary,
  choice: RealChoice,
  { authorityHost }: CloudEndpoints,
): TokenCredential {
  switch (choice.kind) {
    case 'federated-token': {
      const { tenantId, clientId, tokenFile } = choice;
      return new library.WorkloadIdentityCredential({ tenantId, clientId, tokenFilePath: tokenFile, authorityHost });
    }
    case 'managed-identity':
      return managedIdentity(library, choice.identity);
    case 'client-secret':
      return new library.ClientSecretCredential(choice.tenantId, choice.clientId, choice.secret, { authorityHost });
    case 'client-certificate': {
      const { tenantId, clientId, certificatePath, password, sendsChain } = choice;
      const certificate = { certificatePath, ...(password === undefined ? {} : { certificatePassword: password }) };
      const options = { authorityHost, sendCertificateChain: sendsChain };
      return new library.ClientCertificateCredential(tenantId, clientId, certificate, options);
    }
  }
}

/** Asks for a token; what goes wrong is told in one line, and may be mended while we run. */
export async function tokenFrom(
  credential: () => TokenCredential,
  choice: RealChoice,
  { scope }: CloudEndpoints,
  signal: AbortSignal,
): ReturnType<TokenProvider['newToken']> {
  try {
    const token = await credential().getToken(scope, { abortSignal: signal });
    if (token !== null) return { text: token.token, expiresAt: token.expiresOnTimestamp };
  } catch (error) {
    signal.throwIfAborted();
    const [reason = ''] = messageOf(error).split('\n');
    throw noToken(`cannot get an Azure token ${HOW[choice.kind]}: ${reason.trim()}; ${FIX[choice.kind]}`, error);
  }
  throw noToken(`cannot get an Azure token ${HOW[choice.kind]}: none was given; ${FIX[choice.kind]}`);
}

const HOW = {
  'federated-token': 'for the federated token',
  'managed-identity': 'by managed identity',
  'client-secret': 'for the client secret',
  'client-certificate': 'for the client certificate',
} as const;

const FIX = {
  'federated-token': 'check aadFederatedTokenFile, aadClientId and the federation of the application',
  'managed-identity': 'check userAssignedIdentityID, and that this machine has the identity',
  'client-secret': 'check tenantId, aadClientId and aadClientSecret, and whether the secret has expired',
  'client-certificate': 'check tenantId, aadClientId and aadClientCertPath, and whether the certificate has expired',
} as const;

function managedIdentity(library: IdentityLibrary, identity: ManagedIdentity): TokenCredential {
  switch (identity.kind) {
    case 'system':
      return new library.ManagedIdentityCredential();
    case 'client-id':
      return new library.ManagedIdentityCredential({ clientId: identity.clientId });
    case 'resource-id':
      return new library.ManagedIdentityCredential({ resourceId: identity.resourceId });
  }
}

function noToken(message: string, cause?: unknown): FairleadError {
  return new FairleadError(message, { verdict: 'retriable', code: 'azure-token-unavailable', cause });
}
