import { silentLogger } from '@fairlead/control';
import { gatewayPartWith } from '@fairlead/gateway';
import { TestCluster, TestLeader } from '@fairlead/part/testing';
import { SimulatedAgent } from '@fairlead/sim/gateway';
import { emulated } from '../../client/testing/emulated.ts';
import { openStackAddresses } from '../address-cloud.ts';

const certificates = { certificateFile: 'certificate', keyFile: 'key', authorityFile: 'authority' };
const gateways = [{ name: 'gw', url: 'https://gw' }];
/** Of what is ours in the pool. */
export const TAGS = ['fairlead-cluster=cluster-1', 'fairlead-part=gateway', 'fairlead-pool=web'];

/** The gateway part in a cluster, and a project with a network of both families behind a router. */
export async function portsWorld(change: object = {}, prefix = 24) {
  const { clock, emulator, project, openSession } = emulated();
  const external = emulator.create('networks', { name: 'public', 'router:external': true });
  emulator.create('subnets', { network_id: external, ip_version: 4, cidr: `203.0.112.0/${prefix}` });
  const network_id = emulator.create('networks', { name: 'nodes' }, project);
  const subnet_id = emulator.create('subnets', { network_id, ip_version: 4, cidr: `10.0.0.0/${prefix}` }, project);
  emulator.create('subnets', { network_id, ip_version: 6, cidr: 'fd00::/64' }, project);
  const router = emulator.create('routers', { external_gateway_info: { network_id: external } }, project);
  const interfaces = `/routers/${router}/add_router_interface`;
  emulator.byHand({ method: 'PUT', path: interfaces, body: { subnet_id }, project });
  const gatewayPort = emulator.create('ports', { network_id, device_owner: 'compute:nova' }, project);

  const cluster = await new TestCluster({ loadBalancerClass: 'fairlead.dev/gateway' }, clock).setUp();
  const agent = new SimulatedAgent(clock);
  const part = gatewayPartWith({ connect: () => () => agent, cloud: openStackAddresses(openSession) });
  const section = { network: 'nodes', floatingNetwork: 'public', gatewayPorts: [gatewayPort], ...change };
  const configure = (more: object = {}) => {
    const pools = [{ name: 'web', gateways, openstack: { ...section, ...more } }];
    return part.configure({ openstack: { clusterId: 'cluster-1' }, pools, certificates });
  };
  const configured = configure();
  /** With more in the section of the pool. */
  const lead = (more: object = {}) => new TestLeader(cluster, (environment) => configure(more).start(environment));

  /** Those of the pool, without the router's and the gateway's. */
  const ports = () => emulator.resources('ports').filter(({ device_owner }) => device_owner === '');
  const floatingIps = () => emulator.resources('floatingips');
  const pairs = () => emulator.resources('ports').find(({ id }) => id === gatewayPort)?.['allowed_address_pairs'];
  const neutronWrites = () => emulator.log.writes.filter(({ kind }) => kind !== 'tokens');
  const setQuota = (quota: Readonly<Record<string, number>>) =>
    emulator.byHand({ method: 'PUT', path: `/quotas/${project.id}`, body: { quota } });
  const messageOn = async (name: string) => (await cluster.service(name))?.status?.conditions?.[0]?.message;
  const pass = (seconds: number) => clock.advance(seconds * 1_000);
  const outside = {
    emulator,
    project,
    external,
    network_id,
    subnet_id,
    gatewayPort,
    ports,
    floatingIps,
    pairs,
    neutronWrites,
    setQuota,
  };
  const look = { client: cluster.client, clock, logger: silentLogger, signal: new AbortController().signal };
  return { ...outside, cluster, agent, configured, look, lead, messageOn, pass };
}

/** Of the first. */
export function idOf([first]: readonly { readonly id?: unknown }[]): string {
  return typeof first?.id === 'string' ? first.id : '';
}
