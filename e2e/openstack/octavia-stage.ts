import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noMetrics } from '@fairlead/control';
import { systemClock, systemRandom } from '@fairlead/control/adapters';
import { type KubeObject, type Resource, type Service, services } from '@fairlead/kube';
import { NeutronClient, OctaviaClient } from '@fairlead/openstack/client';
import { type OpenedOpenStack, openCloud } from '@fairlead/openstack/client/adapters';
import {
  type Cluster,
  eventually,
  Fairlead,
  playNode,
  playPod,
  type RunningFairlead,
  startCluster,
} from '../harness/index.ts';
import { readField, readText } from '../harness/untyped.ts';
import type { OpenStackAccess } from './openstack.ts';
import { createProject } from './project.ts';

const PROJECT = 'octavia-e2e';
const LEASES = 'fairlead-leases';
const DEFINITION = 'deploy/chart/fairlead/custom-resources/octavia/kuryrloadbalancers.openstack.org.yaml';
/** Octavia takes seconds for each change, on a busy machine ten. */
const PATIENCE_MS = 90_000;

/** Of the only node. */
export const NODE_ADDRESS = '10.40.0.200';

/** As much of the resource as the tests look at. */
export interface KuryrLoadBalancer extends KubeObject {
  readonly spec?: {
    readonly schema_version?: number;
    readonly ip?: string;
    readonly ports?: readonly { readonly port: number; readonly protocol: string; readonly targetPort: string }[];
    readonly subsets?: readonly unknown[];
  };
  readonly status?: {
    readonly loadbalancer?: { readonly id: string; readonly ip?: string; readonly port_id?: string } | null;
    readonly listeners?: readonly { readonly id: string; readonly port?: number; readonly protocol?: string }[] | null;
    readonly members?: readonly { readonly ip?: string; readonly port?: number }[] | null;
    readonly pools?: readonly { readonly id: string }[] | null;
  } | null;
}

export const kuryrLoadBalancers: Resource<KuryrLoadBalancer> = {
  group: 'openstack.org',
  version: 'v1',
  plural: 'kuryrloadbalancers',
  kind: 'KuryrLoadBalancer',
  namespaced: true,
};

/** The part between a real cluster and a real OpenStack, in which it has a network with a way out. */
export class OctaviaStage implements AsyncDisposable {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly octavia: OctaviaClient;
  readonly neutron: NeutronClient;
  readonly fairlead: Fairlead;
  readonly securityGroupId: string;
  readonly subnetId: string;
  readonly #opened: OpenedOpenStack;
  readonly #networkId: string;
  /** Paths of what was made in Neutron, the newest last. */
  readonly #made: readonly string[];
  readonly #folder: string;
  #running: RunningFairlead | undefined;

  private constructor(
    cluster: Cluster,
    namespace: string,
    fairlead: Fairlead,
    opened: OpenedOpenStack,
    folder: string,
    made: readonly string[],
  ) {
    this.cluster = cluster;
    this.namespace = namespace;
    this.fairlead = fairlead;
    this.#opened = opened;
    this.#folder = folder;
    this.#made = made;
    this.octavia = new OctaviaClient(opened.session);
    this.neutron = new NeutronClient(opened.session);
    this.#networkId = idAt(made, 'networks');
    this.securityGroupId = idAt(made, 'security-groups');
    this.subnetId = idAt(made, 'subnets');
  }

