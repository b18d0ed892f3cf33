import { seededRandom, silentLogger, type VirtualClock } from '@fairlead/control';
import type { LeaderPart, Part, ReadEnvironment } from '@fairlead/part';
import type { ArmEmulator } from '@fairlead/sim/azure';
import { ArmClient, cloudConfiguration, type OpenAzure } from '../../arm/index.ts';
import { serviceGatewayPart } from '../part.ts';
import { scope } from './azure-bench.ts';
import type { GatewayCluster } from './cluster.ts';

const cloud = {
  subscriptionId: 'sub',
  resourceGroup: 'cluster',
  location: scope.location,
  vnetName: 'net',
  subnetName: 'nodes',
};

/** The part with an emulated Azure behind it. */
export function emulatedPart(azure: ArmEmulator): Part<LeaderPart> {
  const open: OpenAzure = async (_, dependencies) => ({
    client: new ArmClient({ ...dependencies, random: seededRandom(9), endpoint: 'https://arm.test', transport: azure }),
    cloud: cloudConfiguration.parse(cloud),
    async [Symbol.asyncDispose]() {},
  });
  return serviceGatewayPart(open);
}

export function configuredPart(azure: ArmEmulator, section: object = {}): LeaderPart {
  return emulatedPart(azure).configure({
    cloud,
    gatewayName: 'sgw',
    clusterId: 'cluster-1',
    defaultOutbound: false,
    ...section,
  });
}

export function readEnvironment(cluster: GatewayCluster, clock: VirtualClock): ReadEnvironment {
  return { client: cluster.client, clock, logger: silentLogger, signal: new AbortController().signal };
}
