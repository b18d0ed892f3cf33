import { seededRandom, VirtualClock } from '@fairlead/control';
import type { JsonObject } from '../../json.ts';
import { type ArmBehaviour, FAST } from '../behaviour.ts';
import { ArmEmulator } from '../emulator.ts';

const GROUP = '/subscriptions/sub/resourceGroups/cluster';
const NETWORK = `${GROUP}/providers/Microsoft.Network`;

/** Ids of what the tests of the emulator play with. */
export const ids = {
  network: `${NETWORK}/virtualNetworks/net`,
  subnet: `${NETWORK}/virtualNetworks/net/subnets/nodes`,
  gateway: `${NETWORK}/serviceGateways/sgw`,
  publicIp: (name: string) => `${NETWORK}/publicIPAddresses/${name}-pip`,
  loadBalancer: (name: string) => `${NETWORK}/loadBalancers/${name}`,
  pool: (name: string) => `${NETWORK}/loadBalancers/${name}/backendAddressPools/${name}`,
  natGateway: (name: string) => `${NETWORK}/natGateways/${name}`,
  securityGroup: `${NETWORK}/networkSecurityGroups/nodes`,
  list: (kind: string) => `${NETWORK}/${kind}`,
};

export const bodies = {
  network: {
    location: 'westeurope',
    properties: {
      addressSpace: { addressPrefixes: ['10.0.0.0/8'] },
      subnets: [{ name: 'nodes', properties: { addressPrefix: '10.0.0.0/16' } }],
    },
  },
  gateway: { location: 'westeurope', properties: { virtualNetwork: { id: ids.network } } },
  publicIp: {
    location: 'westeurope',
    sku: { name: 'StandardV2' },
    properties: { publicIPAllocationMethod: 'Static', publicIPAddressVersion: 'IPv4' },
  },
  loadBalancer: (name: string, ports: readonly number[] = [80]): JsonObject => ({
    location: 'westeurope',
    sku: { name: 'Service' },
    properties: {
      scope: 'Public',
      frontendIPConfigurations: [{ name: 'frontend', properties: { publicIPAddress: { id: ids.publicIp(name) } } }],
      backendAddressPools: [{ name, properties: {} }],
      loadBalancingRules: ports.map((port) => ({
        name: `rule-tcp-${port}`,
        properties: {
          protocol: 'Tcp',
          frontendPort: port,
          backendPort: port,
          frontendIPConfiguration: { id: `${ids.loadBalancer(name)}/frontendIPConfigurations/frontend` },
          backendAddressPool: { id: ids.pool(name) },
        },
      })),
    },
  }),
  natGateway: (name: string): JsonObject => ({
    location: 'westeurope',
    sku: { name: 'StandardV2' },
    properties: { publicIpAddresses: [{ id: ids.publicIp(name) }], serviceGateway: { id: ids.gateway } },
  }),
};

/** An emulator with a network and a gateway in it, on virtual time. */
export function emulated(behaviour: Partial<ArmBehaviour> = {}) {
  const clock = new VirtualClock();
  const emulator = new ArmEmulator({
    clock,
    random: seededRandom(1),
    groups: [GROUP],
    behaviour: { ...FAST, ...behaviour },
  });
  emulator.byHand({ method: 'PUT', path: ids.network, body: bodies.network });
  emulator.byHand({ method: 'PUT', path: ids.gateway, body: bodies.gateway });
  return { clock, emulator };
}

/** Puts the address and the load balancer of an inbound service there, and registers it. */
export function withInbound(emulator: ArmEmulator, name: string): void {
  emulator.byHand({ method: 'PUT', path: ids.publicIp(name), body: bodies.publicIp });
  emulator.byHand({ method: 'PUT', path: ids.loadBalancer(name), body: bodies.loadBalancer(name) });
  updateServices(emulator, [inbound(name)]);
}

export const inbound = (name: string): JsonObject => ({
  isDelete: false,
  service: { name, properties: { serviceType: 'Inbound', loadBalancerBackendPools: [{ id: ids.pool(name) }] } },
});

export const removed = (name: string): JsonObject => ({ isDelete: true, service: { name } });

export function updateServices(
  emulator: ArmEmulator,
  serviceRequests: readonly JsonObject[],
  action = 'PartialUpdate',
) {
  emulator.byHand({ method: 'POST', path: `${ids.gateway}/updateServices`, body: { action, serviceRequests } });
}

/** `locations` by node, then by address: the services. */
export function updateLocations(
  emulator: ArmEmulator,
  locations: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>,
  action = 'PartialUpdate',
  addressUpdateAction = 'PartialUpdate',
) {
  const addressLocations = Object.entries(locations).map(([addressLocation, addresses]) => ({
    addressLocation,
    addressUpdateAction,
    addresses: Object.entries(addresses).map(([address, services]) => ({ address, services })),
  }));
  emulator.byHand({
    method: 'POST',
    path: `${ids.gateway}/updateAddressLocations`,
    body: { action, addressLocations },
  });
}

/** The locations as plain data. */
export function locationsOf(
  emulator: ArmEmulator,
): Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> {
  const { locations } = emulator.gateway(ids.gateway);
  return Object.fromEntries([...locations].map(([location, addresses]) => [location, Object.fromEntries(addresses)]));
}
