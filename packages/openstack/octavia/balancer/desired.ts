import { type IpAddress, type IpFamily, parseIpAddress, parseIpRange, rangeContains } from '@fairlead/control';
import { keyText } from '@fairlead/kube';
import type {
  ListenerProtocol,
  MemberRequest,
  NestedMonitorRequest,
  PoolAlgorithm,
  PoolProtocol,
  SessionPersistence,
} from '../../client/index.ts';
import { type BalancerCapabilities, capabilitiesOf } from '../drivers/capabilities.ts';
import type { Site, SiteSubnet } from '../drivers/site.ts';
import {
  type BalancedPort,
  type FloatingIpSpec,
  type KuryrLoadBalancer,
  type KuryrLoadBalancerSpec,
  servedById,
  serviceUidOf,
  type SubsetEndpoint,
} from '../resource/types.ts';
import { adoptedNames, adoptedSubnet } from './adoption.ts';
import { type BalancerOwner, boundedName } from './marks.ts';
import { beyondProvider } from './provider-limits.ts';

/** Octavia's own defaults: they are said, so that what a Service no longer asks for goes back to them. */
const DEFAULTS = {
  timeout_client_data: 50_000,
  timeout_member_connect: 5_000,
  timeout_member_data: 50_000,
  timeout_tcp_inspect: 0,
} as const;

/** What can be changed of a listener; what its provider has not is absent. */
export interface ListenerSettings {
  readonly connection_limit?: number;
  readonly timeout_client_data?: number;
  readonly timeout_member_connect?: number;
  readonly timeout_member_data?: number;
  readonly timeout_tcp_inspect?: number;
  readonly default_tls_container_ref?: string;
  readonly insert_headers?: Readonly<Record<string, string>>;
  /** Absent where the provider has no such lists; empty: everybody. */
  readonly allowed_cidrs?: readonly string[];
}

export interface DesiredPool {
  readonly protocol: PoolProtocol;
  readonly algorithm: PoolAlgorithm;
  readonly persistence: SessionPersistence | undefined;
  readonly monitor: NestedMonitorRequest | undefined;
  readonly members: readonly MemberRequest[];
}

/** One port of the Service. */
export interface DesiredListener {
  /** Also of its pool: `namespace/name:TCP:80`. */
  readonly name: string;
  readonly protocol: ListenerProtocol;
  readonly port: number;
  readonly settings: ListenerSettings;
  readonly pool: DesiredPool;
}

/** Where the VIP is to be. */
export type DesiredVip =
  /** On a port of the user's. */
  | { readonly kind: 'port'; readonly portId: string; readonly address: string | undefined }
  | {
      readonly kind: 'subnet';
      /** Absent: some subnet of the network. */
      readonly subnetId: string | undefined;
      readonly networkId: string | undefined;
      /** Of the Service. */
      readonly family: IpFamily | undefined;
      readonly address: string | undefined;
      readonly additional: readonly { readonly subnet_id: string; readonly ip_address?: string }[];
    }
  /** On a load balancer that is there already. */
  | { readonly kind: 'shared'; readonly loadBalancerId: string; readonly address: string | undefined };

/** All that should exist in OpenStack for one resource. */
export interface DesiredBalancer {
  readonly owner: BalancerOwner;
  readonly projectId: string | undefined;
  readonly provider: string | undefined;
  readonly flavorId: string | undefined;
  readonly availabilityZone: string | undefined;
  readonly vip: DesiredVip;
  readonly floatingIp: FloatingIpSpec | undefined;
  /** Where the Service says that its members are. */
  readonly memberSubnetId: string | undefined;
  readonly listeners: readonly DesiredListener[];
  readonly isCreatedInOneCall: boolean;
  /** Whether members are reached from the addresses of clients, and not from its own. */
  readonly keepsClientAddresses: boolean;
  /** What is asked for, and its provider has not. */
  readonly beyondProvider: readonly string[];
  /** Names of load balancers that become ours where they carry no mark: by Kuryr, and by cloud-provider-openstack. */
  readonly adoptedNames: readonly string[];
  /** What those called it who may have served the Service before. */
  readonly predecessorNames: readonly string[];
  /** One of which they must have, as VIP or floating IP. */
  readonly adoptedAddresses: readonly string[];
  /** Where it must have it, if a tenant can choose the address; undefined: anywhere. */
  readonly adoptedSubnetId: string | undefined;
  /** Which load balancer it shows the address of, where that is told: by this address, no other is taken over. */
  readonly servedById: string | undefined;
}

