import { type HttpTransport, type Random, randomPick } from '@fairlead/control';
import { customResourceDefinitions, namespaces } from '@fairlead/kube';
import { OpenStackSession, parseCloudEntry } from '@fairlead/openstack/client';
import { octaviaPart } from '@fairlead/openstack/octavia';
import type { LeaderPart } from '@fairlead/part';
import type { Simulation } from '@fairlead/sim';
import { AMPHORA_DURATION, OpenStackEmulator, openStackDialect } from '@fairlead/sim/openstack';
import { type Cluster, serveKubernetes } from '../kubernetes.ts';
import { LEASE_NAMESPACE, runReplica } from '../replica.ts';

/** The name under which processes reach Keystone, Neutron and Octavia. */
export const OPENSTACK = 'openstack';
export const NAMESPACE = 'shop';
export const REPLICAS = ['replica-1', 'replica-2'];
export const CLUSTER = 'cluster-1';
export const CLASS = 'fairlead.dev/octavia';

/** What differs from seed to seed. */
export interface Settings {
  /** Whether OpenStack is compared now and then with what should be, so that what others delete there comes back. */
  readonly isCompared: boolean;
  /** Whether changes take as long as amphorae take, 2 to 60 seconds, or come at once. */
  readonly isSlow: boolean;
  /** How often Octavia fails at a change. */
  readonly failures: number;
}

export interface World extends Cluster {
  readonly settings: Settings;
  readonly part: LeaderPart;
  readonly emulator: OpenStackEmulator;
  readonly project: ReturnType<OpenStackEmulator['identity']['addProject']>;
  /** What users of OpenStack have there: nothing of it may change. */
  readonly foreign: ForeignThings;
  /** A floating IP that a user made, and Services may ask for. */
  readonly chosenAddress: string;
  /** UID of a Service -> the port of its VIP, once it was there. */
  readonly vipPorts: Map<string, string>;
}

export interface ForeignThings {
  readonly loadBalancer: string;
  readonly listener: string;
  readonly floatingIp: string;
  readonly rule: string;
  readonly securityGroup: string;
}

export function drawSettings(random: Random): Settings {
  const isCompared = random.next() < 0.5;
  return { isCompared, isSlow: random.next() < 0.5, failures: randomPick(random, [0, 0, 0.03]) };
}

export async function buildWorld(simulation: Simulation, settings: Settings): Promise<World> {
  const cluster = serveKubernetes(simulation);
  for (const name of [NAMESPACE, LEASE_NAMESPACE]) await cluster.editor.create(namespaces, { metadata: { name } });
  const duration = settings.isSlow ? AMPHORA_DURATION : { minimum: 0, maximum: 500 };
  const random = simulation.random(OPENSTACK);
  const emulator = new OpenStackEmulator({ clock: simulation.clock, random });
  const site = furnish(emulator);
  emulator.behave({ octavia: { duration, failures: settings.failures } });
  simulation.serve(OPENSTACK, emulator, { dialect: openStackDialect });
  const configuration = {
    clusterId: CLUSTER,
    network: 'private',
    floatingNetwork: 'public',
    members: 'pods',
    memberSubnets: ['pods'],
    memberSecurityGroups: ['pods'],
    comparisonIntervalSeconds: settings.isCompared ? 120 : 0,
  };
  for (const name of REPLICAS) {
    simulation.process(name, (incarnation) => {
      const part = partOver(incarnation.connect(OPENSTACK));
      return runReplica(part.name, part.configure(configuration), incarnation);
    });
  }
  const part = partOver(emulator);
  for (const definition of part.customResources) await cluster.editor.create(customResourceDefinitions, definition);
  return { ...cluster, ...site, settings, emulator, part: part.configure(configuration), vipPorts: new Map() };
}

/** A network of both families behind a router, the pods' network and security group, and what others have there. */
function furnish(emulator: OpenStackEmulator) {
  const project = emulator.identity.addProject('demo');
  emulator.identity.addUser('demo', 'secret', [project]);
  const external = emulator.create('networks', { name: 'public', 'router:external': true });
  emulator.create('subnets', { network_id: external, ip_version: 4, cidr: '203.0.113.0/24' });
  const network_id = emulator.create('networks', { name: 'private' }, project);
  const subnet_id = emulator.create('subnets', { network_id, ip_version: 4, cidr: '10.0.0.0/24' }, project);
  emulator.create('subnets', { network_id, ip_version: 6, cidr: 'fd00::/64' }, project);
  const pods = emulator.create('networks', { name: 'pods' }, project);
  emulator.create('subnets', { network_id: pods, name: 'pods', ip_version: 4, cidr: '10.1.0.0/16' }, project);
  const router = emulator.create('routers', { external_gateway_info: { network_id: external } }, project);
  const path = `/routers/${router}/add_router_interface`;
  emulator.byHand({ method: 'PUT', path, body: { subnet_id }, project });
  const securityGroup = emulator.create('security-groups', { name: 'pods' }, project);
  const ssh = { security_group_id: securityGroup, direction: 'ingress', ethertype: 'IPv4', protocol: 'tcp' };
  const rule = emulator.create('security-group-rules', { ...ssh, port_range_min: 22, port_range_max: 22 }, project);
  const floatingIp = emulator.create('floatingips', { floating_network_id: external }, project);
  const chosenAddress = fieldText(
    emulator.resources('floatingips').find(({ id }) => id === floatingIp),
    'floating_ip_address',
  );
  const byHand = emulator.byHand({
    method: 'POST',
    path: '/lbaas/loadbalancers',
    body: {
      loadbalancer: {
        name: 'by-hand',
        vip_subnet_id: subnet_id,
        tags: ['fairlead-cluster=another', 'fairlead-part=octavia', 'fairlead-service=of-others'],
        listeners: [{ name: 'by-hand', protocol: 'TCP', protocol_port: 80 }],
      },
    },
    project,
  });
  const loadBalancer = fieldText(byHand['loadbalancer'], 'id');
  const listener = fieldText(emulator.octaviaResources('listeners')[0], 'id');
  return { project, chosenAddress, foreign: { loadBalancer, listener, floatingIp, rule, securityGroup } };
}

/** The field of an answer, where it is text. */
export function fieldText(value: unknown, name: string): string {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof found === 'string' ? found : '';
}

function partOver(transport: HttpTransport) {
  const auth = { auth_url: 'http://openstack/identity', username: 'demo', password: 'secret', project_name: 'demo' };
  const cloud = parseCloudEntry({ auth }, '"simulated"');
  return octaviaPart(async (_, dependencies) => ({
    session: new OpenStackSession({ ...dependencies, cloud, transport }),
    [Symbol.asyncDispose]: async () => {},
  }));
}
