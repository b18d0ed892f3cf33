import { NetworkManagementClient } from '@azure/arm-network';
import { type HttpTransport, seededRandom, VirtualClock } from '@fairlead/control';
import { afterEach, describe, expect, it } from 'vitest';
import type { ArmBehaviour } from './behaviour.ts';
import { ArmEmulator } from './emulator.ts';
import { type EmulatorServer, serveEmulator } from '../cloud/http/server.ts';

const GROUP = 'cluster';
const location = 'westeurope';
const NETWORK = `/subscriptions/sub/resourceGroups/${GROUP}/providers/Microsoft.Network`;
const quickly = { updateIntervalInMs: 1 };

let server: EmulatorServer | undefined;
afterEach(async () => {
  await server?.[Symbol.asyncDispose]();
  server = undefined;
});

/** Microsoft's client, and the emulator it talks to over a socket. Time passes by a second with each call. */
async function connected(behaviour: Partial<ArmBehaviour> = {}) {
  const clock = new VirtualClock();
  const groups = [`/subscriptions/sub/resourceGroups/${GROUP}`];
  const emulator = new ArmEmulator({ clock, random: seededRandom(1), groups, behaviour });
  const transport: HttpTransport = {
    async send(request) {
      await clock.advance(1_000);
      return emulator.send(request);
    },
  };
  server = await serveEmulator(transport);
  const credential = { getToken: async () => ({ token: 'token', expiresOnTimestamp: Number.MAX_SAFE_INTEGER }) };
  const client = new NetworkManagementClient(credential, 'sub', {
    endpoint: server.endpoint,
    allowInsecureConnection: true,
    retryOptions: { maxRetries: 0 },
  });
  // The library refuses to show a token to a server without TLS; nothing here asks for one.
  client.pipeline.removePolicy({ name: 'bearerTokenAuthenticationPolicy' });
  return { client, emulator };
}

type Client = Awaited<ReturnType<typeof connected>>['client'];

async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function createNetwork(client: Client): Promise<void> {
  const subnets = [{ name: 'nodes', addressPrefix: '10.0.0.0/16' }];
  const network = { location, addressSpace: { addressPrefixes: ['10.0.0.0/8'] }, subnets };
  await client.virtualNetworks.createOrUpdate(GROUP, 'net', network, quickly);
}

async function createGateway(client: Client): Promise<void> {
  await createNetwork(client);
  const routeTargetAddress = {
    subnet: { id: `${NETWORK}/virtualNetworks/net/subnets/nodes` },
    privateIPAddress: '10.0.1.4',
    privateIPAllocationMethod: 'Static',
  };
  const gateway = { location, virtualNetwork: { id: `${NETWORK}/virtualNetworks/net` }, routeTargetAddress };
  await client.serviceGateways.createOrUpdate(GROUP, 'sgw', gateway, quickly);
}

async function createInbound(client: Client, name: string): Promise<void> {
  const loadBalancer = `${NETWORK}/loadBalancers/${name}`;
  const address = { location, sku: { name: 'StandardV2' }, publicIPAllocationMethod: 'Static' };
  const { id = '' } = await client.publicIPAddresses.createOrUpdate(GROUP, `${name}-pip`, address, quickly);
  const rule = {
    name: 'rule-tcp-80',
    protocol: 'Tcp',
    frontendPort: 80,
    backendPort: 8080,
    enableTcpReset: true,
    frontendIPConfiguration: { id: `${loadBalancer}/frontendIPConfigurations/frontend` },
    backendAddressPool: { id: `${loadBalancer}/backendAddressPools/${name}` },
  };
  const balancer = {
    location,
    sku: { name: 'Service' },
    scope: 'Public',
    frontendIPConfigurations: [{ name: 'frontend', publicIPAddress: { id } }],
    backendAddressPools: [{ name }],
    loadBalancingRules: [rule],
  };
  await client.loadBalancers.createOrUpdate(GROUP, name, balancer, quickly);
}

const inbound = (name: string) => ({
  isDelete: false,
  service: {
    name,
    serviceType: 'Inbound',
    loadBalancerBackendPools: [{ id: `${NETWORK}/loadBalancers/${name}/backendAddressPools/${name}` }],
  },
});

