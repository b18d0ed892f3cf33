import { armId, groupPath } from '@fairlead/azure/arm';
import { seededRandom, type VirtualClock } from '@fairlead/control';
import { ArmEmulator, FAST } from '@fairlead/sim/azure';
import { ARM_BUCKETS } from '../arm-buckets.ts';

export const GROUP = { subscriptionId: 'sub', resourceGroup: 'cluster' };
export const LOCATION = 'westeurope';
export const LOAD_BALANCERS = ['one', 'two', 'three', 'four', 'five'];

/** How long a call to Azure takes, there and back, unless told. */
const CALL_MILLISECONDS = 100;

/** What Azure is like beyond that. */
export interface AzureHabits {
  readonly callMilliseconds?: number;
  /** How long it is at a write after it has accepted it. */
  readonly writeMilliseconds?: number;
  /** With the buckets that Azure publishes for each principal in a subscription. */
  readonly hasBuckets?: boolean;
}

/** An Azure with a network in it, the same for both sides. */
export function emulatedAzure(
  clock: VirtualClock,
  { callMilliseconds = CALL_MILLISECONDS, writeMilliseconds = 0, hasBuckets = false }: AzureHabits = {},
): ArmEmulator {
  const azure = new ArmEmulator({
    clock,
    random: seededRandom(1),
    groups: [groupPath(GROUP)],
    behaviour: {
      ...FAST,
      latency: { minimum: callMilliseconds, maximum: callMilliseconds },
      operationTime: { minimum: writeMilliseconds, maximum: writeMilliseconds },
      ...(hasBuckets ? { rateLimits: ARM_BUCKETS } : {}),
    },
  });
  const subnets = [{ name: 'nodes', properties: { addressPrefix: '10.0.0.0/16' } }];
  const properties = { addressSpace: { addressPrefixes: ['10.0.0.0/8'] }, subnets };
  const path = armId('virtualNetworks', GROUP, 'net');
  azure.byHand({ method: 'PUT', path, body: { location: LOCATION, properties } });
  return azure;
}