  static async open(access: OpenStackAccess): Promise<OctaviaStage> {
    const folder = await mkdtemp(join(tmpdir(), 'fairlead-octavia-'));
    const cloudsFile = join(folder, 'clouds.yaml');
    await createProject(access, PROJECT);
    const { authUrl: auth_url, userPassword: password } = access;
    const auth = { auth_url, username: PROJECT, password, project_name: PROJECT };
    await writeFile(cloudsFile, JSON.stringify({ clouds: { real: { auth } } }));
    const dependencies = { clock: systemClock, random: systemRandom, metrics: noMetrics, userAgent: 'fairlead e2e' };
    // Neutron may still remember the user without a role: another token is asked for then.
    const { opened, made } = await eventually(
      async () => {
        const one = await openCloud({ cloudsFile, cloud: 'real' }, dependencies);
        return { opened: one, made: await makeNetwork(one) };
      },
      { describe: 'the new user to be let in', intervalMs: 1_000 },
    );
    const cluster = await startCluster();
    const { kubeconfigPath } = await cluster.createIdentity('fairlead');
    await cluster.kubectl(['create', 'namespace', LEASES]);
    await cluster.kubectl(['apply', '-f', DEFINITION]);
    await cluster.kubectl(['wait', '--for=condition=Established', 'crd/kuryrloadbalancers.openstack.org']);
    await playNode(cluster.client, { name: 'node-1', addresses: [NODE_ADDRESS] });
    const fairlead = await Fairlead.configure({
      kubernetes: { kubeconfig: kubeconfigPath },
      leaderElection: { namespace: LEASES },
      parts: {
        octavia: {
          cloudsFile,
          cloud: 'real',
          network: idAt(made, 'networks'),
          floatingNetwork: 'public',
          members: 'pods',
          memberSubnets: [idAt(made, 'subnets')],
          memberSecurityGroups: [idAt(made, 'security-groups')],
          adopt: {},
          // What is deleted behind its back is found by looking.
          comparisonIntervalSeconds: 5,
        },
      },
    });
    return new OctaviaStage(cluster, await cluster.createNamespace('octavia'), fairlead, opened, folder, made);
  }

