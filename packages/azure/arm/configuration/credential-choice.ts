import { type Environment, sendsCertificateChain } from './azure-environment.ts';
import { type CloudConfiguration, invalidCloud } from './cloud-configuration.ts';
import { cloudEndpoints } from './clouds.ts';

/** How we show Azure who we are. */
export type CredentialChoice =
  /** For an emulator, which asks for no credentials. */
  | { readonly kind: 'none' }
  | {
      readonly kind: 'federated-token';
      readonly tokenFile: string;
      readonly tenantId: string;
      readonly clientId: string;
    }
  | { readonly kind: 'managed-identity'; readonly identity: ManagedIdentity }
  | { readonly kind: 'client-secret'; readonly secret: string; readonly tenantId: string; readonly clientId: string }
  | {
      readonly kind: 'client-certificate';
      readonly certificatePath: string;
      readonly password?: string;
      /** For an authority that trusts the issuer of the certificate. */
      readonly sendsChain: boolean;
      readonly tenantId: string;
      readonly clientId: string;
    };

export type ManagedIdentity =
  | { readonly kind: 'system' }
  | { readonly kind: 'client-id'; readonly clientId: string }
  | { readonly kind: 'resource-id'; readonly resourceId: string };

/** The first of these that the configuration names: federated token, managed identity, secret, certificate. */
export function chooseCredential(configuration: CloudConfiguration, environment: Environment = {}): CredentialChoice {
  // A listener on the way would read the token: over plain HTTP none is ever sent.
  if (cloudEndpoints(configuration).endpoint.startsWith('http:')) return { kind: 'none' };
  const { aadClientSecret, aadClientCertPath, aadClientCertPassword, aadFederatedTokenFile } = configuration;
  if (configuration.useFederatedWorkloadIdentityExtension === true) {
    const tokenFile = required(aadFederatedTokenFile, 'aadFederatedTokenFile', 'a federated token');
    return { kind: 'federated-token', tokenFile, ...principal(configuration, 'a federated token') };
  }
  if (configuration.useManagedIdentityExtension === true) {
    return { kind: 'managed-identity', identity: managedIdentity(configuration.userAssignedIdentityID) };
  }
  if (aadClientSecret !== undefined) {
    return { kind: 'client-secret', secret: aadClientSecret, ...principal(configuration, 'a client secret') };
  }
  if (aadClientCertPath !== undefined) {
    const who = principal(configuration, 'a client certificate');
    const password = aadClientCertPassword === undefined ? {} : { password: aadClientCertPassword };
    const sendsChain = sendsCertificateChain(environment);
    return { kind: 'client-certificate', certificatePath: aadClientCertPath, ...password, sendsChain, ...who };
  }
  throw invalidCloud(
    'the cloud configuration names no credentials: set useFederatedWorkloadIdentityExtension, ' +
      'useManagedIdentityExtension, aadClientSecret or aadClientCertPath, or the variables AZURE_TENANT_ID and ' +
      'AZURE_CLIENT_ID with AZURE_CLIENT_SECRET, AZURE_CLIENT_CERTIFICATE_PATH or AZURE_FEDERATED_TOKEN_FILE',
  );
}

function managedIdentity(id: string | undefined): ManagedIdentity {
  if (id === undefined) return { kind: 'system' };
  return id.startsWith('/') ? { kind: 'resource-id', resourceId: id } : { kind: 'client-id', clientId: id };
}

/** All resources are network resources: where these have a tenant of their own, it is the one that counts. */
function principal(
  { aadClientId, tenantId, networkResourceTenantID }: CloudConfiguration,
  method: string,
): { readonly tenantId: string; readonly clientId: string } {
  return {
    tenantId: required(networkResourceTenantID ?? tenantId, 'tenantId', method),
    clientId: required(aadClientId, 'aadClientId', method),
  };
}

function required(value: string | undefined, key: string, method: string): string {
  if (value !== undefined) return value;
  throw invalidCloud(`the cloud configuration lacks ${key}, which ${method} needs`);
}
