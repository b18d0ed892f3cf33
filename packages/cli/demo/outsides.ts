import { systemClock, systemRandom } from '@fairlead/control/adapters';
import type { DemoOutsides } from '@fairlead/part';
import { startBroker } from './broker.ts';
import { startOpenStack } from './openstack.ts';

const GROUP = '/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/demo';
const NETWORK = `${GROUP}/providers/Microsoft.Network/virtualNetworks/demo`;

/** What there is outside the cluster of the demo, by the names under which the scenes ask for it. */
export interface RunningOutsides extends AsyncDisposable {
  readonly outsides: DemoOutsides;
}

interface RunningOutside extends AsyncDisposable {
  readonly endpoint: string;
}

/** Name -> how it is started. A scene that needs something new outside adds it here. */
const STARTERS: Readonly<Record<string, () => Promise<RunningOutside>>> = {
  azure: startAzure,
  'gateway-1': startAgent,
  'gateway-2': startAgent,
  broker: startBroker,
  openstack: startOpenStack,
};

export async function startOutsides(): Promise<RunningOutsides> {
  await using started = new AsyncDisposableStack();
  const outsides: Record<string, string> = {};
  for (const [name, start] of Object.entries(STARTERS)) outsides[name] = started.use(await start()).endpoint;
  const running = started.move();
  return { outsides, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** An emulated Azure with the resource group and the network that the scenes name. */
async function startAzure(): Promise<RunningOutside> {
  const { ArmEmulator, FAST } = await import('@fairlead/sim/azure');
  const { serveEmulator } = await import('@fairlead/sim/cloud/http');
  const emulator = new ArmEmulator({ clock: systemClock, random: systemRandom, groups: [GROUP], behaviour: FAST });
  const subnets = [{ name: 'nodes', properties: { addressPrefix: '10.0.0.0/16' } }];
  const properties = { addressSpace: { addressPrefixes: ['10.0.0.0/8'] }, subnets };
  emulator.byHand({ method: 'PUT', path: NETWORK, body: { location: 'westeurope', properties } });
  return serveEmulator(emulator);
}

/** The agent of a gateway node, without a kernel below it. */
async function startAgent(): Promise<RunningOutside> {
  const { SimulatedAgent } = await import('@fairlead/sim/gateway');
  const { serveEmulator } = await import('@fairlead/sim/cloud/http');
  return serveEmulator(new SimulatedAgent(systemClock));
}
