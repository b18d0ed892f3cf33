import { familyOf, type IpFamily } from '@fairlead/control';
import type { Service } from '@fairlead/kube';
import {
  type DemandedPort,
  demandsOf,
  refusal,
  requireSupported,
  servedFamilies,
  type ServiceDemands,
  unsupported,
} from '@fairlead/service';
import { capabilitiesOf, type MemberKind, serviceCapabilities } from '../drivers/capabilities.ts';
import type { Site } from '../drivers/site.ts';
import {
  type BalancedPort,
  type FloatingIpSpec,
  type HealthMonitorSpec,
  SCHEMA_VERSION,
  type ServiceFields,
  type TrafficSpec,
  type VipSpec,
} from '../resource/types.ts';
import { Annotations, parseNodeSelector } from './annotations.ts';
import { inheritedAddresses, isInherited } from './inheritance.ts';
import { contradictions, forbidden, forged, headless, unsupportedAnnotations } from './service-refusals.ts';

const METHODS: Readonly<Record<string, TrafficSpec['lb_method']>> = {
  ROUND_ROBIN: 'ROUND_ROBIN',
  LEAST_CONNECTIONS: 'LEAST_CONNECTIONS',
  SOURCE_IP: 'SOURCE_IP',
  SOURCE_IP_PORT: 'SOURCE_IP_PORT',
};

/**
 * The fields of the resource that the Service asks for, with what the configuration says where it does not. Throws a
 * refusal for what cannot be honoured: it is never left out.
 */
export function serviceFields(service: Service, site: Site): ServiceFields {
  const annotations = new Annotations(service);
  const demands = demandsOf(service);
  const { type = 'ClusterIP' } = service.spec;
  const provider = annotations.provider ?? site.provider;
  const capabilities = capabilitiesOf(provider, site.features);
  const members = annotations.members ?? site.members;
  const isShared = annotations.text('load-balancer-id') !== undefined;
  const own = { members, families: familiesAt(site, annotations, type) };
  const supported = serviceCapabilities(capabilities, own);
  requireSupported(
    unsupported(demands, supported),
    headless(service),
    forbidden(annotations, site.forbiddenAnnotations),
    forged(annotations, service, site),
    unsupportedAnnotations(annotations, demands, capabilities, members),
    contradictions(annotations, demands, members),
  );
  const families = servedFamilies(demands, supported);
  const placement = placementOf(annotations, site, demands, families, type);
  const floating = floatingIpOf(annotations, site, demands, families, type);
  const chosen = addressOf(demands, families[0]);
  const flavor = annotations.text('flavor-id') ?? site.flavorId;
  const zone = annotations.text('availability-zone') ?? site.availabilityZone;
  const selector = annotations.text('node-selector');
  parseNodeSelector(selector ?? '');
  const memberSubnet = annotations.text('member-subnet-id') ?? classOf(annotations, site)?.memberSubnetId;
  const clientData = annotations.timeoutClientData;
  const memberData = annotations.timeoutMemberData;
  const monitor = healthMonitorOf(annotations, site, demands, members);
  const traffic = trafficOf(annotations, demands, families);
  return {
    schema_version: SCHEMA_VERSION,
    type,
    ports: demands.ports.map(balancedPort),
    project_id: site.project.projectOf(service.metadata),
    members,
    ...(selector === undefined ? {} : { node_selector: selector }),
    ...(service.spec.clusterIP === undefined ? {} : { ip: service.spec.clusterIP }),
    ...(chosen === undefined ? {} : { lb_ip: chosen }),
    ...(site.memberSecurityGroupIds.length === 0 ? {} : { security_groups_ids: site.memberSecurityGroupIds }),
    ...(isShared || placement.subnetId === undefined ? {} : { subnet_id: placement.subnetId }),
    ...(memberSubnet === undefined ? {} : { member_subnet_id: memberSubnet }),
    ...(provider === undefined ? {} : { provider }),
    ...(flavor === undefined ? {} : { flavor_id: flavor }),
    ...(zone === undefined ? {} : { availability_zone: zone }),
    ...(clientData === undefined ? {} : { timeout_client_data: clientData }),
    ...(memberData === undefined ? {} : { timeout_member_data: memberData }),
    ...(isInherited(service, site) ? { adopts: true, adopted_addresses: inheritedAddresses(service) } : {}),
    ...(Object.keys(placement.vip).length === 0 ? {} : { vip: placement.vip }),
    ...(floating === undefined ? {} : { floating_ip: floating }),
    ...(Object.keys(traffic).length === 0 ? {} : { traffic }),
    ...(monitor === undefined ? {} : { health_monitor: monitor }),
  };
}

