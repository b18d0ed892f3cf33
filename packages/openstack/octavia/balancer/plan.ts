import { parseIpAddress } from '@fairlead/control';
import { refusal } from '@fairlead/service';
import { type LoadBalancer, type PortRequest, provisioningOf, type Subnet } from '../../client/index.ts';
import type { LbaasStep } from '../drivers/lbaas-driver.ts';
import type { DesiredBalancer, DesiredVip } from './desired.ts';
import { floatingIpSteps } from './network/floating-ips.ts';
import { handOnSteps } from './sharing/hand-on.ts';
import { type BalancerOwner, descriptionOf, isOfCluster, isOwn, namespaceOf, readMark, vipPortName } from './marks.ts';
import type { NetworkStep } from './network/network-steps.ts';
import type { ObservedBalancer } from './observed.ts';
import { loadBalancerRequest, type VipPort } from './requests.ts';
import { adoptionSteps } from './adoption.ts';
import { treeSteps } from './tree-steps.ts';

/** One call to OpenStack. */
export type BalancerStep = LbaasStep | NetworkStep;

/** What happens if the process dies right after each step. */
export const IF_IT_DIES: Readonly<Record<BalancerStep['kind'], string>> = {
  'create-vip-port': 'The port carries our mark and its name: the next pass finds it, and puts the VIP there.',
  'delete-vip-port': 'It is gone: the next pass finds nothing left, and lets go.',
  'hand-over-vip-port': 'It is of the Service that is left: the next pass goes on with the load balancer.',
  'hand-over-floating-ip': 'It is of the Service that is left: the next pass goes on with the load balancer.',
  'create-load-balancer': 'It carries our mark: the next pass finds it, and waits until it is ACTIVE.',
  'update-load-balancer': 'The next pass finds it as it should be.',
  'delete-load-balancer': 'It is PENDING_DELETE or gone: the next pass waits, and goes on.',
  'create-listener': 'It carries our mark: the next pass gives it its pool.',
  'update-listener': 'The next pass finds it as it should be.',
  'delete-listener': 'Its pool is left, which carries our mark: the next pass deletes it.',
  'create-pool': 'It is the pool of its listener: the next pass puts its members there.',
  'update-pool': 'The next pass finds it as it should be.',
  'delete-pool': 'The next pass goes on with what is missing.',
  'set-members': 'The next pass finds the members as they should be.',
  'create-monitor': 'The next pass finds it at its pool.',
  'update-monitor': 'The next pass finds it as it should be.',
  'delete-monitor': 'The next pass creates the one that is wanted.',
  'create-floating-ip': 'It is on the VIP and carries our mark: the next pass finds it there.',
  'assign-floating-ip': 'It is on the VIP: the next pass finds it there.',
  'detach-floating-ip': 'The user has it back: the next pass finds another.',
  'give-away-floating-ip': 'It carries no mark of ours any more: it is the user’s.',
  'delete-floating-ip': 'It is gone: the next pass goes on.',
};

/** What is to be done next, and what it waits for where that is Octavia. */
export interface BalancerPlan {
  /** In order. What they lead to is planned from what is there then. */
  readonly steps: readonly BalancerStep[];
  /** Octavia is still at a change of it, and refuses others. */
  readonly waitsFor: LoadBalancer | undefined;
  /** The id of one in ERROR that the first step deletes, so that it is made anew. */
  readonly recovers?: string;
}

