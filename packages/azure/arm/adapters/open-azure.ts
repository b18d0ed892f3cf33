import { readFile } from 'node:fs/promises';
import { messageOf } from '@fairlead/control';
import {
  type CloudConfiguration,
  invalidCloud,
  parseCloudConfiguration,
} from '../configuration/cloud-configuration.ts';
import type { OpenAzure } from '../parts/azure-access.ts';
import { type CloudSource, clientOptionsOf } from '../parts/azure-section.ts';
import { connectToAzure } from './connect.ts';

/** Connects to the Azure that is configured. */
export const openAzure: OpenAzure = async (source, dependencies) => {
  const cloud = await readCloud(source);
  return { ...connectToAzure(cloud, { ...dependencies, ...clientOptionsOf(source) }), cloud };
};

async function readCloud({ cloud, cloudFile = '' }: CloudSource): Promise<CloudConfiguration> {
  if (cloud !== undefined) return cloud;
  let text: string;
  try {
    text = await readFile(cloudFile, 'utf8');
  } catch (error) {
    throw invalidCloud(`cannot read the cloudFile ${cloudFile}: ${messageOf(error)}`, error);
  }
  return parseCloudConfiguration(text, cloudFile);
}
