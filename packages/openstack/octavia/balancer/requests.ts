import type {
  ListenerRequest,
  LoadBalancerRequest,
  Member,
  MemberRequest,
  NestedListenerRequest,
  NestedPoolRequest,
  PoolRequest,
  Port,
} from '../../client/index.ts';
import type { DesiredBalancer, DesiredListener } from './desired.ts';
import { type BalancerOwner, descriptionOf, tagsOf } from './marks.ts';

/** What is said of everything that is created: whose it is, in the very call that creates it. */
function markOf(owner: BalancerOwner) {
  return { description: descriptionOf(owner), tags: tagsOf(owner) };
}

/** The whole load balancer, or its trunk alone where its provider wants one call for each thing. */
export function loadBalancerRequest(desired: DesiredBalancer, vip: VipPort): LoadBalancerRequest {
  const { owner, projectId, provider, flavorId, availabilityZone, listeners, isCreatedInOneCall } = desired;
  const [first, ...further] = vip.fixed_ips;
  const additional = further.map(({ subnet_id, ip_address }) => ({ subnet_id, ip_address }));
  return {
    name: owner.name,
    ...markOf(owner),
    ...(projectId === undefined ? {} : { project_id: projectId }),
    vip_port_id: vip.id,
    ...(first === undefined || additional.length === 0 ? {} : { vip_subnet_id: first.subnet_id }),
    ...(additional.length === 0 ? {} : { additional_vips: additional }),
    ...(provider === undefined ? {} : { provider }),
    ...(flavorId === undefined ? {} : { flavor_id: flavorId }),
    ...(availabilityZone === undefined ? {} : { availability_zone: availabilityZone }),
    ...(isCreatedInOneCall ? { listeners: listeners.map((one) => nestedListener(owner, one)) } : {}),
  };
}

/** The port that the VIP is on; of a user's port only its id counts. */
export type VipPort = Pick<Port, 'id' | 'fixed_ips'>;

function nestedListener(owner: BalancerOwner, desired: DesiredListener): NestedListenerRequest {
  const { name, protocol, port, settings } = desired;
  return {
    name,
    protocol,
    protocol_port: port,
    ...settings,
    ...markOf(owner),
    default_pool: nestedPool(owner, desired),
  };
}

function nestedPool(owner: BalancerOwner, desired: DesiredListener): NestedPoolRequest {
  const { members, monitor } = desired.pool;
  return {
    ...poolFields(owner, desired),
    members: members.map((member) => markedMember(owner, member)),
    ...(monitor === undefined ? {} : { healthmonitor: { ...monitor, name: desired.name, tags: tagsOf(owner) } }),
  };
}

function poolFields(owner: BalancerOwner, { name, pool }: DesiredListener): NestedPoolRequest {
  const { protocol, algorithm, persistence } = pool;
  return {
    name,
    protocol,
    lb_algorithm: algorithm,
    ...(persistence === undefined ? {} : { session_persistence: persistence }),
    ...markOf(owner),
  };
}

export function listenerRequest(
  owner: BalancerOwner,
  loadBalancerId: string,
  { name, protocol, port, settings }: DesiredListener,
  poolId: string | undefined,
): ListenerRequest {
  const about = { loadbalancer_id: loadBalancerId, name, protocol, protocol_port: port };
  return { ...about, ...settings, ...markOf(owner), ...(poolId === undefined ? {} : { default_pool_id: poolId }) };
}

export function poolRequest(owner: BalancerOwner, listenerId: string, desired: DesiredListener): PoolRequest {
  return { ...poolFields(owner, desired), listener_id: listenerId };
}

export function markedMember(owner: BalancerOwner, member: MemberRequest): MemberRequest {
  return { ...member, tags: tagsOf(owner) };
}

/** A member of another's, as it is: a batch update takes what is not named for its default. */
export function unchangedMember(member: Member): MemberRequest {
  const { address, protocol_port, name, weight, backup, subnet_id, monitor_address, monitor_port } = member;
  return {
    address,
    protocol_port,
    name,
    weight,
    backup,
    admin_state_up: member.admin_state_up,
    tags: member.tags,
    ...(subnet_id === undefined ? {} : { subnet_id }),
    ...(monitor_address === undefined ? {} : { monitor_address }),
    ...(monitor_port === undefined || monitor_port === null ? {} : { monitor_port }),
  };
}
