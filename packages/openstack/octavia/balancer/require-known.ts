import { refusal } from '@fairlead/service';
import type { NeutronClient } from '../../client/index.ts';
import type { LbaasDriver } from '../drivers/lbaas-driver.ts';
import type { DesiredBalancer } from './desired.ts';
import type { Heirs } from './sharing/balancer-users.ts';
import { requireFree, type UserPort } from './network/user-port.ts';

/** Where is looked for it. */
interface Surroundings {
  readonly lbaas: LbaasDriver;
  readonly neutron: NeutronClient;
  readonly heirs: Heirs;
}

/**
 * Refuses what names something that does not exist, before anything is created for it: Octavia and Neutron refuse it,
 * too, but some of it only when the port of the VIP, or the load balancer, is there.
 */
export async function requireKnown(desired: DesiredBalancer, around: Surroundings, signal: AbortSignal): Promise<void> {
  const { availabilityZone, flavorId, provider, vip } = desired;
  const { lbaas, neutron } = around;
  if (provider !== undefined && !(await lbaas.hasProvider(provider, signal))) {
    throw refusal('provider-unknown', `it asks for the provider ${provider}, which Octavia has not`);
  }
  if (availabilityZone !== undefined && !(await lbaas.hasAvailabilityZone(availabilityZone, signal))) {
    const message = `it asks for the availability zone ${availabilityZone}, which Octavia has not`;
    throw refusal('availability-zone-unknown', message);
  }
  if (flavorId !== undefined && !(await lbaas.hasFlavor(flavorId, signal))) {
    throw refusal('flavor-unknown', `it asks for the flavor ${flavorId}, which does not exist`);
  }
  if (vip.kind === 'port') requireFree(desired.owner, vip, await readPort(vip.portId, around, signal));
  await requireSubnets(desired, neutron, signal);
  await requireExternal(desired, neutron, signal);
}

async function readPort(id: string, { lbaas, neutron, heirs }: Surroundings, signal: AbortSignal): Promise<UserPort> {
  const port = await neutron.findPort(id, { signal });
  if (port === undefined) return { port, balancers: [], floatingIps: [], serviceUids: [] };
  const [balancers, floatingIps] = await Promise.all([
    lbaas.listOnPort(id, signal),
    neutron.listFloatingIps({ port_id: id }, { signal }),
  ]);
  return { port, balancers, floatingIps, serviceUids: heirs.servedOn(id) };
}

async function requireSubnets(
  { memberSubnetId, floatingIp }: DesiredBalancer,
  neutron: NeutronClient,
  signal: AbortSignal,
): Promise<void> {
  const named = [
    ['its members are', memberSubnetId, undefined],
    ['its floating IP is', floatingIp?.subnet_id, floatingIp?.network_id],
  ] as const;
  for (const [what, id, networkId] of named) {
    if (id === undefined) continue;
    const found = await neutron.findSubnet(id, { signal });
    if (found !== undefined && (networkId === undefined || networkId === found.network_id)) continue;
    const why = found === undefined ? 'does not exist' : `is not of the network ${networkId ?? ''}`;
    throw refusal('subnet-unknown', `${what} to be in the subnet ${id}, which ${why}`);
  }
}

async function requireExternal(
  { floatingIp }: DesiredBalancer,
  neutron: NeutronClient,
  signal: AbortSignal,
): Promise<void> {
  if (floatingIp === undefined) return;
  const network = await neutron.findNetwork(floatingIp.network_id, { signal });
  if (network?.['router:external'] === true) return;
  const what = network === undefined ? 'does not exist' : 'is not external';
  throw refusal('network-unknown', `its floating IP is to be of the network ${floatingIp.network_id}, which ${what}`);
}
