import { type Service, services, statusOf } from '@fairlead/kube';
import type { MemberRequest } from '@fairlead/openstack/client';
import { kuryrLoadBalancers, type OctaviaStage } from './octavia-stage.ts';

/** What another program has left of a Service that it served. */
export interface Inheritance {
  readonly name: string;
  readonly loadBalancerId: string;
  readonly address: string;
  /** All that there is of it in OpenStack, but for what a mark changes. */
  readonly before: readonly string[];
}

interface Predecessor {
  readonly finalizer: string;
  readonly loadBalancer: string;
  /** How it describes floating IPs. */
  readonly floatingIp: string;
  readonly annotations: Readonly<Record<string, string>>;
  members(service: Service): readonly MemberRequest[];
}

/** Its members are node ports. */
export function leftByCloudProvider(stage: OctaviaStage, name: string, nodeAddress: string): Promise<Inheritance> {
  return leave(stage, name, {
    finalizer: 'service.kubernetes.io/load-balancer-cleanup',
    loadBalancer: `kube_service_kubernetes_${stage.namespace}_${name}`,
    floatingIp: `Floating IP for Kubernetes external service ${stage.namespace}/${name} from cluster kubernetes`,
    annotations: { 'fairlead.dev/octavia-members': 'node-ports' },
    members: ({ spec }) => [{ address: nodeAddress, protocol_port: spec.ports?.[0]?.nodePort ?? 0 }],
  });
}

/** With a resource as it was stored before there were EndpointSlices. */
export async function leftByKuryr(stage: OctaviaStage, name: string, podAddress: string): Promise<Inheritance> {
  const left = await leave(stage, name, {
    finalizer: 'kuryr.openstack.org/service-finalizer',
    loadBalancer: `${stage.namespace}/${name}`,
    floatingIp: 'kuryr_lb',
    annotations: {},
    members: () => [{ address: podAddress, protocol_port: 8_080 }],
  });
  const finalizers = ['kuryr.openstack.org/kuryrloadbalancer-finalizers'];
  const subsets = [{ addresses: [{ ip: podAddress }], ports: [{ port: 8_080, protocol: 'TCP' }] }];
  const spec = { ip: '10.96.0.1', ports: [{ port: 80, protocol: 'TCP', targetPort: '8080' }], subsets };
  await stage.cluster.client.create(kuryrLoadBalancers, {
    metadata: { namespace: stage.namespace, name, finalizers },
    spec,
  });
  return left;
}

/** A Service without a class, with a load balancer and a floating IP that it shows. */
async function leave(stage: OctaviaStage, name: string, about: Predecessor): Promise<Inheritance> {
  const { cluster, namespace, neutron, octavia } = stage;
  const { finalizer, annotations } = about;
  const service = await cluster.client.create<Service>(services, {
    metadata: { namespace, name, annotations, finalizers: [finalizer] },
    spec: { type: 'LoadBalancer', selector: { app: name }, ports: [{ name: 'http', port: 80, targetPort: 8_080 }] },
  });
  const subnet_id = stage.subnetId;
  const members = about.members(service).map((member) => ({ ...member, subnet_id }));
  const pool = { name, protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN', members } as const;
  const listener = { name, protocol: 'TCP', protocol_port: 80, default_pool: pool } as const;
  const body = { name: about.loadBalancer, vip_subnet_id: subnet_id, listeners: [listener] };
  const { id, vip_port_id } = await octavia.createLoadBalancer(body);
  const [external] = await neutron.listNetworks({ name: 'public' });
  const wanted = { floating_network_id: external?.id ?? '', port_id: vip_port_id ?? '', description: about.floatingIp };
  // On a busy machine it may be there, though the answer did not come in time.
  const floatingIp = await stage.eventually(`the floating IP of ${name}`, async () => {
    const [found] = await neutron.listFloatingIps({ port_id: wanted.port_id });
    return found ?? neutron.createFloatingIp(wanted);
  });
  const address = floatingIp.floating_ip_address;
  await cluster.client.patchMerge<Service>(statusOf(services), service.metadata, {
    status: { loadBalancer: { ingress: [{ ip: address }] } },
  });
  await stage.eventually(`the load balancer ${about.loadBalancer}`, async () => {
    return (await octavia.findLoadBalancer(id))?.provisioning_status === 'ACTIVE';
  });
  return { name, loadBalancerId: id, address, before: await partsOf(stage, id) };
}

/** What a mark is, and how far Octavia is with it. */
const OURS = new Set(['tags', 'description', 'provisioning_status', 'operating_status', 'revision_number']);

/** A load balancer and all that belongs to it, but for marks. Members are marked by their names, too. */
export async function partsOf({ octavia, neutron }: OctaviaStage, id: string): Promise<readonly string[]> {
  const filter = { loadbalancer_id: id };
  const [balancer, listeners, pools] = await Promise.all([
    octavia.findLoadBalancer(id),
    octavia.listListeners(filter),
    octavia.listPools(filter),
  ]);
  const members = await Promise.all(pools.map((pool) => octavia.listMembers(pool.id)));
  const floatingIps = await neutron.listFloatingIps({ port_id: balancer?.vip_port_id ?? '' });
  const unnamed = members.flat().map((member) => ({ ...member, name: '' }));
  return [balancer ?? {}, ...listeners, ...pools, ...unnamed, ...floatingIps].map((part) =>
    JSON.stringify(Object.entries(part).filter(([field]) => !OURS.has(field))),
  );
}
