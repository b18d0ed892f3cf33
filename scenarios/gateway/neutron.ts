import type { HttpTransport } from '@fairlead/control';
import { gatewayPartWith } from '@fairlead/gateway';
import { namespaces, services } from '@fairlead/kube';
import { OpenStackSession, parseCloudEntry } from '@fairlead/openstack/client';
import { openStackAddresses } from '@fairlead/openstack/ports';
import type { Scenario, Simulation } from '@fairlead/sim';
import { OpenStackEmulator, openStackDialect } from '@fairlead/sim/openstack';
import { serveKubernetes } from '../kubernetes.ts';
import { LEASE_NAMESPACE, runReplica } from '../replica.ts';
import { create, type ServiceEdit } from './service-edits.ts';
import { L2_PORTS, leakedMarks, NAMESPACE, Promises, REPLICAS, type ServiceWorld } from './services.ts';
import { gatewayStaticCrash } from './static.ts';

/** The name under which processes reach Keystone and Neutron. */
const OPENSTACK = 'openstack';
const CLUSTER = 'cluster-1';

interface NeutronWorld extends ServiceWorld {
  readonly emulator: OpenStackEmulator;
  /** The port of the gateway. */
  readonly gatewayPort: string;
}

/** A few edits without any faults: the crash matrix kills a replica at each of the calls they cause. */
export const gatewayNeutronCrash: Scenario<NeutronWorld, ServiceEdit> = {
  ...gatewayStaticCrash,
  name: 'gateway-neutron-crash',
  description: 'one replica is killed before and after each of its calls: no port and no floating IP is leaked',
  // What is read in the same way over and over tells the first few times.
  isCrashPoint: ({ name, ordinal }) => !/leases|^(?:LIST|GET) /.test(name) || ordinal <= 3,
  actions: () => [
    { at: 1_000, event: create('web', [80]) },
    { at: 1_500, event: create('shop', [80]) },
    { at: 20_000, event: create('dns', [53]) },
    { at: 40_000, event: { kind: 'delete', name: 'shop' } },
    { at: 50_000, event: { kind: 'delete', name: 'web' } },
    { at: 60_000, event: { kind: 'delete', name: 'dns' } },
  ],
  build,
  // A login changes nothing: a token ends, and a new leader has none.
  rest: { minutes: 10, allows: ({ name }) => /leases|events|POST tokens/.test(name) },
  leaked: (world) => [...leakedMarks(world), ...leakedPorts(world)],
};

async function build(simulation: Simulation): Promise<NeutronWorld> {
  const cluster = serveKubernetes(simulation);
  for (const name of [NAMESPACE, LEASE_NAMESPACE]) await cluster.editor.create(namespaces, { metadata: { name } });
  const { emulator, gatewayPort } = serveOpenStack(simulation);
  const section = { network: 'nodes', floatingNetwork: 'public', gatewayPorts: [gatewayPort] };
  const configuration = { openstack: { clusterId: CLUSTER }, pools: [{ name: 'public', openstack: section }] };
  for (const name of REPLICAS) {
    simulation.process(name, (incarnation) => {
      const part = partOver(incarnation.connect(OPENSTACK));
      return runReplica(part.name, part.configure(configuration), incarnation);
    });
  }
  const part = partOver(emulator).configure(configuration);
  const deeds = { backedUp: new Set<string>(), forged: new Set<string>() };
  return { ...cluster, ...deeds, part, promises: new Promises(), emulator, gatewayPort };
}

/** A network of both families behind a router, and the port of a gateway in it. */
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
  simulation.serve(OPENSTACK, emulator, { dialect: openStackDialect });
  return { emulator, gatewayPort };
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

/** What is in Neutron for no Service. */
function leakedPorts({ emulator, objects, gatewayPort }: NeutronWorld): readonly string[] {
  const used = new Set(objects(services).flatMap(({ metadata }) => metadata.annotations?.[L2_PORTS]?.split(',') ?? []));
  const ports = emulator.resources('ports');
  const idsOf = (resources: typeof ports) => resources.flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
  const unused = idsOf(ports.filter(({ device_owner }) => device_owner === '')).filter((id) => !used.has(id));
  const spare = idsOf(emulator.resources('floatingips').filter(({ port_id }) => port_id === null));
  const addresses = JSON.stringify(ports.filter(({ id }) => id !== gatewayPort).map((port) => port['fixed_ips']));
  const pairs = JSON.stringify(ports.find(({ id }) => id === gatewayPort)?.['allowed_address_pairs'] ?? []);
  const stale = [...pairs.matchAll(/"ip_address":("[^"]+")/g)].filter(
    ([, address = '']) => !addresses.includes(address),
  );
  return [
    ...unused.map((id) => `the port ${id} is there for no Service`),
    ...spare.map((id) => `the floating IP ${id} has no port`),
    ...stale.map(([, address]) => `the gateway may send from ${address}, which is no port's`),
  ];
}
