import type { Clock, HttpTransport } from '@fairlead/control';
import { gatewayPartWith } from '@fairlead/gateway';
import { namespaces, type Service, services, statusOf } from '@fairlead/kube';
import { OpenStackSession, parseCloudEntry } from '@fairlead/openstack/client';
import { openStackAddresses } from '@fairlead/openstack/ports';
import type { Simulation } from '@fairlead/sim';
import { OpenStackEmulator, openStackDialect } from '@fairlead/sim/openstack';
import { serveKubernetes } from '../kubernetes.ts';
import { LEASE_NAMESPACE, runReplica } from '../replica.ts';
import { create } from './service-edits.ts';
import {
  addressOf,
  FORMER_PORT,
  givenTo,
  isOurs,
  L2_PORTS,
  NAMESPACE,
  Promises,
  REPLICAS,
  type ServiceWorld,
} from './services.ts';

/** The name under which processes reach Keystone and Neutron. */
export const OPENSTACK = 'openstack';
const CLUSTER = 'cluster-1';

type Found = ReturnType<OpenStackEmulator['resources']>[number];

export interface NeutronWorld extends ServiceWorld {
  readonly emulator: OpenStackEmulator;
  readonly project: ReturnType<OpenStackEmulator['identity']['addProject']>;
  readonly network_id: string;
  /** Of IPv4. */
  readonly subnet_id: string;
  readonly floating_network_id: string;
  /** The port of the gateway. */
  readonly gatewayPort: string;
  /** A port and a floating IP that a user made for the pool. */
  readonly named: { readonly port: string; readonly floatingIp: string; readonly address: string };
  /** What others have in the project, as it was made: nothing of it may change. */
  readonly foreign: ReadonlyMap<string, string>;
  readonly takenAway: Set<string>;
  /** By which the pairs of what was taken away are gone, where it can be told whose they were. */
  comparedBy: number;
  readonly clock: Clock;
}

/** A leader compares all of it every five minutes. */
const COMPARISON_MILLISECONDS = 6 * 60_000;

export async function buildNeutronWorld(simulation: Simulation): Promise<NeutronWorld> {
  const cluster = serveKubernetes(simulation);
  for (const name of [NAMESPACE, LEASE_NAMESPACE]) await cluster.editor.create(namespaces, { metadata: { name } });
  const site = serveOpenStack(simulation);
  const { emulator, gatewayPort, named } = site;
  const users = { ports: [named.port], floatingIps: [named.address] };
  const section = { network: 'nodes', floatingNetwork: 'public', gatewayPorts: [gatewayPort], ...users };
  const configuration = { openstack: { clusterId: CLUSTER }, pools: [{ name: 'public', openstack: section }] };
  for (const name of REPLICAS) {
    simulation.process(name, (incarnation) => {
      const part = partOver(incarnation.connect(OPENSTACK));
      return runReplica(part.name, part.configure(configuration), incarnation);
    });
  }
  const part = partOver(emulator).configure(configuration);
  const deeds = { backedUp: new Set<string>(), forged: new Set<string>() };
  const { clock } = simulation;
  return { ...cluster, ...deeds, part, promises: new Promises(), ...site, takenAway: new Set(), comparedBy: 0, clock };
}

/** With a Service that ch-k8s-lbaas served, and the port and floating IP that it made for it. */
export async function buildFormerWorld(simulation: Simulation): Promise<NeutronWorld> {
  const world = await buildNeutronWorld(simulation);
  const { editor, emulator, project, network_id, subnet_id, floating_network_id } = world;
  const port = emulator.create('ports', { network_id, fixed_ips: [{ subnet_id }] }, project);
  const floatingIp = emulator.create('floatingips', { floating_network_id, port_id: port }, project);
  const body = { tags: ['cah-loadbalancer.k8s.cloudandheat.com/managed'] };
  for (const path of [`/ports/${port}/tags`, `/floatingips/${floatingIp}/tags`])
    emulator.byHand({ method: 'PUT', path, body, project });
  const { spec } = create('former', [80]);
  const annotations = { [FORMER_PORT]: port };
  await editor.create(services, { metadata: { namespace: NAMESPACE, name: 'former', annotations }, spec });
  const ingress = [{ ip: textOf(findById(emulator, floatingIp), 'floating_ip_address') }];
  const status = { loadBalancer: { ingress } };
  await editor.patchMerge<Service>(statusOf(services), { namespace: NAMESPACE, name: 'former' }, { status });
  return world;
}

