import { readFile } from 'node:fs/promises';
import { FairleadError, messageOf } from '@fairlead/control';
import { connectToAzure } from '../../arm/adapters/index.ts';
import { type CloudConfiguration, parseCloudConfiguration } from '../../arm/index.ts';
import type { OpenAzure } from '../azure-access.ts';
import type { ServiceGatewayConfiguration } from '../configuration.ts';

/** Connects to the Azure that is configured, in the section itself or in the azure.json that it names. */
export const openAzure: OpenAzure = async (configuration, environment) => {
  const cloud = await readCloud(configuration);
  return { ...connectToAzure(cloud, environment), cloud };
};

async function readCloud({ cloud, cloudFile = '' }: ServiceGatewayConfiguration): Promise<CloudConfiguration> {
  if (cloud !== undefined) return cloud;
  try {
    return parseCloudConfiguration(await readFile(cloudFile, 'utf8'), cloudFile);
  } catch (error) {
    if (error instanceof FairleadError) throw error;
    throw new FairleadError(`cannot read cloudFile: ${messageOf(error)}`, {
      verdict: 'terminal',
      code: 'cloud-configuration-invalid',
      cause: error,
    });
  }
}
