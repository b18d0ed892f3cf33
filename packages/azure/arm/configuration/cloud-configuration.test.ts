import { describe, expect, it } from 'vitest';
import {
  cloudConfiguration,
  networkGroup,
  nodeSubnetId,
  parseCloudConfiguration,
  repeatPolicy,
  securityGroupId,
  virtualNetworkId,
} from './cloud-configuration.ts';
import { cloudEndpoints } from './clouds.ts';
import { chooseCredential } from './credential-choice.ts';

const least = { subscriptionId: 'sub', resourceGroup: 'cluster', location: 'westeurope' };
const parsed = (more: Readonly<Record<string, unknown>> = {}) =>
  parseCloudConfiguration(JSON.stringify({ ...least, ...more }), 'azure.json');
const invalid = (message: RegExp) =>
  expect.objectContaining({
    verdict: 'terminal',
    code: 'cloud-configuration-invalid',
    message: expect.stringMatching(message),
  });

describe('azure.json', () => {
  it('is read as its other readers take it: keys in any case, empty texts as nothing, the rest left alone', () => {
    const configuration = parsed({
      AADClientID: 'app',
      VNETName: 'net',
      subnetName: '',
      vmType: 'vmss',
      tenantId: null,
    });
    expect(configuration).toEqual({ ...least, aadClientId: 'app', vnetName: 'net' });
  });

  it('keeps an explicit zero, also when it is written and read again', () => {
    const configuration = parsed({ loadBalancerBackendPoolUpdateMaxRetries: 0 });
    expect(parsed(configuration).loadBalancerBackendPoolUpdateMaxRetries).toBe(0);
    expect(parsed().loadBalancerBackendPoolUpdateMaxRetries).toBeUndefined();
  });

  it('names each thing that is wrong, and the fix', () => {
    expect(() => parseCloudConfiguration('{', 'azure.json')).toThrowError(invalid(/^azure\.json is not JSON: /));
    expect(() => parseCloudConfiguration('[]', 'azure.json')).toThrowError(invalid(/^azure\.json: the file: /));
    expect(() => parseCloudConfiguration('{"location":7}', 'azure.json')).toThrowError(
      invalid(/subscriptionId: the subscription .* must be named; resourceGroup: .*; location: /),
    );
    expect(() => parsed({ resourceManagerEndpoint: 'ftp://x' })).toThrowError(
      invalid(/resourceManagerEndpoint: must be/),
    );
  });

  it('is a schema that a part can use inside its own', () => {
    expect(cloudConfiguration.safeParse(least).success).toBe(true);
    expect(cloudConfiguration.safeParse({ ...least, serviceGatewayEnabled: 'yes' }).success).toBe(false);
  });

  it('says where the network is', () => {
    const here = parsed({ vnetName: 'net', subnetName: 'nodes' });
    expect(networkGroup(here)).toEqual({ subscriptionId: 'sub', resourceGroup: 'cluster' });
    expect(nodeSubnetId(here)).toBe(
      '/subscriptions/sub/resourceGroups/cluster/providers/Microsoft.Network/virtualNetworks/net/subnets/nodes',
    );
    const elsewhere = parsed({ vnetName: 'net', vnetResourceGroup: 'shared', networkResourceSubscriptionID: 'hub' });
    expect(virtualNetworkId(elsewhere)).toBe(
      '/subscriptions/hub/resourceGroups/shared/providers/Microsoft.Network/virtualNetworks/net',
    );
    expect(() => virtualNetworkId(parsed())).toThrowError(invalid(/lacks vnetName/));
  });

  it('says which security group guards the nodes, if any', () => {
    expect(securityGroupId(parsed())).toBeUndefined();
    expect(securityGroupId(parsed({ securityGroupName: 'nodes' }))).toMatch(/cluster\/.*\/nodes$/);
    const elsewhere = { securityGroupName: 'nodes', securityGroupResourceGroup: 'shared' };
    expect(securityGroupId(parsed(elsewhere))).toBe(
      '/subscriptions/sub/resourceGroups/shared/providers/Microsoft.Network/networkSecurityGroups/nodes',
    );
  });

  it('says how requests are repeated, if it says anything', () => {
    expect(repeatPolicy(parsed({ cloudProviderBackoffRetries: 9 }))).toBeUndefined();
    expect(repeatPolicy(parsed({ cloudProviderBackoff: true }))).toEqual({
      attempts: 7,
      backoff: { initialMilliseconds: 5_000, maximumMilliseconds: 60_000, factor: 1.5, jitter: 1 },
    });
    const odd = { cloudProviderBackoffRetries: -1, cloudProviderBackoffExponent: 0, cloudProviderBackoffJitter: 7 };
    expect(repeatPolicy(parsed({ cloudProviderBackoff: true, ...odd }))).toMatchObject({
      attempts: 1,
      backoff: { factor: 1, jitter: 1 },
    });
  });
});

