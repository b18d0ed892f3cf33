import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noMetrics, seededRandom } from '@fairlead/control';
import { systemClock } from '@fairlead/control/adapters';
import { describe, expect, it } from 'vitest';
import { serviceGatewayConfiguration } from '../configuration.ts';
import { openAzure } from './open-azure.ts';

const surroundings = { clock: systemClock, random: seededRandom(1), metrics: noMetrics, userAgent: 'test' };
const cloud = {
  subscriptionId: 'sub',
  resourceGroup: 'cluster',
  location: 'westeurope',
  resourceManagerEndpoint: 'http://127.0.0.1:1',
};

describe('opening Azure', () => {
  it('takes the cloud from the section itself, or from the file that it names', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'open-azure-'));
    try {
      const cloudFile = join(folder, 'azure.json');
      await writeFile(cloudFile, JSON.stringify(cloud));
      await using inline = await openAzure(serviceGatewayConfiguration.parse({ cloud }), surroundings);
      await using fromFile = await openAzure(serviceGatewayConfiguration.parse({ cloudFile }), surroundings);
      expect(fromFile.cloud).toEqual(inline.cloud);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('says in one line that the file cannot be read', async () => {
    const configuration = serviceGatewayConfiguration.parse({ cloudFile: '/does/not/exist.json' });
    await expect(openAzure(configuration, surroundings)).rejects.toMatchObject({
      verdict: 'terminal',
      code: 'cloud-configuration-invalid',
      message: expect.stringContaining('cannot read cloudFile: ENOENT'),
    });
  });
});
