import { readFile } from 'node:fs/promises';
import { FairleadError, messageOf } from '@fairlead/control';
import { type CloudConfiguration, parseCloudConfiguration } from '../configuration/cloud-configuration.ts';
import type { OpenAzure } from '../part/azure-access.ts';
import type { CloudSource } from '../part/azure-section.ts';
import { connectToAzure } from './connect.ts';

/** Connects to the Azure that is configured. */
export const openAzure: OpenAzure = async (source, surroundings) => {
  const cloud = await readCloud(source);
  return { ...connectToAzure(cloud, surroundings), cloud };
};

async function readCloud({ cloud, cloudFile = '' }: CloudSource): Promise<CloudConfiguration> {
  if (cloud !== undefined) return cloud;
  let text: string;
  try {
    text = await readFile(cloudFile, 'utf8');
  } catch (error) {
    const message = `cannot read the cloudFile ${cloudFile}: ${messageOf(error)}`;
    throw new FairleadError(message, { verdict: 'terminal', code: 'cloud-configuration-invalid', cause: error });
  }
  return parseCloudConfiguration(text, cloudFile);
}