describe('the cloud', () => {
  it.each([
    [undefined, 'https://management.azure.com', 'https://login.microsoftonline.com'],
    ['AZUREPUBLICCLOUD', 'https://management.azure.com', 'https://login.microsoftonline.com'],
    ['AzureChinaCloud', 'https://management.chinacloudapi.cn', 'https://login.chinacloudapi.cn'],
    ['AzureUSGovernmentCloud', 'https://management.usgovcloudapi.net', 'https://login.microsoftonline.us'],
  ])('%s is at %s', (cloud, endpoint, authorityHost) => {
    expect(cloudEndpoints(parsed({ cloud }))).toMatchObject({ endpoint, authorityHost });
  });

  it('may have its resource manager elsewhere, with tokens of the cloud', () => {
    const configuration = parsed({ resourceManagerEndpoint: 'https://arm.internal:8443/' });
    expect(cloudEndpoints(configuration)).toMatchObject({
      endpoint: 'https://arm.internal:8443',
      scope: 'https://management.azure.com/.default',
    });
  });

  it('is refused with the names of those there are', () => {
    expect(() => cloudEndpoints(parsed({ cloud: 'AzureGermanCloud' }))).toThrowError(invalid(/AzurePublicCloud, /));
  });
});

describe('the choice of credentials', () => {
  const all = {
    tenantId: 'tenant',
    aadClientId: 'app',
    aadClientSecret: 'secret',
    aadClientCertPath: '/certificate.pem',
    useManagedIdentityExtension: true,
    useFederatedWorkloadIdentityExtension: true,
    aadFederatedTokenFile: '/token',
  };
  const app = { tenantId: 'tenant', clientId: 'app' };

  it('takes the federated token, else the managed identity, else the secret, else the certificate', () => {
    expect(chooseCredential(parsed(all))).toEqual({ kind: 'federated-token', tokenFile: '/token', ...app });
    const second = { ...all, useFederatedWorkloadIdentityExtension: false };
    expect(chooseCredential(parsed(second))).toEqual({ kind: 'managed-identity', identity: { kind: 'system' } });
    const third = { ...second, useManagedIdentityExtension: false };
    expect(chooseCredential(parsed(third))).toEqual({ kind: 'client-secret', secret: 'secret', ...app });
    const fourth = { ...third, aadClientSecret: '' };
    expect(chooseCredential(parsed(fourth))).toMatchObject({
      kind: 'client-certificate',
      certificatePath: '/certificate.pem',
    });
  });

  it.each([
    ['0a1b', { kind: 'client-id', clientId: '0a1b' }],
    ['/subscriptions/sub/identity', { kind: 'resource-id', resourceId: '/subscriptions/sub/identity' }],
  ])('understands the user-assigned identity %s', (userAssignedIdentityID, identity) => {
    const configuration = parsed({ useManagedIdentityExtension: true, userAssignedIdentityID });
    expect(chooseCredential(configuration)).toEqual({ kind: 'managed-identity', identity });
  });

  it('takes the tenant of the network resources where they have their own', () => {
    const configuration = parsed({
      ...all,
      useFederatedWorkloadIdentityExtension: false,
      useManagedIdentityExtension: false,
      networkResourceTenantID: 'hub',
    });
    expect(chooseCredential(configuration)).toMatchObject({ tenantId: 'hub' });
  });

  it('sends no token over plain HTTP', () => {
    expect(chooseCredential(parsed({ ...all, resourceManagerEndpoint: 'http://127.0.0.1:8080' }))).toEqual({
      kind: 'none',
    });
  });

  it('names what is missing', () => {
    expect(() => chooseCredential(parsed())).toThrowError(invalid(/names no credentials: set useFederated/));
    expect(() => chooseCredential(parsed({ aadClientSecret: 'secret' }))).toThrowError(
      invalid(/lacks tenantId, which a/),
    );
    const withoutFile = parsed({ ...all, aadFederatedTokenFile: '' });
    expect(() => chooseCredential(withoutFile)).toThrowError(invalid(/lacks aadFederatedTokenFile/));
  });
});
