import { noMetrics, seededRandom } from '@fairlead/control';
import { systemClock } from '@fairlead/control/adapters';
import { ArmEmulator, FAST } from '@fairlead/sim/azure';
import { serveEmulator } from '@fairlead/sim/cloud/http';
import { describe, expect, it } from 'vitest';
import { armId } from '../arm-id.ts';
import { networkGroup, parseCloudConfiguration } from '../configuration/cloud-configuration.ts';
import { connectToAzure } from './connect.ts';

describe('connecting to Azure', () => {
  it('talks over sockets to the endpoint of the configuration', async () => {
    const groups = ['/subscriptions/sub/resourceGroups/cluster'];
    const behaviour = { ...FAST, authorize: (header: string | undefined) => header === undefined };
    const emulator = new ArmEmulator({ clock: systemClock, random: seededRandom(1), groups, behaviour });
    await using server = await serveEmulator(emulator);
    const text = JSON.stringify({
      subscriptionId: 'sub',
      resourceGroup: 'cluster',
      location: 'westeurope',
      resourceManagerEndpoint: server.endpoint,
    });
    const configuration = parseCloudConfiguration(text, 'azure.json');
    await using azure = connectToAzure(configuration, {
      clock: systemClock,
      random: seededRandom(2),
      metrics: noMetrics,
      userAgent: 'fairlead/test',
    });
    const id = armId('publicIPAddresses', networkGroup(configuration), 'web-pip');
    const created = await azure.client.put(id, {
      location: configuration.location,
      sku: { name: 'StandardV2' },
      properties: { publicIPAllocationMethod: 'Static' },
    });
    expect(created.properties.ipAddress).toBe('198.18.0.1');
    expect(await azure.client.list('publicIPAddresses', networkGroup(configuration))).toEqual([created]);
  });
});
