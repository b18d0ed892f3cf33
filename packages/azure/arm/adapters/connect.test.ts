import { noMetrics, seededRandom } from '@fairlead/control';
import { SocketTransport, systemClock } from '@fairlead/control/adapters';
import { serveBehindProxy } from '@fairlead/control/testing';
import { ArmEmulator, FAST } from '@fairlead/sim/azure';
import { serveEmulator } from '@fairlead/sim/cloud/http';
import { describe, expect, it } from 'vitest';
import { armId } from '../arm-id.ts';
import { ArmClient } from '../client/client.ts';
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

  it('asks through the proxy of the environment', async () => {
    await using server = await serveBehindProxy((_, response) => {
      response.setHeader('content-type', 'application/json').end('{"value":[]}');
    });
    const tls = { certificateAuthority: server.authority };
    const transport = new SocketTransport({ tls, environment: { HTTPS_PROXY: server.proxy } });
    const client = new ArmClient({
      clock: systemClock,
      random: seededRandom(2),
      metrics: noMetrics,
      userAgent: 'fairlead/test',
      endpoint: server.origin,
      transport,
    });
    expect(await client.list('publicIPAddresses', { subscriptionId: 'sub', resourceGroup: 'cluster' })).toEqual([]);
    expect(server.asked).toEqual(['CONNECT server.test:443']);
    await transport.close();
  });
});
