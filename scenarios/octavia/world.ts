import { type Clock, type HttpTransport, sleep } from '@fairlead/control';
import {
  type CustomResourceDefinition,
  customResourceDefinitions,
  namespaces,
  type Node,
  nodes,
  type Service,
  services,
  statusOf,
} from '@fairlead/kube';
import { OpenStackSession, parseCloudEntry } from '@fairlead/openstack/client';
import { octaviaPart } from '@fairlead/openstack/octavia';
import type { LeaderPart } from '@fairlead/part';
import type { Simulation } from '@fairlead/sim';
import { AMPHORA_DURATION, OpenStackEmulator, openStackDialect } from '@fairlead/sim/openstack';
import { type Cluster, serveKubernetes } from '../kubernetes.ts';
import { LEASE_NAMESPACE, runReplica } from '../replica.ts';
import { SHARERS } from './edits.ts';
import { type Inheritance, leavePredecessors } from './predecessors.ts';
import {
  addressOfNode,
  CLUSTER,
  fieldText,
  MEMBER_RANGE,
  NAMESPACE,
  NODES,
  OPENSTACK,
  REPLICAS,
  type Settings,
  VIP_RANGES,
} from './site.ts';

export interface World extends Cluster {
  readonly settings: Settings;
  readonly part: LeaderPart;
  readonly emulator: OpenStackEmulator;
  readonly project: ReturnType<OpenStackEmulator['identity']['addProject']>;
  /** What users of OpenStack have there: nothing of it may change. */
  readonly foreign: ForeignThings;
  /** A floating IP that a user made, and Services may ask for. */
  readonly chosenAddress: string;
  /** UID of a Service -> the port of its VIP, once the status of its resource told it. */
  readonly vipPorts: Map<string, string>;
  readonly inheritances: readonly Inheritance[];
}

/** Long enough for a Service to leave, and shorter than a request may take. */
const HAND_OVER_MILLISECONDS = 8_000;

export interface ForeignThings {
  readonly loadBalancer: string;
  readonly listener: string;
  readonly floatingIp: string;
  readonly rule: string;
  readonly securityGroup: string;
}

export async function buildWorld(simulation: Simulation, settings: Settings): Promise<World> {
  const cluster = serveKubernetes(simulation);
  for (const name of [NAMESPACE, LEASE_NAMESPACE]) await cluster.editor.create(namespaces, { metadata: { name } });
  const duration = settings.isSlow ? AMPHORA_DURATION : { minimum: 0, maximum: 500 };
  const random = simulation.random(OPENSTACK);
  const emulator = new OpenStackEmulator({ clock: simulation.clock, random });
  const { subnets, ...site } = furnish(emulator);
  for (const name of NODES) await cluster.editor.create<Node>(nodes, node(name));
  const served =
    settings.heirs === 'stay' ? emulator : withoutHeirs(emulator, cluster, simulation.clock, settings.heirs);
  simulation.serve(OPENSTACK, served, { dialect: openStackDialect });
  const configuration = {
    clusterId: CLUSTER,
    network: 'private',
    floatingNetwork: 'public',
    members: settings.members,
    ...(settings.predecessors === 'adopted' ? { adopt: {} } : {}),
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
  await establish(cluster, part.customResources);
  const { editor } = cluster;
  const inheritances =
    settings.predecessors === 'none'
      ? []
      : await leavePredecessors({ editor, emulator, project: site.project, ...subnets }, settings);
  emulator.behave({ octavia: { duration, failures: settings.failures } });
  const configured = part.configure(configuration);
  return { ...cluster, ...site, settings, emulator, part: configured, vipPorts: new Map(), inheritances };
}

/** Hands nothing over before the first Service that gets something has had the time to leave: the next may stay. */
function withoutHeirs(
  emulator: OpenStackEmulator,
  { editor }: Cluster,
  clock: Clock,
  heirs: 'are-deleted' | 'stop-sharing',
): HttpTransport {
  let first: string | undefined;
  const leave = async (name: string) => {
    const key = { namespace: NAMESPACE, name };
    if ((await editor.find(services, key)) === undefined) return;
    if (heirs === 'are-deleted') return editor.delete(services, key);
    await editor.patchMerge<Service>(services, key, { metadata: { annotations: null } });
  };
  return {
    async send(request) {
      const isOfNeutron = /\/(?:ports|floatingips)\/[^/]+$/.test(request.url);
      const heir = SHARERS.heirs.find((name) => request.body?.includes(`Service ${NAMESPACE}/${name}"`) === true);
      if (request.method === 'PUT' && isOfNeutron && heir !== undefined) {
        first ??= heir;
        if (heir === first) await leave(heir);
        await sleep(clock, HAND_OVER_MILLISECONDS);
      }
      return emulator.send(request);
    },
  };
}

/** They are accepted at once: no time passes while the world is built. */
async function establish({ editor }: Cluster, definitions: readonly CustomResourceDefinition[]): Promise<void> {
  const told = {
    status: 'True',
    lastTransitionTime: '2026-01-01T00:00:00Z',
    reason: 'BeforeTheStart',
    message: '',
  } as const;
  const accepted = ['NamesAccepted', 'Established'].map((type) => ({ type, ...told }));
  for (const definition of definitions) {
    const { metadata } = await editor.create(customResourceDefinitions, definition);
    await editor.patchMerge(statusOf(customResourceDefinitions), metadata, { status: { conditions: accepted } });
  }
}

function node(name: string): Node {
  return {
    metadata: { name },
    status: {
      addresses: [{ type: 'InternalIP', address: addressOfNode(name) }],
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  };
}

/** A network of both families behind a router, the pods' network and security group, and what others have there. */
function furnish(emulator: OpenStackEmulator) {
  const project = emulator.identity.addProject('demo');
  emulator.identity.addUser('demo', 'secret', [project]);
  const external = emulator.create('networks', { name: 'public', 'router:external': true });
  emulator.create('subnets', { network_id: external, ip_version: 4, cidr: '203.0.113.0/24' });
  const network_id = emulator.create('networks', { name: 'private' }, project);
  const subnet_id = emulator.create('subnets', { network_id, ip_version: 4, cidr: VIP_RANGES.IPv4 }, project);
  emulator.create('subnets', { network_id, ip_version: 6, cidr: VIP_RANGES.IPv6 }, project);
  const pods = emulator.create('networks', { name: 'pods' }, project);
  const ofPods = { network_id: pods, name: 'pods', ip_version: 4, cidr: MEMBER_RANGE };
  const memberSubnet = emulator.create('subnets', ofPods, project);
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
  const foreign = { loadBalancer, listener, floatingIp, rule, securityGroup };
  return { project, chosenAddress, foreign, subnets: { subnet: subnet_id, externalNetwork: external, memberSubnet } };
}

function partOver(transport: HttpTransport) {
  const auth = { auth_url: 'http://openstack/identity', username: 'demo', password: 'secret', project_name: 'demo' };
  const cloud = parseCloudEntry({ auth }, '"simulated"');
  return octaviaPart(async (_, dependencies) => ({
    session: new OpenStackSession({ ...dependencies, cloud, transport }),
    [Symbol.asyncDispose]: async () => {},
  }));
}