describe("Microsoft's own client against the emulator", () => {
  it.each<Partial<ArmBehaviour>>([
    {},
    { operationTime: { minimum: 2_500, maximum: 2_500 }, operationStyle: 'async-operation' },
    { operationTime: { minimum: 2_500, maximum: 2_500 }, operationStyle: 'location' },
  ])('creates, reads, tags, lists and deletes what an inbound service needs, with %j', async (behaviour) => {
    const { client, emulator } = await connected(behaviour);
    await createGateway(client);
    await createInbound(client, 'web');
    const gateway = await client.serviceGateways.get(GROUP, 'sgw');
    expect(gateway).toMatchObject({
      name: 'sgw',
      provisioningState: 'Succeeded',
      routeTargetAddress: { privateIPAddress: '10.0.1.4' },
    });
    const tagged = await client.serviceGateways.updateTags(GROUP, 'sgw', { tags: { owner: 'us' } });
    expect(tagged.tags).toEqual({ owner: 'us' });
    expect((await collected(client.serviceGateways.list(GROUP))).map(({ name }) => name)).toEqual(['sgw']);
    const address = await client.publicIPAddresses.get(GROUP, 'web-pip');
    expect(address).toMatchObject({
      ipAddress: '198.18.0.1',
      ipConfiguration: { id: `${NETWORK}/loadBalancers/web/frontendIPConfigurations/frontend` },
    });
    const balancer = await client.loadBalancers.get(GROUP, 'web');
    expect(balancer.loadBalancingRules).toMatchObject([{ name: 'rule-tcp-80', frontendPort: 80, backendPort: 8080 }]);
    await client.loadBalancers.delete(GROUP, 'web', quickly);
    await client.publicIPAddresses.delete(GROUP, 'web-pip', quickly);
    await client.serviceGateways.delete(GROUP, 'sgw', quickly);
    const kinds = ['loadBalancers', 'publicIPAddresses', 'serviceGateways'] as const;
    expect(kinds.flatMap((kind) => emulator.resources(kind))).toEqual([]);
  });

  it('updates services and address locations, and lists both page by page', async () => {
    const { client, emulator } = await connected({ pageSize: 1 });
    await createGateway(client);
    for (const name of ['a', 'b']) await createInbound(client, name);
    const { serviceGateways } = client;
    const update = { action: 'PartialUpdate', serviceRequests: [inbound('a'), inbound('b')] };
    expect(await serviceGateways.updateServices(GROUP, 'sgw', update)).toEqual({ status: 'Succeeded' });
    await serviceGateways.updateAddressLocations(GROUP, 'sgw', {
      action: 'PartialUpdate',
      addressLocations: [
        {
          addressLocation: '10.0.0.5',
          addressUpdateAction: 'PartialUpdate',
          addresses: [{ address: '10.1.0.1', services: ['a', 'b'] }],
        },
        {
          addressLocation: '10.0.0.6',
          addressUpdateAction: 'FullUpdate',
          addresses: [{ address: '10.1.0.2', services: ['b'] }],
        },
      ],
    });
    const services = await collected(serviceGateways.listServices(GROUP, 'sgw'));
    expect(services).toMatchObject([
      { name: 'a', serviceType: 'Inbound', isDefault: false },
      { name: 'b', loadBalancerBackendPools: [{ id: `${NETWORK}/loadBalancers/b/backendAddressPools/b` }] },
    ]);
    expect(await collected(serviceGateways.listAddressLocations(GROUP, 'sgw'))).toEqual([
      { addressLocation: '10.0.0.5', addresses: [{ address: '10.1.0.1', services: ['a', 'b'] }] },
      { addressLocation: '10.0.0.6', addresses: [{ address: '10.1.0.2', services: ['b'] }] },
    ]);
    const removal = { action: 'PartialUpdate', serviceRequests: [{ isDelete: true, service: { name: 'a' } }] };
    await expect(serviceGateways.updateServices(GROUP, 'sgw', removal)).rejects.toMatchObject({
      statusCode: 400,
      code: 'ServiceWithOverlayMappingsCannotBeDeleted',
    });
    emulator.assertConsistent();
  });

  it('registers a NAT gateway, attaches a subnet, and sees what holds what', async () => {
    const { client } = await connected();
    await createGateway(client);
    const gateway = { id: `${NETWORK}/serviceGateways/sgw` };
    const address = { location, sku: { name: 'StandardV2' }, publicIPAllocationMethod: 'Static' };
    const { id = '' } = await client.publicIPAddresses.createOrUpdate(GROUP, 'egress-pip', address, quickly);
    const natGateway = { location, sku: { name: 'StandardV2' }, publicIpAddresses: [{ id }], serviceGateway: gateway };
    const created = await client.natGateways.createOrUpdate(GROUP, 'egress', natGateway, quickly);
    const subnet = { addressPrefix: '10.0.0.0/16', serviceGateway: gateway };
    const attached = await client.subnets.createOrUpdate(GROUP, 'net', 'nodes', subnet, quickly);
    expect(attached).toMatchObject({ name: 'nodes', serviceGateway: gateway, provisioningState: 'Succeeded' });
    const service = { name: 'egress', serviceType: 'Outbound', publicNatGatewayId: created.id ?? '' };
    const update = { action: 'PartialUpdate', serviceRequests: [{ isDelete: false, service }] };
    await client.serviceGateways.updateServices(GROUP, 'sgw', update);
    expect(await client.publicIPAddresses.get(GROUP, 'egress-pip')).toMatchObject({ natGateway: { id: created.id } });
    await expect(client.natGateways.delete(GROUP, 'egress', quickly).pollUntilDone()).rejects.toMatchObject({
      code: 'InUseNatGatewayCannotBeDeleted',
    });
    await expect(client.serviceGateways.delete(GROUP, 'sgw', quickly).pollUntilDone()).rejects.toMatchObject({
      code: 'InUseServiceGatewayCannotBeDeleted',
    });
  });

  it('drives a standard load balancer: probe, backend pool with addresses, security group', async () => {
    const { client } = await connected();
    await createNetwork(client);
    const balancer = {
      location,
      sku: { name: 'Standard' },
      frontendIPConfigurations: [{ name: 'web', subnet: { id: `${NETWORK}/virtualNetworks/net/subnets/nodes` } }],
      probes: [{ name: 'health', protocol: 'Http', port: 32_000, requestPath: '/healthz' }],
    };
    await client.loadBalancers.createOrUpdate(GROUP, 'shared', balancer, quickly);
    const pool = {
      virtualNetwork: { id: `${NETWORK}/virtualNetworks/net` },
      loadBalancerBackendAddresses: [{ name: 'node-1', ipAddress: '10.0.0.4' }],
    };
    const pools = client.loadBalancerBackendAddressPools;
    await pools.createOrUpdate(GROUP, 'shared', 'web', pool, quickly);
    expect(await pools.get(GROUP, 'shared', 'web')).toMatchObject({ name: 'web', ...pool });
    expect(await client.loadBalancers.get(GROUP, 'shared')).toMatchObject({
      probes: [{ name: 'health', requestPath: '/healthz' }],
      backendAddressPools: [{ name: 'web', loadBalancerBackendAddresses: [{ ipAddress: '10.0.0.4' }] }],
    });
    const rule = { protocol: 'Tcp', access: 'Allow', direction: 'Inbound', priority: 500, destinationPortRange: '80' };
    const group = { location, securityRules: [{ name: 'web', ...rule }] };
    await client.networkSecurityGroups.createOrUpdate(GROUP, 'nodes', group, quickly);
    const read = await client.networkSecurityGroups.get(GROUP, 'nodes');
    expect(read.securityRules).toMatchObject([{ name: 'web', priority: 500 }]);
    await pools.delete(GROUP, 'shared', 'web', quickly);
    expect(await collected(pools.list(GROUP, 'shared'))).toEqual([]);
  });

  it('learns of a failed operation', async () => {
    const { client, emulator } = await connected();
    emulator.faults.next({ method: 'PUT' }, { kind: 'fail-operation', code: 'AllocationFailed', message: 'No room.' });
    const address = { location, sku: { name: 'StandardV2' }, publicIPAllocationMethod: 'Static' };
    const created = client.publicIPAddresses.createOrUpdate(GROUP, 'web-pip', address, quickly);
    await expect(created.pollUntilDone()).rejects.toThrow(/failed/i);
  });
});