/**
 * Undefined while one of the handlers has not yet said its part: an empty list of endpoints is said. `actual` is the
 * provider of the load balancer that is there, where there is one.
 */
export function desiredBalancer(resource: KuryrLoadBalancer, site: Site, actual?: string): DesiredBalancer | undefined {
  const { spec } = resource;
  const uid = serviceUidOf(resource);
  if (spec?.ports === undefined || spec.endpointSlices === undefined || uid === undefined) return undefined;
  if (spec.adopts === true && spec.adopted_addresses === undefined) return undefined;
  const capabilities = capabilitiesOf(actual ?? spec.provider, site.features);
  const name = keyText(resource.metadata);
  return {
    owner: { cluster: site.cluster, uid, name },
    projectId: site.project.projectOf(resource.metadata),
    provider: spec.provider,
    flavorId: spec.flavor_id,
    availabilityZone: spec.availability_zone,
    vip: vipOf(spec),
    floatingIp: spec.floating_ip,
    memberSubnetId: spec.member_subnet_id,
    listeners: spec.ports.map((port) => listenerOf(port, spec, name, capabilities, site)),
    isCreatedInOneCall: capabilities.populatedCreation,
    keepsClientAddresses: capabilities.clientAddresses,
    beyondProvider: [...beyondProvider(spec, capabilities)],
    adoptedNames: spec.adopts === true ? adoptedNames(resource.metadata, site) : [],
    predecessorNames: adoptedNames(resource.metadata, site),
    adoptedAddresses: spec.adopted_addresses ?? [],
    adoptedSubnetId: adoptedSubnet(spec.type, site),
    servedById: servedById(resource),
  };
}

function vipOf(spec: KuryrLoadBalancerSpec): DesiredVip {
  const { network_id, port_id, load_balancer_id, additional = [] } = spec.vip ?? {};
  if (load_balancer_id !== undefined) {
    return { kind: 'shared', loadBalancerId: load_balancer_id, address: spec.lb_ip ?? undefined };
  }
  // Of a ClusterIP Service it is the ClusterIP; of others it is chosen only where no floating IP is.
  const chosen = spec.floating_ip === undefined ? (spec.lb_ip ?? undefined) : undefined;
  const address = spec.type === 'LoadBalancer' ? chosen : spec.ip;
  if (port_id !== undefined) return { kind: 'port', portId: port_id, address };
  const { family } = parseIpAddress(spec.ip ?? '') ?? {};
  return { kind: 'subnet', subnetId: spec.subnet_id, networkId: network_id, family, address, additional };
}

function listenerOf(
  { name, protocol, port }: BalancedPort,
  spec: KuryrLoadBalancerSpec,
  owner: string,
  can: BalancerCapabilities,
  site: Site,
): DesiredListener {
  const { traffic = {}, endpointSlices = [] } = spec;
  const { default_tls_container_ref, x_forwarded_for = false, proxy_protocol } = traffic;
  const hasTls = default_tls_container_ref !== undefined;
  const isHttp = x_forwarded_for || hasTls;
  const proxied = proxy_protocol === undefined ? protocol : proxy_protocol === 'v1' ? 'PROXY' : 'PROXYV2';
  const [usual = 'ROUND_ROBIN'] = can.algorithms;
  const behind = endpointSlices.flatMap(({ endpoints, ports }) =>
    ports
      .filter((one) => (one.name ?? '') === (name ?? '') && one.protocol === protocol)
      .flatMap((one) => endpoints.map((endpoint) => ({ endpoint, port: one.port }))),
  );
  return {
    name: boundedName(`${owner}:${protocol}:${port}`),
    protocol: hasTls ? 'TERMINATED_HTTPS' : isHttp ? 'HTTP' : protocol,
    port,
    settings: settingsOf(spec, can, isHttp),
    pool: {
      protocol: isHttp ? 'HTTP' : proxied,
      algorithm: can.algorithms.find((algorithm) => algorithm === traffic.lb_method) ?? usual,
      persistence: persistenceOf(traffic.affinity_seconds, protocol),
      monitor: monitorOf(spec, protocol),
      members: membersOf(behind, spec, owner, site),
    },
  };
}

