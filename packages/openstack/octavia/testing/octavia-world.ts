import { customResourceDefinitions, type Service, type ServiceSpec } from '@fairlead/kube';
import { NAMESPACE, TestCluster, TestLeader } from '@fairlead/part/testing';
import { emulated, withNetwork } from '../../client/testing/emulated.ts';
import { octaviaConfiguration } from '../configuration.ts';
import { runController } from '../controller.ts';
import type { Site } from '../drivers/site.ts';
import { kuryrLoadBalancerDefinition } from '../resource/definition.ts';
import { type KuryrLoadBalancer, kuryrLoadBalancers } from '../resource/types.ts';
import { MemoryLbaas } from './memory-lbaas.ts';
import { testSite } from './test-site.ts';

/** A cluster, Neutron, and load balancers in memory, on one virtual clock. */
export class OctaviaWorld {
  readonly openstack = emulated();
  readonly lbaas = new MemoryLbaas();
  readonly cluster = new TestCluster({ loadBalancerClass: 'fairlead.dev/octavia' }, this.openstack.clock);
  site: Site = testSite;
  leader: TestLeader | undefined;

  async setUp(site: Partial<Site> = {}, { hasFloatingIps = false } = {}): Promise<this> {
    await this.cluster.setUp(['10.0.0.11'], ['10.0.0.12']);
    await this.cluster.client.create(customResourceDefinitions, kuryrLoadBalancerDefinition);
    await this.cluster.clock.advance(1_000);
    const network_id = withNetwork(this.openstack);
    const subnets = this.openstack.emulator.resources('subnets');
    const subnet = (version: number) => {
      const { id, cidr } = subnets.find(({ ip_version }) => ip_version === version) ?? {};
      return { id: typeof id === 'string' ? id : '', cidr: typeof cidr === 'string' ? cidr : '', network_id };
    };
    const floatingNetworkId = hasFloatingIps ? this.#withRouter(subnet(4).id) : undefined;
    this.site = { ...testSite, vipSubnets: { IPv4: subnet(4), IPv6: subnet(6) }, floatingNetworkId, ...site };
    const ofPort = (portId: string, field: string) => {
      const port = this.openstack.emulator.resources('ports').find(({ id }) => id === portId);
      return new RegExp(`"${field}":"([^"]+)"`).exec(JSON.stringify(port?.['fixed_ips']))?.[1];
    };
    this.lbaas.vipOf = (portId) => ofPort(portId, 'ip_address') ?? '';
    this.lbaas.subnetOf = (portId) => ofPort(portId, 'subnet_id');
    return this;
  }

  /** An external network that the subnet has a way to. */
  #withRouter(subnet_id: string): string {
    const { emulator, project } = this.openstack;
    const external = emulator.create('networks', { name: 'public', 'router:external': true });
    emulator.create('subnets', { network_id: external, ip_version: 4, cidr: '203.0.113.0/24' });
    const router = emulator.create('routers', { external_gateway_info: { network_id: external } }, project);
    const path = `/routers/${router}/add_router_interface`;
    emulator.byHand({ method: 'PUT', path, body: { subnet_id }, project });
    return external;
  }

  /** One that a user has. */
  async floatingIp(): Promise<{ readonly id: string; readonly address: string }> {
    const { emulator, project } = this.openstack;
    const id = emulator.create('floatingips', { floating_network_id: this.site.floatingNetworkId ?? '' }, project);
    const found = emulator.resources('floatingips').find((one) => one['id'] === id);
    const address = found?.['floating_ip_address'];
    return { id, address: typeof address === 'string' ? address : '' };
  }

  start(configuration: object = {}): TestLeader {
    const parsed = octaviaConfiguration.parse({ network: 'nodes', members: 'pods', ...configuration });
    const { neutron } = this.openstack;
    const openstack = {
      site: this.site,
      lbaas: this.lbaas,
      neutron,
      [Symbol.asyncDispose]: async () => {},
    };
    this.leader = new TestLeader(this.cluster, (environment) => runController(parsed, openstack, environment));
    return this.leader;
  }

  async run(seconds = 10): Promise<void> {
    await this.cluster.clock.advance(seconds * 1_000);
  }

  /** A Service with pods behind it, and what became of it after a while. */
  async serve(
    name = 'web',
    spec: Partial<ServiceSpec> = {},
    annotations: Readonly<Record<string, string>> = {},
  ): Promise<Service | undefined> {
    await this.cluster.putSlice(name, `${name}-1`, ['10.1.0.1@node-1', '10.1.0.2@node-2']);
    await this.cluster.createService(name, spec, annotations);
    await this.run();
    return this.cluster.service(name);
  }

  resource(name = 'web'): Promise<KuryrLoadBalancer | undefined> {
    return this.cluster.client.find(kuryrLoadBalancers, { namespace: NAMESPACE, name });
  }

  /** The kinds of what was done to load balancers. */
  get steps(): readonly string[] {
    return this.lbaas.log.map(({ kind }) => kind);
  }
}
