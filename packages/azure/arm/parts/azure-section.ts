import { z } from 'zod';
import { cloudConfiguration } from '../configuration/cloud-configuration.ts';

/** What every part on Azure has in its section of the configuration. */
export const azureSection = {
  cloud: cloudConfiguration.optional().describe('What azure.json would say, with the same keys.'),
  cloudFile: z.string().min(1).optional().describe('The path of azure.json, in place of cloud.'),
  clusterId: z
    .string()
    .optional()
    .describe('Marks what is ours in Azure. Unset: the UID of the kube-system namespace.'),
};

type AzureSection = z.infer<z.ZodObject<typeof azureSection>>;

/** Where a part's section says how to get to Azure: in itself, or in an azure.json. */
export type CloudSource = Pick<AzureSection, 'cloud' | 'cloudFile'>;

/** The refinement of each such section. */
export function namesOneCloud({ cloud, cloudFile }: CloudSource): boolean {
  return (cloud === undefined) !== (cloudFile === undefined);
}

export const ONE_CLOUD = {
  message: 'needs either cloud, with the keys of azure.json, or cloudFile, with the path of one',
};

/** The section of a part in the demo, whose emulated Azure is at this address. */
export function demoSection(resourceManagerEndpoint = '') {
  const network = { vnetName: 'demo', subnetName: 'nodes' };
  const subscriptionId = '00000000-0000-0000-0000-000000000000';
  const cloud = { subscriptionId, resourceGroup: 'demo', location: 'westeurope', ...network, resourceManagerEndpoint };
  return { cloud, clusterId: 'demo' };
}