  async start(): Promise<void> {
    this.#running = await this.fairlead.run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running?.kill();
    await this.cluster.stop();
    const interfaces = `routers/${idAt(this.#made, 'routers')}/remove_router_interface`;
    await send(this.#opened, 'PUT', interfaces, { subnet_id: idAt(this.#made, 'subnets') });
    // Where a test failed, something may still use it: the cloud ends with the run.
    for (const path of this.#made.toReversed()) await send(this.#opened, 'DELETE', path).catch(() => undefined);
    await this.#opened[Symbol.asyncDispose]();
    await this.fairlead.remove();
    await rm(this.#folder, { recursive: true });
  }

  /** A Service of our class that selects pods by its name. */
  createService(name: string, ports: Service['spec']['ports']): Promise<Service> {
    return this.cluster.client.create(services, {
      metadata: { namespace: this.namespace, name },
      spec: {
        type: 'LoadBalancer',
        loadBalancerClass: 'fairlead.dev/octavia',
        selector: { app: name },
        ...(ports === undefined ? {} : { ports }),
      },
    });
  }

  playPod(app: string, address: string) {
    const name = `${app}-${address.split('.').at(-1)}`;
    return playPod(this.cluster.client, {
      namespace: this.namespace,
      name,
      node: 'node-1',
      addresses: [address],
      labels: { app },
    });
  }

  /** The address that the Service shows, once it does. */
  addressOf(name: string): Promise<string> {
    return this.eventually(`the Service ${name} to have an address`, async () => {
      const service = await this.cluster.client.get(services, { namespace: this.namespace, name });
      return service.status?.loadBalancer?.ingress?.[0]?.ip;
    });
  }

  resource(name: string): Promise<KuryrLoadBalancer | undefined> {
    return this.cluster.client.find(kuryrLoadBalancers, { namespace: this.namespace, name });
  }

  /**
   * What is in Octavia for a Service, as lines such as `TCP 80 10.40.0.10:8080,10.40.0.11:8080`: only when all of it is
   * ACTIVE, and the status of the resource tells the same.
   */
  async balancing(name: string): Promise<readonly string[] | undefined> {
    const resource = await this.resource(name);
    const id = resource?.status?.loadbalancer?.id;
    const balancer = id === undefined ? undefined : await this.octavia.findLoadBalancer(id);
    if (id === undefined || balancer?.provisioning_status !== 'ACTIVE') return undefined;
    const lines: string[] = [];
    const listeners = await this.octavia.listListeners({ loadbalancer_id: id });
    for (const { protocol, protocol_port, default_pool_id } of listeners) {
      const members = default_pool_id === undefined ? [] : await this.octavia.listMembers(default_pool_id);
      const addresses = members.map((member) => `${member.address}:${member.protocol_port}`).toSorted();
      lines.push(`${protocol} ${protocol_port} ${addresses.join()}`);
    }
    const told = (resource?.status?.listeners ?? [])
      .map((one) => one.id)
      .toSorted()
      .join();
    return told ===
      listeners
        .map((one) => one.id)
        .toSorted()
        .join()
      ? lines.toSorted()
      : undefined;
  }

  async untilBalancing(name: string, ...lines: readonly string[]): Promise<void> {
    let seen: readonly string[] | undefined;
    await this.eventually(
      `the load balancer of ${name} to be ${lines.join(' and ')}; it is ${seen?.join(' and ')}`,
      async () => {
        seen = await this.balancing(name);
        return seen?.join('\n') === lines.toSorted().join('\n');
      },
    );
  }

  /** All that there is in OpenStack besides what was there before any Service. */
  async left(): Promise<readonly string[]> {
    const [balancers, ports, floatingIps, rules] = await Promise.all([
      this.octavia.listLoadBalancers(),
      this.neutron.listPorts({ network_id: this.#networkId }),
      this.neutron.listFloatingIps(),
      this.neutron.listSecurityGroupRules({ security_group_id: this.securityGroupId, direction: 'ingress' }),
    ]);
    return [
      ...balancers.map(({ name }) => `load balancer ${name}`),
      ...ports.filter(({ device_owner }) => !device_owner.startsWith('network:')).map(({ name }) => `port ${name}`),
      ...floatingIps.map(({ floating_ip_address }) => `floating IP ${floating_ip_address}`),
      ...rules.map(({ description }) => `rule ${description}`),
    ];
  }

  eventually<Value>(describe: string, condition: () => Promise<Value | false | undefined>): Promise<Value> {
    return eventually(condition, { describe, timeoutMs: PATIENCE_MS, intervalMs: 500 });
  }
}

/** A network with a router to `public`, and a security group: the paths of what was made. */
async function makeNetwork(opened: OpenedOpenStack): Promise<readonly string[]> {
  const made: string[] = [];
  const make = async (kind: string, singular: string, fields: object): Promise<string> => {
    const { body } = await send(opened, 'POST', kind, { [singular]: fields });
    const id = readText(readField(body, singular), 'id');
    made.push(`${kind}/${id}`);
    return id;
  };
  const [external] = await new NeutronClient(opened.session).listNetworks({ name: 'public' });
  const network_id = await make('networks', 'network', { name: 'octavia-e2e' });
  const subnet_id = await make('subnets', 'subnet', { network_id, ip_version: 4, cidr: '10.40.0.0/24' });
  const router = { name: 'octavia-e2e', external_gateway_info: { network_id: external?.id ?? '' } };
  const routerId = await make('routers', 'router', router);
  await send(opened, 'PUT', `routers/${routerId}/add_router_interface`, { subnet_id });
  await make('security-groups', 'security_group', { name: 'octavia-e2e' });
  return made;
}

function send(opened: OpenedOpenStack, method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object) {
  const [kind = ''] = path.split('/');
  return opened.session.send('network', 'v2.0', {
    verb: method,
    kind,
    subject: '',
    method,
    path,
    ...(body === undefined ? {} : { body }),
  });
}

function idAt(made: readonly string[], kind: string): string {
  return made.find((path) => path.startsWith(`${kind}/`))?.slice(kind.length + 1) ?? '';
}