function settingsOf(spec: KuryrLoadBalancerSpec, can: BalancerCapabilities, isHttp: boolean): ListenerSettings {
  const { traffic = {} } = spec;
  const timeouts = {
    timeout_client_data: spec.timeout_client_data ?? DEFAULTS.timeout_client_data,
    timeout_member_connect: traffic.timeout_member_connect ?? DEFAULTS.timeout_member_connect,
    timeout_member_data: spec.timeout_member_data ?? DEFAULTS.timeout_member_data,
    timeout_tcp_inspect: traffic.timeout_tcp_inspect ?? DEFAULTS.timeout_tcp_inspect,
  };
  return {
    ...(can.connectionLimit ? { connection_limit: traffic.connection_limit ?? -1 } : {}),
    ...(can.timeouts ? timeouts : {}),
    ...(can.allowedCidrs ? { allowed_cidrs: traffic.allowed_cidrs ?? [] } : {}),
    ...(isHttp && traffic.x_forwarded_for === true ? { insert_headers: { 'X-Forwarded-For': 'true' } } : {}),
    ...(traffic.default_tls_container_ref === undefined
      ? {}
      : { default_tls_container_ref: traffic.default_tls_container_ref }),
  };
}

/** How long it lasts can only be said of UDP and SCTP. */
function persistenceOf(seconds: number | undefined, protocol: string): SessionPersistence | undefined {
  if (seconds === undefined) return undefined;
  return protocol === 'TCP' ? { type: 'SOURCE_IP' } : { type: 'SOURCE_IP', persistence_timeout: seconds };
}

function monitorOf({ health_monitor }: KuryrLoadBalancerSpec, protocol: string): NestedMonitorRequest | undefined {
  if (health_monitor === undefined) return undefined;
  const { node_port, ...times } = health_monitor;
  if (node_port !== undefined) {
    return { ...times, type: 'HTTP', http_method: 'GET', url_path: '/healthz', expected_codes: '200' };
  }
  return { ...times, type: protocol === 'TCP' ? 'TCP' : protocol === 'UDP' ? 'UDP-CONNECT' : 'SCTP' };
}

interface Backend {
  readonly endpoint: SubsetEndpoint;
  readonly port: number;
}

/** Sorted, and each address and port once: Octavia refuses to be told twice. */
function membersOf(
  behind: readonly Backend[],
  spec: KuryrLoadBalancerSpec,
  owner: string,
  site: Site,
): readonly MemberRequest[] {
  const members = new Map<string, MemberRequest>();
  for (const { endpoint, port } of behind) {
    const address = parseIpAddress(endpoint.addresses[0] ?? '')?.address;
    if (address === undefined) continue;
    const { targetRef } = endpoint;
    const namespace = targetRef?.namespace === undefined ? '' : `${targetRef.namespace}/`;
    const name =
      targetRef?.name === undefined ? `${owner}:${address}:${port}` : `${namespace}${targetRef.name}:${port}`;
    const subnet_id = spec.member_subnet_id ?? subnetWith(site.memberSubnets, address);
    const monitor_port = spec.health_monitor?.node_port;
    members.set(`${address} ${port}`, {
      address,
      protocol_port: port,
      name: boundedName(name),
      ...(subnet_id === undefined ? {} : { subnet_id }),
      ...(monitor_port === undefined ? {} : { monitor_port }),
    });
  }
  return [...members.entries()].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, member]) => member);
}

function subnetWith(subnets: readonly SiteSubnet[], address: IpAddress): string | undefined {
  return subnets.find(({ cidr }) => {
    const range = parseIpRange(cidr);
    return range !== undefined && rangeContains(range, address);
  })?.id;
}
