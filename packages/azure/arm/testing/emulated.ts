import { type HttpTransport, type Metrics, noMetrics, seededRandom, VirtualClock } from '@fairlead/control';
import { type ArmBehaviour, ArmEmulator, FAST } from '@fairlead/sim/azure';
import { armId, childArmId } from '../arm-id.ts';
import { ArmClient, type ArmClientOptions } from '../client/client.ts';
import type { ArmBodies, ArmRequestBody } from '../types/index.ts';

export const group = { subscriptionId: 'sub', resourceGroup: 'cluster' };
const location = 'westeurope';

const network = armId('virtualNetworks', group, 'net');
const gateway = armId('serviceGateways', group, 'sgw');
const publicIp = (name: string) => armId('publicIPAddresses', group, `${name}-pip`);
const loadBalancer = (name: string) => armId('loadBalancers', group, name);
const pool = (name: string) => childArmId('backendAddressPools', loadBalancer(name), name);
const subnet = childArmId('subnets', network, 'nodes');

export const ids = { network, gateway, publicIp, loadBalancer, pool, subnet };

export const bodies = {
  gateway: { location, properties: { virtualNetwork: { id: network } } } satisfies ArmRequestBody<
    ArmBodies['serviceGateways']
  >,
  publicIp: {
    location,
    sku: { name: 'StandardV2' },
    properties: { publicIPAllocationMethod: 'Static', publicIPAddressVersion: 'IPv4' },
  } satisfies ArmRequestBody<ArmBodies['publicIPAddresses']>,
  loadBalancer: (name: string): ArmRequestBody<ArmBodies['loadBalancers']> => ({
    location,
    sku: { name: 'Service' },
    properties: {
      scope: 'Public',
      frontendIPConfigurations: [{ name: 'frontend', properties: { publicIPAddress: { id: publicIp(name) } } }],
      backendAddressPools: [{ name, properties: {} }],
      loadBalancingRules: [
        {
          name: 'rule-tcp-80',
          properties: {
            protocol: 'Tcp',
            frontendPort: 80,
            backendPort: 8080,
            frontendIPConfiguration: { id: childArmId('frontendIPConfigurations', loadBalancer(name), 'frontend') },
            backendAddressPool: { id: pool(name) },
          },
        },
      ],
    },
  }),
};

export interface EmulatedOptions extends Partial<Omit<ArmClientOptions, 'clock' | 'transport'>> {
  readonly behaviour?: Partial<ArmBehaviour>;
  readonly metrics?: Metrics;
  /** Puts something between client and emulator. */
  readonly between?: (emulator: HttpTransport) => HttpTransport;
}

/** A client and the Azure it talks to, with a network in it, on virtual time. */
export function emulated({ behaviour = {}, between = (emulator) => emulator, ...options }: EmulatedOptions = {}) {
  const clock = new VirtualClock();
  const groups = [`/subscriptions/${group.subscriptionId}/resourceGroups/${group.resourceGroup}`];
  const emulator = new ArmEmulator({ clock, random: seededRandom(1), groups, behaviour: { ...FAST, ...behaviour } });
  const subnets = [{ name: 'nodes', properties: { addressPrefix: '10.0.0.0/16' } }];
  const properties = { addressSpace: { addressPrefixes: ['10.0.0.0/8'] }, subnets };
  emulator.byHand({ method: 'PUT', path: network, body: { location, properties } });
  const client = new ArmClient({
    endpoint: 'https://arm.test',
    random: seededRandom(2),
    metrics: noMetrics,
    userAgent: 'fairlead/test',
    ...options,
    clock,
    transport: between(emulator),
  });
  return { clock, emulator, client };
}
