import { type HttpTransport, randomPick } from '@fairlead/control';
import { ArmClient, armId, clientOptionsOf, cloudConfiguration, groupPath, type OpenAzure } from '@fairlead/azure/arm';
import type { Simulation } from '@fairlead/sim';
import { type ArmBehaviour, ArmEmulator, armDialect } from '@fairlead/sim/azure';

/** The name under which processes reach Azure. */
export const AZURE = 'azure';

/** The resource group everything is in. */
export const GROUP = { subscriptionId: 'sub', resourceGroup: 'cluster' };

const LOCATION = 'westeurope';

/** Where everything is, for the configuration of a part. */
export const CLOUD = { ...GROUP, location: LOCATION, vnetName: 'net', subnetName: 'nodes', securityGroupName: 'nodes' };

/** An emulated Azure with a network and a security group, which the simulated processes reach by its name. */
export function serveAzure(simulation: Simulation, behaviour: Partial<ArmBehaviour>): ArmEmulator {
  const { clock } = simulation;
  const random = simulation.random('azure');
  // Drawn apart, so that it changes nothing else in the history of a seed.
  const spelling = randomPick(simulation.random('spelling'), ['as-written', 'its-own'] as const);
  const groups = [groupPath(GROUP)];
  const emulator = new ArmEmulator({ clock, random, groups, behaviour: { spelling, ...behaviour } });
  const securityGroup = armId('networkSecurityGroups', GROUP, CLOUD.securityGroupName);
  emulator.byHand({ method: 'PUT', path: securityGroup, body: { location: LOCATION, properties: {} } });
  const subnets = [
    {
      name: 'nodes',
      properties: {
        addressPrefixes: ['10.0.0.0/16', 'fd00::/64'],
        // What the operator has set there, and wants to keep.
        networkSecurityGroup: { id: securityGroup },
        serviceEndpoints: [{ service: 'Microsoft.Storage', locations: [LOCATION] }],
        privateEndpointNetworkPolicies: 'Enabled',
      },
    },
  ];
  const properties = { addressSpace: { addressPrefixes: ['10.0.0.0/8', 'fd00::/48'] }, subnets };
  const network = armId('virtualNetworks', GROUP, CLOUD.vnetName);
  emulator.byHand({ method: 'PUT', path: network, body: { location: LOCATION, properties } });
  simulation.serve(AZURE, emulator, { dialect: armDialect });
  return emulator;
}

/** A way to Azure over a transport: that of a simulated process, or the emulator itself, without a network in between. */
export function openAzureOver(transport: HttpTransport): OpenAzure {
  return async (source, dependencies) => ({
    client: new ArmClient({ ...dependencies, ...clientOptionsOf(source), endpoint: 'https://azure', transport }),
    cloud: source.cloud ?? cloudConfiguration.parse(CLOUD),
    [Symbol.asyncDispose]: async () => {},
  });
}