function balancedPort({ name, protocol, port, target }: DemandedPort): BalancedPort {
  const targetPort = target.kind === 'number' ? String(target.port) : target.name;
  return { ...(name === '' ? {} : { name }), protocol, port, targetPort };
}

/** A Service may choose a network of its own, whose families are not known before it is looked at. */
function familiesAt(site: Site, annotations: Annotations, type: string): readonly IpFamily[] {
  const elsewhere = ['subnet-id', 'network-id', 'port-id', 'load-balancer-id', 'class'] as const;
  if (type !== 'LoadBalancer' || elsewhere.some((name) => annotations.text(name) !== undefined))
    return ['IPv4', 'IPv6'];
  return (['IPv4', 'IPv6'] as const).filter((family) => site.vipSubnets[family] !== undefined);
}

function classOf(annotations: Annotations, site: Site) {
  const name = annotations.text('class');
  if (name === undefined) return undefined;
  const found = Object.hasOwn(site.classes, name) ? site.classes[name] : undefined;
  if (found !== undefined) return found;
  throw refusal(
    'class-unknown',
    `it asks for the class ${JSON.stringify(name)}, which the configuration does not have`,
  );
}

interface Placement {
  readonly subnetId: string | undefined;
  readonly vip: VipSpec;
}

/** The one of a family that the Service chose. */
function addressOf({ addresses }: ServiceDemands, family: IpFamily | undefined): string | undefined {
  return addresses.find((one) => familyOf(one) === family);
}

function placementOf(
  annotations: Annotations,
  site: Site,
  demands: ServiceDemands,
  [first = 'IPv4', ...further]: readonly IpFamily[],
  type: string,
): Placement {
  const sharedId = annotations.text('load-balancer-id');
  if (sharedId !== undefined) return { subnetId: undefined, vip: { load_balancer_id: sharedId } };
  const mustHaveBoth = further.length > 0 && demands.familyPolicy === 'RequireDualStack';
  if (type !== 'LoadBalancer') {
    if (mustHaveBoth) throw oneFamily('its VIP is its ClusterIP, of which there is one subnet');
    if (site.serviceSubnet !== undefined) return { subnetId: site.serviceSubnet.id, vip: {} };
    throw refusal('service-subnet-missing', 'its VIP is its ClusterIP, and clusterIPServices.subnet is not configured');
  }
  const chosen = classOf(annotations, site);
  const portId = annotations.text('port-id');
  const own = { networkId: annotations.text('network-id'), subnetId: annotations.text('subnet-id') };
  const { networkId, subnetId } = own.networkId === undefined && own.subnetId === undefined ? (chosen ?? own) : own;
  const isElsewhere = portId !== undefined || networkId !== undefined || subnetId !== undefined;
  if (isElsewhere && mustHaveBoth) throw oneFamily('chooses a place for its VIP, which then has one');
  const additional = further.flatMap((family) => {
    const subnet = site.vipSubnets[family];
    const ip_address = addressOf(demands, family);
    if (subnet === undefined || isElsewhere) return [];
    return [{ subnet_id: subnet.id, ...(ip_address === undefined ? {} : { ip_address }) }];
  });
  const vip = {
    ...(portId === undefined ? {} : { port_id: portId }),
    ...(networkId === undefined ? {} : { network_id: networkId }),
    ...(additional.length === 0 ? {} : { additional }),
  };
  return { subnetId: subnetId ?? (isElsewhere ? undefined : site.vipSubnets[first]?.id), vip };
}

function oneFamily(why: string) {
  return refusal('dual-stack-unsupported', `it asks for both families, and ${why}`);
}

