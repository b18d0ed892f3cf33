import type { CloudConfiguration } from './cloud-configuration.ts';

/**
 * The configuration with what it leaves open taken from the AZURE_* variables, as Azure's own clients read them: those
 * of an application with a secret or a certificate, then those that the workload identity webhook gives to a Pod.
 */
export function withEnvironment(
  configuration: CloudConfiguration,
  environment: Readonly<Record<string, string | undefined>>,
): CloudConfiguration {
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
  if (certificate !== undefined) return { ...filled, aadClientCertPath: certificate };
  const isFederated = filled.aadFederatedTokenFile !== undefined;
  return isFederated ? { ...filled, useFederatedWorkloadIdentityExtension: true } : filled;
}

/** Who gives tokens: AZURE_AUTHORITY_HOST, unless the configuration names a cloud, which has its own. */
export function authorityOf(
  { cloud }: CloudConfiguration,
  ofCloud: string,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  return cloud === undefined ? environment['AZURE_AUTHORITY_HOST'] || ofCloud : ofCloud;
}
