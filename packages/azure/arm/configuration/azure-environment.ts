import type { CloudConfiguration } from './cloud-configuration.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The configuration with what it leaves open taken from the AZURE_* variables, as Azure's own clients read them: those
 * of an application with a secret or a certificate, then those that the workload identity webhook gives to a Pod.
 */
export function withEnvironment(configuration: CloudConfiguration, environment: Environment): CloudConfiguration {
  const { useFederatedWorkloadIdentityExtension, useManagedIdentityExtension } = configuration;
  const variable = (name: string) => environment[`AZURE_${name}`] || undefined;
  const filled = {
    ...configuration,
    tenantId: configuration.tenantId ?? variable('TENANT_ID'),
    aadClientId: configuration.aadClientId ?? variable('CLIENT_ID'),
    aadFederatedTokenFile: configuration.aadFederatedTokenFile ?? variable('FEDERATED_TOKEN_FILE'),
  };
  const isChosen = useFederatedWorkloadIdentityExtension === true || useManagedIdentityExtension === true;
  if (isChosen || filled.aadClientSecret !== undefined || filled.aadClientCertPath !== undefined) return filled;
  if (variable('CLIENT_SECRET') !== undefined) return { ...filled, aadClientSecret: variable('CLIENT_SECRET') };
  const certificate = variable('CLIENT_CERTIFICATE_PATH');
  if (certificate !== undefined) {
    const aadClientCertPassword = variable('CLIENT_CERTIFICATE_PASSWORD');
    return { ...filled, aadClientCertPath: certificate, aadClientCertPassword };
  }
  const isFederated = filled.aadFederatedTokenFile !== undefined;
  return isFederated ? { ...filled, useFederatedWorkloadIdentityExtension: true } : filled;
}

/** AZURE_CLIENT_SEND_CERTIFICATE_CHAIN: the authority trusts the issuer of a certificate, and wants to see its chain. */
export function sendsCertificateChain(environment: Environment): boolean {
  return ['true', '1'].includes((environment['AZURE_CLIENT_SEND_CERTIFICATE_CHAIN'] ?? '').toLowerCase());
}

/** Who gives tokens: AZURE_AUTHORITY_HOST, unless the configuration names a cloud, which has its own. */
export function authorityOf({ cloud }: CloudConfiguration, ofCloud: string, environment: Environment): string {
  return cloud === undefined ? environment['AZURE_AUTHORITY_HOST'] || ofCloud : ofCloud;
}