/** Throws a refusal for what can never be, however often it is tried. */
export function planBalancer(desired: DesiredBalancer, observed: ObservedBalancer): BalancerPlan {
  const { owner, vip, floatingIp } = desired;
  const { serving } = observed;
  const handedOn = handOnSteps(owner, { ...observed, ports: observed.vipPorts });
  if (handedOn.length > 0) return { steps: handedOn, waitsFor: undefined };
  if (serving === undefined) return { steps: creationSteps(desired, observed), waitsFor: undefined };
  const { balancer, relation } = serving;
  const state = provisioningOf(balancer).kind;
  const { id, vip_port_id: portId } = balancer;
  if (relation === 'shared') requireSharable(owner, balancer);
  if (state === 'error') {
    // It can only be deleted. Its VIP's port and floating IP are ours, and wait for the next one.
    const isMade = relation === 'own' && vip.kind !== 'shared';
    if (isMade) return { steps: [{ kind: 'delete-load-balancer', id }], waitsFor: undefined, recovers: id };
    // One made anew would have another id than the one that is asked for.
    const which = vip.kind === 'shared' ? 'it asks for by its id' : 'is not its own';
    throw refusal('load-balancer-in-error', `the load balancer ${id}, which ${which}, is in ERROR`);
  }
  if (relation !== 'shared') requireUnchanged(desired, balancer);
  requireAddressed(desired, observed, balancer);
  requireProvided(desired, balancer);
  requireUnmistakable(observed);
  // Of one that it shares, or shared, the address is whoever's it is.
  const isAddressed = portId !== undefined && vip.kind !== 'shared';
  const addressed = isAddressed ? floatingIpSteps(owner, floatingIp, portId, observed.floatingIps) : [];
  if (state !== 'active' || observed.tree === undefined) return { steps: addressed, waitsFor: balancer };
  if (relation === 'shared') {
    // Nothing of it is taken over, be it that another cluster has it for a Service of the same name.
    return { steps: treeSteps({ ...desired, adoptedNames: [] }, observed.tree), waitsFor: undefined };
  }
  const adopted = adoptionSteps(desired, balancer, observed.floatingIps);
  return { steps: [...adopted, ...addressed, ...treeSteps(desired, observed.tree)], waitsFor: undefined };
}

/**
 * Who shares a load balancer takes ports of it, and inherits it with its address: only Services of one namespace trust
 * each other so far. One without a mark is a user's, who alone can say who may know its id.
 */
function requireSharable(owner: BalancerOwner, balancer: LoadBalancer): void {
  if (readMark(balancer) === undefined) return;
  const [namespace] = owner.name.split('/');
  if (isOfCluster(balancer, owner.cluster) && namespaceOf(balancer) === namespace) return;
  const message = `it asks for the load balancer ${balancer.id}, which is of a Service of another namespace or cluster`;
  throw refusal('load-balancer-unavailable', message);
}

/** What a load balancer is made of never changes. It is not made anew for it: that would take its traffic down. */
function requireUnchanged({ provider, flavorId, availabilityZone, vip }: DesiredBalancer, there: LoadBalancer): void {
  const all = [
    ["VIP's port", vip.kind === 'port' ? vip.portId : undefined, there.vip_port_id],
    ['VIP', vip.kind === 'shared' ? undefined : spelled(vip.address), spelled(there.vip_address)],
    ['provider', provider, there.provider],
    ['flavor', flavorId, there.flavor_id],
    ['availability zone', availabilityZone, there.availability_zone],
  ] as const;
  const changed = all.find(([, wanted, has]) => wanted !== undefined && wanted !== has);
  if (changed === undefined) return;
  const [what, wanted, has = 'none'] = changed;
  const message = `it asks for the ${what} ${wanted}, and its load balancer has ${has}, which never changes`;
  throw refusal('immutable', `${message}: delete the Service, and create it again`);
}

function spelled(address: string | undefined): string | undefined {
  return address === undefined ? undefined : (parseIpAddress(address)?.address ?? address);
}

/** A load balancer that is shared has the addresses that it has. */
function requireAddressed({ vip }: DesiredBalancer, { floatingIps }: ObservedBalancer, there: LoadBalancer): void {
  if (vip.kind !== 'shared' || vip.address === undefined) return;
  const leading = floatingIps.filter(({ port_id }) => port_id === there.vip_port_id);
  const has = [there.vip_address, ...leading.map((one) => one.floating_ip_address)];
  const further = there.additional_vips.map(({ ip_address }) => ip_address);
  if ([...has, ...further].some((address) => spelled(address) === spelled(vip.address))) return;
  const message = `it asks for the address ${vip.address}, and the load balancer that it shares has ${has.join(', ')}`;
  throw refusal('address-unavailable', message);
}

