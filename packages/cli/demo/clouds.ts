import { systemClock, systemRandom } from '@fairlead/control/adapters';
import type { DemoOutside } from '@fairlead/part';

const GROUP = '/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/demo';
const NETWORK = `${GROUP}/providers/Microsoft.Network/virtualNetworks/demo`;

/** The clouds of the demo. */
export interface EmulatedClouds extends AsyncDisposable {
  readonly outside: DemoOutside;
}

/** Starts an emulated Azure with the resource group and the network that the scenes of the parts name. */
export async function startClouds(): Promise<EmulatedClouds> {
  const { ArmEmulator } = await import('@fairlead/sim/azure');
  const { serveArm } = await import('@fairlead/sim/azure/http');
  const emulator = new ArmEmulator({ clock: systemClock, random: systemRandom, groups: [GROUP] });
  const subnets = [{ name: 'nodes', properties: { addressPrefix: '10.0.0.0/16' } }];
  const properties = { addressSpace: { addressPrefixes: ['10.0.0.0/8'] }, subnets };
  emulator.byHand({ method: 'PUT', path: NETWORK, body: { location: 'westeurope', properties } });
  const server = await serveArm(emulator);
  return { outside: { azure: server.endpoint }, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