/** A network of both families behind a router, the port of a gateway in it, and what others have there. */
function serveOpenStack(simulation: Simulation) {
  const emulator = new OpenStackEmulator({ clock: simulation.clock, random: simulation.random(OPENSTACK) });
  const project = emulator.identity.addProject('demo');
  emulator.identity.addUser('demo', 'secret', [project]);
  const external = emulator.create('networks', { name: 'public', 'router:external': true });
  emulator.create('subnets', { network_id: external, ip_version: 4, cidr: '203.0.113.0/24' });
  const network_id = emulator.create('networks', { name: 'nodes' }, project);
  const subnet_id = emulator.create('subnets', { network_id, ip_version: 4, cidr: '10.0.0.0/24' }, project);
  emulator.create('subnets', { network_id, ip_version: 6, cidr: 'fd00::/64' }, project);
  const router = emulator.create('routers', { external_gateway_info: { network_id: external } }, project);
  const path = `/routers/${router}/add_router_interface`;
  emulator.byHand({ method: 'PUT', path, body: { subnet_id }, project });
  const gatewayPort = emulator.create('ports', { network_id, device_owner: 'compute:nova' }, project);
  emulator.behave({ addressPairLimit: 100 });
  const byHand = (kind: 'ports' | 'floatingips', fields: Parameters<typeof emulator.create>[1]) =>
    emulator.create(kind, fields, project);
  const description = '[fairlead-cluster=cluster-2 fairlead-part=gateway] pool public';
  const floatingIp = byHand('floatingips', { floating_network_id: external, description: 'for the pool' });
  const named = {
    port: byHand('ports', { network_id, name: 'for the pool', fixed_ips: [{ subnet_id }] }),
    floatingIp,
    address: textOf(findById(emulator, floatingIp), 'floating_ip_address'),
  };
  const theirs = [
    named.port,
    byHand('ports', { network_id, name: 'of a user' }),
    byHand('ports', { network_id, name: 'fairlead-public', description }),
    byHand('floatingips', { floating_network_id: external }),
    byHand('floatingips', { floating_network_id: external, description }),
  ];
  const foreign = new Map(theirs.map((id) => [id, JSON.stringify(findById(emulator, id))]));
  putPairs(emulator, gatewayPort, [{ ip_address: FOREIGN_PAIR }]);
  simulation.serve(OPENSTACK, emulator, { dialect: openStackDialect });
  return { emulator, project, network_id, subnet_id, floating_network_id: external, gatewayPort, named, foreign };
}

function partOver(transport: HttpTransport) {
  const auth = { auth_url: 'http://openstack/identity', username: 'demo', password: 'secret', project_name: 'demo' };
  const cloud = parseCloudEntry({ auth }, '"simulated"');
  return gatewayPartWith({
    connect: () => () => transport,
    cloud: openStackAddresses(async (_, dependencies) => ({
      session: new OpenStackSession({ ...dependencies, cloud, transport }),
      [Symbol.asyncDispose]: async () => {},
    })),
  });
}

/** What an operator lets the gateway send from. */
const FOREIGN_PAIR = '192.0.2.0/29';

function findById(emulator: OpenStackEmulator, id: string): Found | undefined {
  return [...emulator.resources('ports'), ...emulator.resources('floatingips')].find((one) => one['id'] === id);
}

function putPairs(emulator: OpenStackEmulator, id: string, pairs: readonly { readonly ip_address: string }[]): void {
  const body = { port: { allowed_address_pairs: pairs.map(({ ip_address }) => ({ ip_address })) } };
  emulator.byHand({ method: 'PUT', path: `/ports/${id}`, body });
}

/** The text of a field. */
export function textOf(found: Found | undefined, name: string): string {
  const value = found?.[name];
  return typeof value === 'string' ? value : '';
}

/** The addresses of a port, or those of its pairs. */
function addressesIn(port: Found | undefined, name: 'fixed_ips' | 'allowed_address_pairs'): readonly string[] {
  const text = JSON.stringify(port?.[name] ?? []);
  return [...text.matchAll(/"ip_address":"([^"]+)"/g)].map(([, address = '']) => address);
}

/** Ports that are ours, whether Services are on them or not. */
export function ourPorts({ emulator, gatewayPort, foreign }: NeutronWorld): readonly Found[] {
  return emulator
    .resources('ports')
    .filter((port) => textOf(port, 'device_owner') === '' && textOf(port, 'id') !== gatewayPort)
    .filter((port) => !foreign.has(textOf(port, 'id')));
}

/** Ours, and the one that a user made for the pool. */
function poolPorts(world: NeutronWorld): readonly Found[] {
  const users = findById(world.emulator, world.named.port);
  return users === undefined ? ourPorts(world) : [...ourPorts(world), users];
}

function pairsOfGateway({ emulator, gatewayPort }: NeutronWorld): readonly string[] {
  return addressesIn(findById(emulator, gatewayPort), 'allowed_address_pairs').filter((one) => one !== FOREIGN_PAIR);
}