/**
 * One that was made when the Service named its provider, or that is shared, may lack what the default provider has.
 * Nothing of that is left out in silence, and no pool is taken down for another that Octavia then refuses.
 */
function requireProvided({ beyondProvider }: DesiredBalancer, { provider }: LoadBalancer): void {
  if (beyondProvider.length === 0) return;
  const asked = beyondProvider.join(', ');
  const message = `it asks for ${asked}, and the provider of its load balancer, ${provider}, has no such thing`;
  throw refusal('provider-unsupported', message);
}

/** Whether a step begins something that is then to be looked at: all that it names has to exist. */
export function isCreation(kind: BalancerStep['kind']): boolean {
  return kind === 'create-vip-port' || kind === 'create-load-balancer';
}

function creationSteps(desired: DesiredBalancer, observed: ObservedBalancer): readonly BalancerStep[] {
  const { vip } = desired;
  if (vip.kind === 'shared') {
    const message = `it asks for the load balancer ${vip.loadBalancerId}, which does not exist`;
    throw refusal('load-balancer-unknown', message);
  }
  requireUnmistakable(observed);
  const port = vipPortOf(desired, observed);
  if (port === undefined) return [{ kind: 'create-vip-port', body: vipPortRequest(desired, observed) }];
  return [{ kind: 'create-load-balancer', body: loadBalancerRequest(desired, port) }];
}

function requireUnmistakable({ namesake }: ObservedBalancer): void {
  if (namesake === undefined) return;
  const { id, name } = namesake;
  throw refusal('name-taken', `there is a load balancer ${name} already, ${id}, which is not ours`);
}

/** A port that is not where the VIP is to be is no use, and goes with the Service. */
function vipPortOf({ owner, vip }: DesiredBalancer, { vipPorts }: ObservedBalancer): VipPort | undefined {
  if (vip.kind === 'port') return { id: vip.portId, fixed_ips: [] };
  return vipPorts.find((port) => isOwn(port, owner));
}

/** The port is ours, and not Octavia's, so that the address outlives a load balancer that ends in ERROR. */
function vipPortRequest({ owner, vip }: DesiredBalancer, { subnets }: ObservedBalancer): PortRequest {
  if (vip.kind !== 'subnet') throw new TypeError('only a VIP on a subnet gets a port of ours');
  const subnet = subnetFor(vip, subnets);
  if (subnet === undefined) {
    const what = vip.subnetId === undefined ? `the network ${vip.networkId ?? ''}` : `the subnet ${vip.subnetId}`;
    throw refusal('subnet-unknown', `its VIP is to be in ${what}, which does not exist`);
  }
  if (vip.networkId !== undefined && vip.networkId !== subnet.network_id) {
    const message = `it asks for the subnet ${subnet.id} and for the network ${vip.networkId}, which has it not`;
    throw refusal('annotations-contradict', message);
  }
  const gateways = subnets.map(({ gateway_ip }) => gateway_ip);
  const taken = [vip.address, ...vip.additional.map(({ ip_address }) => ip_address)].find(
    (address) =>
      address !== undefined && gateways.some((gateway) => spelled(gateway ?? undefined) === spelled(address)),
  );
  if (taken !== undefined) {
    const message = `it asks for the address ${taken}, which is that of the gateway of its subnet`;
    throw refusal('address-unavailable', message);
  }
  const first = { subnet_id: subnet.id, ...(vip.address === undefined ? {} : { ip_address: vip.address }) };
  return {
    network_id: subnet.network_id,
    name: vipPortName(owner.uid),
    description: descriptionOf(owner),
    fixed_ips: [first, ...vip.additional],
  };
}

/** Of a network that has both families, one of the family of the Service. */
function subnetFor(
  { subnetId, family }: Extract<DesiredVip, { kind: 'subnet' }>,
  subnets: readonly Subnet[],
): Subnet | undefined {
  if (subnetId !== undefined) return subnets.find(({ id }) => id === subnetId);
  return subnets.find(({ ip_version }) => `IPv${ip_version}` === family) ?? subnets[0];
}