/** IPv6 has no floating IPs. */
function floatingIpOf(
  annotations: Annotations,
  site: Site,
  demands: ServiceDemands,
  families: readonly IpFamily[],
  type: string,
): FloatingIpSpec | undefined {
  const chosen = classOf(annotations, site);
  const network_id = annotations.text('floating-network-id') ?? chosen?.floatingNetworkId ?? site.floatingNetworkId;
  if (network_id === undefined && annotations.text('floating-subnet-id') !== undefined) {
    const message = 'it names a subnet of floating IPs, and no network of these is configured, or named';
    throw refusal('annotations-contradict', message);
  }
  // Of one that is shared, the address is whoever's it is.
  const isElsewhere = annotations.isInternal || annotations.text('load-balancer-id') !== undefined;
  if (type !== 'LoadBalancer' || isElsewhere || network_id === undefined || !families.includes('IPv4'))
    return undefined;
  const subnet_id = annotations.text('floating-subnet-id') ?? chosen?.floatingSubnetId;
  const address = addressOf(demands, 'IPv4');
  return {
    network_id,
    ...(subnet_id === undefined ? {} : { subnet_id }),
    ...(address === undefined ? {} : { address }),
    ...(annotations.flag('keep-floatingip') === true ? { keep: true } : {}),
  };
}

function trafficOf(annotations: Annotations, demands: ServiceDemands, families: readonly IpFamily[]): TrafficSpec {
  const { affinity, sourceRanges } = demands;
  const limit = annotations.number('connection-limit');
  const connect = annotations.number('timeout-member-connect');
  const inspect = annotations.number('timeout-tcp-inspect');
  const tls = annotations.text('default-tls-container-ref');
  const method = METHODS[annotations.text('lb-method') ?? ''];
  const proxy = annotations.proxyProtocol;
  const cidrs = sourceRanges.kind === 'any' ? undefined : families.flatMap((family) => sourceRanges[family]);
  // Octavia takes an empty list for everybody.
  if (cidrs?.length === 0) throw refusal('source-ranges-unsupported', 'its source ranges admit nobody of its family');
  return {
    ...(method === undefined ? {} : { lb_method: method }),
    ...(limit === undefined ? {} : { connection_limit: limit }),
    ...(connect === undefined ? {} : { timeout_member_connect: connect }),
    ...(inspect === undefined ? {} : { timeout_tcp_inspect: inspect }),
    ...(proxy === undefined ? {} : { proxy_protocol: proxy }),
    ...(annotations.flag('x-forwarded-for') === true ? { x_forwarded_for: true } : {}),
    ...(tls === undefined ? {} : { default_tls_container_ref: tls }),
    ...(affinity.kind === 'none' ? {} : { affinity_seconds: affinity.timeoutSeconds }),
    ...(cidrs === undefined ? {} : { allowed_cidrs: cidrs }),
  };
}

/** Node ports with `externalTrafficPolicy: Local` need one: nodes without endpoints of their own drop connections. */
function healthMonitorOf(
  annotations: Annotations,
  site: Site,
  { externalTraffic, healthCheckNodePort }: ServiceDemands,
  members: MemberKind,
): HealthMonitorSpec | undefined {
  const isLocal = externalTraffic === 'Local' && members === 'node-ports';
  const isWanted = annotations.flag('enable-health-monitor') ?? site.hasHealthMonitors;
  if (isLocal && annotations.flag('enable-health-monitor') === false) {
    const message = 'externalTrafficPolicy: Local with node ports takes a health monitor, which it turns off';
    throw refusal('annotations-contradict', message);
  }
  if (!isWanted && !isLocal) return undefined;
  const delay = annotations.number('health-monitor-delay') ?? 5;
  const timeout = annotations.number('health-monitor-timeout') ?? 3;
  const max_retries = annotations.number('health-monitor-max-retries') ?? 1;
  const max_retries_down = annotations.number('health-monitor-max-retries-down') ?? 3;
  if (timeout > delay || timeout < 1 || [max_retries, max_retries_down].some((one) => one < 1 || one > 10)) {
    const message = 'its health monitor needs a timeout from 1 to its delay, and retries from 1 to 10';
    throw refusal('annotation-invalid', message);
  }
  const monitor = { delay, timeout, max_retries, max_retries_down };
  return isLocal && healthCheckNodePort !== undefined ? { ...monitor, node_port: healthCheckNodePort } : monitor;
}
