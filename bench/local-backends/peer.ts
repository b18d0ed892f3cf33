import { ArmClient, type ArmId, armId, childArmId } from '@fairlead/azure/arm';
import { noMetrics, seededRandom, VirtualClock } from '@fairlead/control';
import { type AzureHabits, emulatedAzure, GROUP, LOAD_BALANCERS, LOCATION } from './emulated-azure.ts';
import { PeerQueue } from './peer-queue.ts';
import { nodeAddress, nodesOf, type RollingRestart } from './rolling-restart.ts';
import { INTERVAL_MILLISECONDS, type Side } from './side.ts';

/** The model of the peer, on pools that are as the restart finds them. */
export async function startPeer({ initial }: RollingRestart, habits?: AzureHabits): Promise<Side> {
  const clock = new VirtualClock();
  const azure = emulatedAzure(clock, habits);
  const addresses = initial.map((pods) => nodesOf(pods).map(nodeAddress));
  for (const name of LOAD_BALANCERS) {
    const backendAddressPools = addresses.flatMap((list, service) =>
      isOn(service, name) ? [poolOf(service, list)] : [],
    );
    const body = { location: LOCATION, sku: { name: 'Standard' }, properties: { backendAddressPools } };
    azure.byHand({ method: 'PUT', path: loadBalancerId(name), body });
  }
  const client = newClient(azure, clock);
  const queue = new PeerQueue({ client, clock, intervalMilliseconds: INTERVAL_MILLISECONDS, maxRetries: 3 });
  void queue.run();
  return {
    clock,
    azure,
    async change({ service, pods }) {
      const after = nodesOf(pods).map(nodeAddress);
      queue.changed(poolId(service), addresses[service] ?? [], after);
      addresses[service] = after;
    },
    serviceOf: (pool) => Number(pool.slice('shop-web-'.length)),
    held: () => queue.size,
  };
}

const loadBalancerOf = (service: number) => LOAD_BALANCERS[service % LOAD_BALANCERS.length] ?? '';
const isOn = (service: number, loadBalancer: string) => loadBalancerOf(service) === loadBalancer;
const loadBalancerId = (name: string) => armId('loadBalancers', GROUP, name);
const poolId = (service: number): ArmId<'backendAddressPools'> =>
  childArmId('backendAddressPools', loadBalancerId(loadBalancerOf(service)), `shop-web-${service}`);

function poolOf(service: number, addresses: readonly string[]) {
  const entries = addresses.map((address) => ({ name: address, properties: { ipAddress: address } }));
  return { name: `shop-web-${service}`, properties: { loadBalancerBackendAddresses: entries } };
}

function newClient(azure: ReturnType<typeof emulatedAzure>, clock: VirtualClock): ArmClient {
  const shared = { clock, random: seededRandom(2), metrics: noMetrics };
  return new ArmClient({ ...shared, endpoint: 'https://azure', userAgent: 'peer', transport: azure });
}
