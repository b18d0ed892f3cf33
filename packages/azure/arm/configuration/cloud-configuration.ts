import type { RepeatPolicy } from '@fairlead/cloud';
import { type BackoffPolicy, FairleadError, messageOf } from '@fairlead/control';
import { z } from 'zod';
import { type ArmId, armId, childArmId, type ResourceGroup } from '../arm-id.ts';

const text = z.string().optional();
const flag = z.boolean().optional();
const count = z.int().optional();

/** The keys of azure.json that mean something here; all else in such a file is for Azure's own controllers. */
const keys = z.object({
  cloud: text.describe('AzurePublicCloud (the default), AzureChinaCloud or AzureUSGovernmentCloud.'),
  tenantId: text.describe('The Microsoft Entra tenant that the credentials belong to.'),
  subscriptionId: z.string('the subscription that the cluster is in must be named'),
  resourceGroup: z.string('the resource group for load balancers and addresses must be named'),
  location: z.string('the region, such as westeurope, must be named'),
  vnetName: text.describe('The virtual network of the nodes.'),
  vnetResourceGroup: text.describe('Its resource group, where it is another.'),
  subnetName: text.describe('The subnet of the nodes.'),
  securityGroupName: text.describe('The network security group of the nodes.'),
  securityGroupResourceGroup: text.describe('Its resource group, where it is another.'),
  networkResourceSubscriptionID: text.describe('The subscription of all network resources, where it is another.'),
  networkResourceTenantID: text.describe('The tenant of that subscription, where it is another.'),
  resourceManagerEndpoint: z
    .url({ protocol: /^https?$/, error: 'must be a URL that begins with https://, or http:// for an emulator' })
    .optional()
    .describe('Where Azure Resource Manager is, in place of the cloud’s own.'),
  aadClientId: text,
  aadClientSecret: text,
  aadClientCertPath: text.describe('A PEM file with certificate and private key.'),
  aadClientCertPassword: text,
  useManagedIdentityExtension: flag,
  userAssignedIdentityID: text.describe('Client id or resource id of the managed identity; the system’s own without.'),
  useFederatedWorkloadIdentityExtension: flag,
  aadFederatedTokenFile: text,
  cloudProviderBackoff: flag.describe('Whether the following four count.'),
  cloudProviderBackoffRetries: count,
  cloudProviderBackoffExponent: z.number().optional(),
  cloudProviderBackoffDuration: z.number().optional().describe('Seconds before the first repetition.'),
  cloudProviderBackoffJitter: z.number().optional(),
  loadBalancerBackendPoolUpdateIntervalInSeconds: count,
  loadBalancerBackendPoolUpdateMaxRetries: count,
  serviceGatewayEnabled: flag,
});

const SPELLINGS: ReadonlyMap<string, string> = new Map(Object.keys(keys.shape).map((key) => [key.toLowerCase(), key]));

/** azure.json as its other readers take it: keys in any case, and an empty text or null the same as nothing. */
export const cloudConfiguration = z.preprocess((value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, entry]) => {
      const spelled = SPELLINGS.get(key.toLowerCase());
      return spelled === undefined || entry === null || entry === '' ? [] : [[spelled, entry]];
    }),
  );
}, keys);

export type CloudConfiguration = z.infer<typeof cloudConfiguration>;

/** Reads azure.json. `source` names it in messages. */
export function parseCloudConfiguration(json: string, source: string): CloudConfiguration {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw invalidCloud(`${source} is not JSON: ${messageOf(error)}`);
  }
  const parsed = cloudConfiguration.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`);
  throw invalidCloud(`${source}: ${problems.join('; ')}`);
}

/** Where load balancers, addresses and gateways live. */
export function networkGroup(configuration: CloudConfiguration): ResourceGroup {
  const { networkResourceSubscriptionID, subscriptionId, resourceGroup } = configuration;
  return { subscriptionId: networkResourceSubscriptionID ?? subscriptionId, resourceGroup };
}

export function virtualNetworkId(configuration: CloudConfiguration): ArmId<'virtualNetworks'> {
  const { vnetName, vnetResourceGroup } = configuration;
  const group = networkGroup(configuration);
  const name = required(vnetName, 'vnetName', 'the virtual network of the nodes');
  return armId('virtualNetworks', { ...group, resourceGroup: vnetResourceGroup ?? group.resourceGroup }, name);
}

export function nodeSubnetId(configuration: CloudConfiguration): ArmId<'subnets'> {
  const name = required(configuration.subnetName, 'subnetName', 'the subnet of the nodes');
  return childArmId('subnets', virtualNetworkId(configuration), name);
}

/** The security group of the nodes; undefined where the configuration names none. */
export function securityGroupId(configuration: CloudConfiguration): ArmId<'networkSecurityGroups'> | undefined {
  const { securityGroupName, securityGroupResourceGroup } = configuration;
  if (securityGroupName === undefined) return undefined;
  const group = networkGroup(configuration);
  const resourceGroup = securityGroupResourceGroup ?? group.resourceGroup;
  return armId('networkSecurityGroups', { ...group, resourceGroup }, securityGroupName);
}

/** How often a request is repeated; undefined where the configuration leaves it to us. */
export function repeatPolicy(configuration: CloudConfiguration): RepeatPolicy | undefined {
  if (configuration.cloudProviderBackoff !== true) return undefined;
  const { cloudProviderBackoffRetries = 6, cloudProviderBackoffDuration = 5 } = configuration;
  const { cloudProviderBackoffExponent = 1.5, cloudProviderBackoffJitter = 1 } = configuration;
  const backoff: BackoffPolicy = {
    initialMilliseconds: Math.max(0.1, cloudProviderBackoffDuration) * 1000,
    maximumMilliseconds: 60_000,
    factor: Math.max(1, cloudProviderBackoffExponent),
    jitter: Math.min(1, Math.max(0, cloudProviderBackoffJitter)),
  };
  return { attempts: 1 + Math.max(0, cloudProviderBackoffRetries), backoff };
}

function required(value: string | undefined, key: string, meaning: string): string {
  if (value !== undefined) return value;
  throw invalidCloud(`the cloud configuration lacks ${key}: ${meaning}`);
}

export function invalidCloud(message: string, cause?: unknown): FairleadError {
  return new FairleadError(message, { verdict: 'terminal', code: 'cloud-configuration-invalid', cause });
}
