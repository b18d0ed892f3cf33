import { type KubeClient, type Service, services, statusOf } from '@fairlead/kube';
import type { OpenStackEmulator } from '@fairlead/sim/openstack';
import { resources } from './resources.ts';
import { addressOfNode, fieldText, NAMESPACE, NODES, type Settings } from './site.ts';
import { putSlice } from './slices.ts';

/** The Services that other programs have served, by the name of the load balancer that they made. */
export const PREDECESSORS: Readonly<Record<string, Predecessor>> = {
  'of-kuryr': {
    loadBalancer: `${NAMESPACE}/of-kuryr`,
    finalizer: 'kuryr.openstack.org/service-finalizer',
    floatingIp: 'kuryr_lb',
  },
  'of-cloud-provider': {
    loadBalancer: `kube_service_kubernetes_${NAMESPACE}_of-cloud-provider`,
    finalizer: 'service.kubernetes.io/load-balancer-cleanup',
    floatingIp: `Floating IP for Kubernetes external service ${NAMESPACE}/of-cloud-provider from cluster kubernetes`,
  },
};

interface Predecessor {
  readonly loadBalancer: string;
  readonly finalizer: string;
  /** How it describes the floating IPs that it makes. */
  readonly floatingIp: string;
}

/** What a predecessor left for one Service. */
export interface Inheritance {
  readonly service: string;
  /** The name of its load balancer. */
  readonly balancer: string;
  readonly ingress: string;
  /** The id of its floating IP: Neutron gives the address to another when it is free. */
  readonly floatingIp: string;
  /** All of it in OpenStack, as it was before anything of ours ran. */
  readonly before: readonly string[];
}

interface Cloud {
  readonly editor: KubeClient;
  readonly emulator: OpenStackEmulator;
  readonly project: ReturnType<OpenStackEmulator['identity']['addProject']>;
  readonly subnet: string;
  readonly externalNetwork: string;
  readonly memberSubnet: string;
}

/** Services without a class, with load balancers that are as they should be, and for Kuryr a resource of its shape. */
export async function leavePredecessors(site: Cloud, { members }: Settings): Promise<readonly Inheritance[]> {
  const left: Inheritance[] = [];
  for (const [name, about] of Object.entries(PREDECESSORS)) {
    const { editor, emulator, project } = site;
    const key = { namespace: NAMESPACE, name };
    const ports = [{ name: 'tcp-80', port: 80, targetPort: 8_080 }];
    const metadata = { ...key, finalizers: [about.finalizer] };
    const service = await editor.create<Service>(services, { metadata, spec: { type: 'LoadBalancer', ports } });
    await putSlice(editor, name, [1, 2], service);
    const nodePort = service.spec.ports?.[0]?.nodePort ?? 0;
    const behind =
      members === 'pods'
        ? [1, 2].map((number) => [`10.1.${name.length}.${number}`, 8_080] as const)
        : NODES.map((node) => [addressOfNode(node), nodePort] as const);
    const listed = behind.map(([address, protocol_port]) => ({ address, protocol_port, subnet_id: site.memberSubnet }));
    const pool = { name, protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN', members: listed };
    const listener = { name, protocol: 'TCP', protocol_port: 80, default_pool: pool };
    const loadbalancer = { name: about.loadBalancer, vip_subnet_id: site.subnet, listeners: [listener] };
    const made = emulator.byHand({ method: 'POST', path: '/lbaas/loadbalancers', body: { loadbalancer }, project });
    const floatingIp = {
      floating_network_id: site.externalNetwork,
      port_id: fieldText(made['loadbalancer'], 'vip_port_id'),
      description: about.floatingIp,
    };
    const id = emulator.create('floatingips', floatingIp, project);
    const ingress = fieldText(
      emulator.resources('floatingips').find((one) => one['id'] === id),
      'floating_ip_address',
    );
    const status = { loadBalancer: { ingress: [{ ip: ingress }] } };
    await editor.patchMerge<Service>(statusOf(services), key, { status });
    if (name === 'of-kuryr') await leaveResource(editor, name);
    left.push({
      service: name,
      balancer: about.loadBalancer,
      ingress,
      floatingIp: id,
      before: partsOf(emulator, about.loadBalancer, members),
    });
  }
  return left;
}

/** As Kuryr stored it before there were EndpointSlices. */
async function leaveResource(editor: KubeClient, name: string): Promise<void> {
  const finalizers = ['kuryr.openstack.org/kuryrloadbalancer-finalizers'];
  const subsets = [{ addresses: [{ ip: '10.1.0.1' }], ports: [{ port: 8_080 }] }];
  const spec = { ip: '10.96.0.1', ports: [{ port: 80, protocol: 'TCP', targetPort: '8080' }], subsets };
  await editor.create(resources, { metadata: { namespace: NAMESPACE, name, finalizers }, spec });
}

/**
 * A load balancer and all that its predecessor made below it; but for marks, and how far Octavia is with changes. Nodes
 * come and go, and with them the members that they are.
 */
export function partsOf(emulator: OpenStackEmulator, name: string, kind: Settings['members']): readonly string[] {
  const balancer = emulator.octaviaResources('loadbalancers').find((one) => one['name'] === name);
  if (balancer === undefined) return [];
  const service = Object.entries(PREDECESSORS).find(([, { loadBalancer }]) => loadBalancer === name)?.[0];
  const isOfIt = (one: Readonly<Record<string, unknown>>) => one['name'] === service;
  const pools = emulator.octaviaResources('pools').filter(isOfIt);
  const poolIds = new Set(pools.map(({ id }) => id));
  const members = emulator.octaviaResources('members').filter(({ pool_id }) => poolIds.has(pool_id));
  const listeners = emulator.octaviaResources('listeners').filter(isOfIt);
  const floatingIps = emulator.resources('floatingips').filter(({ port_id }) => port_id === balancer['vip_port_id']);
  const { listeners: _listeners, pools: _pools, ...alone } = balancer;
  // Members are marked by their names, too.
  const unnamed = kind === 'pods' ? members.map(({ name: _name, ...member }) => member) : [];
  return [alone, listeners, pools, unnamed, floatingIps].flat().map((one) => JSON.stringify(unmarked(one)));
}

const OURS = new Set([
  'tags',
  'description',
  'provisioning_status',
  'operating_status',
  'updated_at',
  'revision_number',
]);

function unmarked(one: object): readonly (readonly [string, unknown])[] {
  return Object.entries(one).filter(([field]) => !OURS.has(field));
}