/** What is in Neutron for no Service. */
export function leakedPorts(world: NeutronWorld): readonly string[] {
  const { emulator, objects, foreign, named } = world;
  const used = new Set(objects(services).flatMap(({ metadata }) => metadata.annotations?.[L2_PORTS]?.split(',') ?? []));
  // It stays as long as the floating IP is named: by its address, which one of ours may get when a user deleted it.
  const isNamed = (one: Found) => textOf(one, 'floating_ip_address') === named.address;
  used.add(textOf(emulator.resources('floatingips').find(isNamed), 'port_id'));
  const unused = ourPorts(world)
    .map((port) => textOf(port, 'id'))
    .filter((id) => !used.has(id));
  const spare = emulator
    .resources('floatingips')
    .filter(({ port_id }) => port_id === null)
    .map((one) => textOf(one, 'id'))
    .filter((id) => !foreign.has(id));
  // Whose pair it was, a later leader can no longer tell where another program deleted the port.
  const stale = stalePairs(world).filter((address) => !world.takenAway.has(address));
  return [
    ...unused.map((id) => `the port ${id} is there for no Service`),
    ...spare.map((id) => `the floating IP ${id} has no port`),
    ...stale.map((address) => `the gateway may send from ${address}, which is no port's`),
  ];
}

function stalePairs(world: NeutronWorld): readonly string[] {
  const addresses = new Set(poolPorts(world).flatMap((port) => addressesIn(port, 'fixed_ips')));
  return pairsOfGateway(world).filter((address) => !addresses.has(address));
}

/** Pairs of ports that another program deleted, which a leader may yet take off. */
export function uncompared(world: NeutronWorld): readonly string[] {
  if (world.clock.monotonic() >= world.comparedBy) return [];
  return stalePairs(world).map((address) => `the gateway may send from ${address}, which was taken away`);
}

/** What others have, and is not as they made it. */
export function changedForeign({ emulator, gatewayPort, foreign, named, takenAway }: NeutronWorld): string | undefined {
  const changed = [...foreign].find(([id, before]) => JSON.stringify(findById(emulator, id)) !== before);
  if (changed !== undefined) return `${changed[0]} is of another, and was changed or deleted`;
  const users = findById(emulator, named.floatingIp);
  if (users === undefined && !takenAway.has(named.floatingIp)) return 'the floating IP of a user was deleted';
  if (users !== undefined && `${textOf(users, 'description')} ${JSON.stringify(users['tags'])}` !== 'for the pool []')
    return 'the floating IP of a user was marked as ours';
  const pairs = addressesIn(findById(emulator, gatewayPort), 'allowed_address_pairs');
  return pairs.includes(FOREIGN_PAIR) ? undefined : 'the gateway may no longer send from what its operator allowed';
}

/** Addresses that Services show and no port of the pool has. */
export function shownWithoutPort(world: NeutronWorld): readonly string[] {
  const ids = new Set(ourPorts(world).map((port) => textOf(port, 'id')));
  const there = new Set([
    ...poolPorts(world).flatMap((port) => addressesIn(port, 'fixed_ips')),
    ...world.emulator
      .resources('floatingips')
      .filter((one) => ids.has(textOf(one, 'port_id')))
      .map((one) => textOf(one, 'floating_ip_address')),
  ]);
  const shown = world.objects(services).filter(isOurs).flatMap(givenTo);
  return shown.filter((one) => !there.has(addressOf(one)) && !world.takenAway.has(addressOf(one)));
}

/** Ports of ours whose tags were dropped, or those of their floating IPs. */
export function untagged(world: NeutronWorld): readonly string[] {
  const ports = ourPorts(world);
  const ids = new Set(ports.map((port) => textOf(port, 'id')));
  const floatingIps = world.emulator
    .resources('floatingips')
    .filter((one) => ids.has(textOf(one, 'port_id')) && one['id'] !== world.named.floatingIp);
  return [...ports, ...floatingIps]
    .filter(({ tags }) => !JSON.stringify(tags).includes(CLUSTER))
    .map((one) => `${textOf(one, 'id')} has no tags`);
}

/** Takes a port of ours or its floating IP away, as another program would. */
export function takeAway(world: NeutronWorld, what: 'ports' | 'floatingips', index: number): void {
  const { emulator, project, takenAway } = world;
  const port = ourPorts(world)[index];
  const floatingIp = emulator.resources('floatingips').find(({ port_id }) => port_id === port?.['id']);
  const gone = what === 'ports' ? port : floatingIp;
  if (gone === undefined) return;
  for (const address of addressesIn(port, 'fixed_ips')) takenAway.add(address);
  takenAway.add(textOf(floatingIp, 'floating_ip_address'));
  takenAway.add(textOf(gone, 'id'));
  world.comparedBy = world.clock.monotonic() + COMPARISON_MILLISECONDS;
  emulator.byHand({ method: 'DELETE', path: `/${what}/${textOf(gone, 'id')}`, project });
}

/** Addresses of ports that the gateway may not send from, once at rest. */
export function unattached(world: NeutronWorld): readonly string[] {
  const attached = new Set(pairsOfGateway(world));
  return poolPorts(world)
    .flatMap((port) => addressesIn(port, 'fixed_ips'))
    .filter((address) => !attached.has(address))
    .map((address) => `the gateway may not send from ${address}`);
}
