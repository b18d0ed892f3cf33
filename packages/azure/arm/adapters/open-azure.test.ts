import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noMetrics, seededRandom, VirtualClock } from '@fairlead/control';
import { describe, expect, it } from 'vitest';
import { openAzure } from './open-azure.ts';

const dependencies = { clock: new VirtualClock(), random: seededRandom(1), metrics: noMetrics, userAgent: 'test' };
const cloud = {
  subscriptionId: 'sub',
  resourceGroup: 'cluster',
  location: 'westeurope',
  resourceManagerEndpoint: 'http://127.0.0.1:1',
};
const invalid = (message: RegExp) =>
  expect.objectContaining({ code: 'cloud-configuration-invalid', message: expect.stringMatching(message) });

describe('openAzure', () => {
  it('takes the cloud from the configuration itself, or from the file that it names', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fairlead-'));
    try {
      const cloudFile = join(folder, 'azure.json');
      await writeFile(cloudFile, JSON.stringify({ ...cloud, location: 'northeurope' }));
      await using inline = await openAzure({ cloud }, dependencies);
      await using fromFile = await openAzure({ cloudFile }, dependencies);
      expect([inline.cloud.location, fromFile.cloud.location]).toEqual(['westeurope', 'northeurope']);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('names the file that it cannot read', async () => {
    await expect(openAzure({ cloudFile: '/nowhere/azure.json' }, dependencies)).rejects.toThrowError(
      invalid(/^cannot read the cloudFile \/nowhere\/azure\.json: /),
    );
  });
});
