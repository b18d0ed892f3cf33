import { armId, groupPath } from '@fairlead/azure/arm';
import { seededRandom, type VirtualClock } from '@fairlead/control';
import { ArmEmulator, FAST } from '@fairlead/sim/azure';

export const GROUP = { subscriptionId: 'sub', resourceGroup: 'cluster' };
export const LOCATION = 'westeurope';
export const LOAD_BALANCERS = ['one', 'two', 'three', 'four', 'five'];

/** How long a call to Azure takes, there and back. */
const LATENCY = { minimum: 100, maximum: 100 };

/** An Azure with a network in it, the same for both sides. */
export function emulatedAzure(clock: VirtualClock): ArmEmulator {
  const azure = new ArmEmulator({
    clock,
    random: seededRandom(1),
    groups: [groupPath(GROUP)],
    behaviour: { ...FAST, latency: LATENCY },
  });
  const subnets = [{ name: 'nodes', properties: { addressPrefix: '10.0.0.0/16' } }];
  const properties = { addressSpace: { addressPrefixes: ['10.0.0.0/8'] }, subnets };
  const path = armId('virtualNetworks', GROUP, 'net');
  azure.byHand({ method: 'PUT', path, body: { location: LOCATION, properties } });
  return azure;
}
