import { type ClusterId, Lanes, type Step } from '@fairlead/control';
import { type FloatingIp, type LoadBalancer, type NeutronClient, provisioningOf } from '../../client/index.ts';
import type { LbaasDriver } from '../drivers/lbaas-driver.ts';
import { BalancerUsers, type Heirs } from './sharing/balancer-users.ts';
import type { Adoption, Inheritance } from './adoption.ts';
import type { DesiredBalancer } from './desired.ts';
import { requireKnown } from './require-known.ts';
import { markedPorts } from './sharing/hand-on.ts';
import type { Heir } from './sharing/sharers.ts';
import { type BalancerOwner, clusterTags, isOfCluster, readMark, tagsOf, vipPortName } from './marks.ts';
import { isNetworkStep, performNetworkStep } from './network/network-steps.ts';
import type { BalancerTree, ObservedBalancer, Serving } from './observed.ts';
import { type BalancerStep, IF_IT_DIES } from './plan.ts';
import type { Leftovers } from './removal.ts';
import { PortTurns } from './network/user-port.ts';
import { vipSubnets } from './network/vip-subnets.ts';

/** More than there are Services that are looked at side by side. */
const CONCURRENT_LOOKS = 100;

/** OpenStack, as far as the load balancers of Services go: looks, and makes one change at a time. */
export class BalancerCloud {
  readonly #lbaas: LbaasDriver;
  readonly #neutron: NeutronClient;
  /**
   * By the UID of a Service. One that leaves must not find nothing left of it while a load balancer is being handed to
   * it: it would be gone, and the load balancer would be of nobody. Nor may one that stops to share make its own then.
   */
  readonly #lanes = new Lanes(CONCURRENT_LOOKS);
  readonly #ports = new PortTurns();
  /** UIDs of Services to which something was handed since they were looked at last. */
  readonly #handedSince = new Set<string>();
  readonly #heirs: Heirs;
  readonly users: BalancerUsers;

  constructor(lbaas: LbaasDriver, neutron: NeutronClient, heirs: Heirs) {
    this.#lbaas = lbaas;
    this.#neutron = neutron;
    this.#heirs = heirs;
    this.users = new BalancerUsers(heirs);
  }

  /** What is there of what should be. No more is read than tells what is to be done next. */
  async observe(desired: DesiredBalancer, signal: AbortSignal): Promise<ObservedBalancer> {
    this.#handedSince.delete(desired.owner.uid);
    const serving = await this.#serving(desired, signal);
    const nothing = { serving, tree: undefined, namesake: undefined, vipPorts: [], subnets: [], floatingIps: [] };
    if (serving === undefined) {
      const before = { ...nothing, ...(await this.#beforeCreation(desired, signal)) };
      return { ...before, users: await this.#users(desired.owner, before, [], signal) };
    }
    const { balancer } = serving;
    this.users.seen(balancer, desired.owner.uid);
    const isActive = provisioningOf(balancer).kind === 'active';
    const tree = isActive ? await this.#lbaas.tree(balancer, signal) : undefined;
    const floatingIps = await this.#floatingIps(desired, balancer, signal);
    const namesake = isActive ? await this.#mistakable(desired, serving, floatingIps, signal) : undefined;
    const after = { ...nothing, tree, namesake, floatingIps };
    return { ...after, users: await this.#users(desired.owner, after, [balancer], signal) };
  }

  /** One that it names may be its own by now. Any other that carries its mark goes when the Service does. */
  async #serving(desired: DesiredBalancer, signal: AbortSignal): Promise<Serving | undefined> {
    const { owner, vip } = desired;
    const isNamed = ({ id }: LoadBalancer) => vip.kind !== 'shared' || vip.loadBalancerId === id;
    const own = (await this.#lbaas.listTagged(tagsOf(owner), signal)).find(isNamed);
    if (own !== undefined) return { balancer: own, relation: 'own' };
    const adoptable = await this.#adoptable(desired, signal);
    if (adoptable !== undefined && isNamed(adoptable)) return { balancer: adoptable, relation: 'adoptable' };
    const shared = vip.kind === 'shared' ? await this.#lbaas.find(vip.loadBalancerId, signal) : undefined;
    return shared === undefined ? undefined : { balancer: shared, relation: 'shared' };
  }

  /** What Kuryr or cloud-provider-openstack made for a Service, and has no mark of ours yet. */
  async inheritance(adoption: Adoption, signal: AbortSignal): Promise<Inheritance | undefined> {
    const own = await this.#lbaas.listTagged(tagsOf(adoption.owner), signal);
    const balancer = own.length > 0 ? undefined : await this.#adoptable(adoption, signal);
    return balancer && { balancer, floatingIps: await this.#floatingIpsAt(balancer, signal) };
  }

  /** What is left of a Service, found by its mark alone. */
  leftovers(owner: BalancerOwner, signal: AbortSignal): Promise<Leftovers> {
    const look = async () => {
      const [left, floatingIps] = await Promise.all([
        this.#marked(owner, undefined, signal),
        this.#neutron.listFloatingIps({}, { signal }),
      ]);
      const found = { ...left, floatingIps };
      return { ...found, users: await this.#users(owner, found, balancersOf(left.own), signal) };
    };
    return this.#lanes.run(owner.uid, look, signal);
  }

  /** The load balancers on which a Service has something, be it refused where it asks to be served now. */
  async standing(owner: BalancerOwner, signal: AbortSignal): Promise<readonly BalancerTree[]> {
    const { own, shared } = await this.#marked(owner, undefined, signal);
    return [...own, ...shared];
  }

  /** What carries the mark of a Service and is of no use to it any more: it was served elsewhere before. */
  async strays(owner: BalancerOwner, serving: LoadBalancer, signal: AbortSignal): Promise<Leftovers> {
    const left = await this.#lanes.run(owner.uid, () => this.#marked(owner, serving.id, signal), signal);
    const vipPorts = left.vipPorts.filter(({ id }) => id !== serving.vip_port_id);
    const ofTrees = [...left.own, ...left.shared].flatMap(({ balancer }) => balancer.vip_port_id ?? []);
    const all = new Set([...ofTrees, ...vipPorts.map(({ id }) => id)]);
    // One that was made twice has its VIP on the same port as that by which the Service is served.
    const portIds = [...all].filter((id) => id !== serving.vip_port_id);
    const floatingIps =
      portIds.length === 0 ? [] : await this.#neutron.listFloatingIps({ port_id: portIds }, { signal });
    const found = { ...left, vipPorts, floatingIps };
    return { ...found, users: await this.#users(owner, found, [serving, ...balancersOf(left.own)], signal) };
  }

  /** Load balancers of others, but for those that are known, on which something is that carries the mark of a Service. */
  async #users(
    owner: BalancerOwner,
    { vipPorts, floatingIps }: Pick<Leftovers, 'vipPorts' | 'floatingIps'>,
    known: readonly LoadBalancer[],
    signal: AbortSignal,
  ): Promise<readonly LoadBalancer[]> {
    const hasOther = (portId: string) => known.every(({ vip_port_id }) => vip_port_id !== portId);
    const ports = [...markedPorts(owner, vipPorts, floatingIps)].filter(hasOther);
    const found = await Promise.all(ports.map((id) => this.#lbaas.listOnPort(id, signal)));
    return found.flat();
  }

  /** All load balancers that the Service has something on, but for the one that is not asked for. */
  async #marked(
    owner: BalancerOwner,
    exceptId: string | undefined,
    signal: AbortSignal,
  ): Promise<Omit<Leftovers, 'floatingIps' | 'users'>> {
    const tags = tagsOf(owner);
    const [balancers, children, vipPorts] = await Promise.all([
      this.#lbaas.listTagged(tags, signal),
      this.#lbaas.listTaggedChildren(tags, signal),
      this.#neutron.listPorts({ name: vipPortName(owner.uid) }, { signal }),
    ]);
    const own: BalancerTree[] = [];
    for (const one of balancers) if (one.id !== exceptId) own.push(await this.#lbaas.tree(one, signal));
    const childrenAt = new Set(children.flatMap(({ loadbalancers }) => loadbalancers.map(({ id }) => id)));
    const shared: BalancerTree[] = [];
    for (const id of childrenAt) {
      if (id === exceptId || balancers.some((one) => one.id === id)) continue;
      const balancer = await this.#lbaas.find(id, signal);
      if (balancer !== undefined) shared.push(await this.#lbaas.tree(balancer, signal));
    }
    return { own, shared, vipPorts, sharers: this.#heirs.sharers() };
  }

  /** The UIDs of all Services of this cluster of which something is there. */
  async owners(cluster: ClusterId, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const tags = clusterTags(cluster);
    const found = await Promise.all([
      this.#lbaas.listTagged(tags, signal),
      this.#lbaas.listTaggedChildren(tags, signal),
      this.#neutron.listPorts({}, { signal }),
      this.#neutron.listFloatingIps({}, { signal }),
    ]);
    const marked = found.flat().filter((one) => isOfCluster(one, cluster));
    return new Set(marked.flatMap((one) => readMark(one)?.service ?? []));
  }

  /** Refuses what names something that does not exist, before anything is created for it. */
  requireKnown(desired: DesiredBalancer, signal: AbortSignal): Promise<void> {
    return requireKnown(desired, { lbaas: this.#lbaas, neutron: this.#neutron, heirs: this.#heirs }, signal);
  }

  /** Begins something after a look whether all that it names is there. False where its turn comes later. */
  async create(desired: DesiredBalancer, run: () => Promise<void>, signal: AbortSignal): Promise<boolean> {
    const { vip } = desired;
    const create = async () => {
      await this.requireKnown(desired, signal);
      await run();
    };
    if (vip.kind !== 'port') return create().then(() => true);
    // Who is refused takes no turn.
    await this.requireKnown(desired, signal);
    return this.#ports.run(vip.portId, create);
  }

  toStep(step: BalancerStep): Step {
    const [verb = '', ...words] = step.kind.split('-');
    const call = `${verb === 'create' ? 'POST' : verb === 'delete' ? 'DELETE' : 'PUT'} ${words.join('-')}`;
    const run = (signal: AbortSignal) => this.#perform(step, signal);
    return { name: step.kind, call, ifItDiesHere: IF_IT_DIES[step.kind], run };
  }

  /** That of another cluster of the project may have the same name, and a tenant can write finalizers: the address tells. */
  async #adoptable(
    { adoptedNames, adoptedAddresses, adoptedSubnetId, servedById }: Adoption,
    signal: AbortSignal,
  ): Promise<LoadBalancer | undefined> {
    for (const name of adoptedNames) {
      for (const one of await this.#lbaas.listNamed(name, signal)) {
        const isElsewhere = adoptedSubnetId !== undefined && one.vip_subnet_id !== adoptedSubnetId;
        const isOther = servedById !== undefined && one.id !== servedById;
        if (readMark(one) !== undefined || isElsewhere || isOther) continue;
        const floatingIps = await this.#floatingIpsAt(one, signal);
        const addresses = [one.vip_address, ...floatingIps.map((floating) => floating.floating_ip_address)];
        if (addresses.some((address) => adoptedAddresses.includes(address))) return one;
      }
    }
    return undefined;
  }

  /**
   * What a predecessor made for a Service of this name, and this one would take over by the address that it would show
   * once it is served, as it chose that, or shares who has it. One that was taken over shows what it was given.
   */
  async #mistakable(
    { floatingIp, vip, predecessorNames: names, ...adoption }: DesiredBalancer,
    { balancer, relation }: Serving,
    floatingIps: readonly FloatingIp[],
    signal: AbortSignal,
  ): Promise<LoadBalancer | undefined> {
    const isTakenOver = relation === 'own' && balancer.name !== adoption.owner.name && names.includes(balancer.name);
    if (relation === 'adoptable' || isTakenOver) return undefined;
    const leading = floatingIps.filter(({ port_id }) => port_id === balancer.vip_port_id);
    const isLed = leading.length > 0 || (floatingIp !== undefined && vip.kind !== 'shared');
    const first = isLed ? leading.map((one) => one.floating_ip_address) : [balancer.vip_address];
    const adoptedAddresses = [...first, ...balancer.additional_vips.map(({ ip_address }) => ip_address)];
    return this.#adoptable({ ...adoption, adoptedNames: names, adoptedAddresses, servedById: undefined }, signal);
  }

  async #floatingIpsAt({ vip_port_id }: LoadBalancer, signal: AbortSignal): Promise<readonly FloatingIp[]> {
    return vip_port_id === undefined ? [] : this.#neutron.listFloatingIps({ port_id: vip_port_id }, { signal });
  }

  async #beforeCreation(desired: DesiredBalancer, signal: AbortSignal) {
    const { owner, vip } = desired;
    const [named, vipPorts, subnets] = await Promise.all([
      this.#namesakes(desired, signal),
      vip.kind === 'subnet' ? this.#neutron.listPorts({ name: vipPortName(owner.uid) }, { signal }) : [],
      vip.kind === 'subnet' ? vipSubnets(vip, this.#neutron, signal) : [],
    ]);
    // Another cluster in the same project may well have a Service of the same name.
    return { namesake: named.find((one) => readMark(one) === undefined), vipPorts, subnets };
  }

  /**
   * Also those that a predecessor of ours made for a Service of this name, at the very address that this one chooses: by
   * that address it would take it over, which is another in another network.
   */
  async #namesakes(
    { owner, vip, predecessorNames }: DesiredBalancer,
    signal: AbortSignal,
  ): Promise<readonly LoadBalancer[]> {
    const named = await this.#lbaas.listNamed(owner.name, signal);
    if (vip.kind !== 'subnet' || vip.address === undefined) return named;
    const others = await Promise.all(predecessorNames.map((name) => this.#lbaas.listNamed(name, signal)));
    return [...named, ...others.flat().filter(({ vip_address }) => vip_address === vip.address)];
  }

  async #floatingIps({ floatingIp, vip }: DesiredBalancer, balancer: LoadBalancer, signal: AbortSignal) {
    if (balancer.vip_port_id === undefined) return [];
    const there = await this.#floatingIpsAt(balancer, signal);
    if (floatingIp === undefined || vip.kind === 'shared') return there;
    const isThere = there.some(
      (one) => floatingIp.address === undefined || one.floating_ip_address === floatingIp.address,
    );
    return isThere ? there : this.#neutron.listFloatingIps({}, { signal });
  }

  async #perform(step: BalancerStep, signal: AbortSignal): Promise<void> {
    if (step.kind === 'create-vip-port' || step.kind === 'create-load-balancer') {
      return this.#create(step, readMark(step.body)?.service ?? '', signal);
    }
    if (step.kind === 'delete-load-balancer') return this.#delete(step, signal);
    const heir = 'heir' in step ? step.heir : undefined;
    if (heir === undefined) return this.#call(step, signal);
    const handOver = async () => {
      // One that has left or stopped to share meanwhile inherits nothing: the next pass finds another, or none.
      if (!(await this.#isHeir(heir, signal))) return;
      try {
        await this.#call(step, signal);
      } finally {
        this.#handedSince.add(heir.uid);
        this.#heirs.hasChanged(heir.uid);
      }
    };
    return this.#lanes.run(heir.uid, handOver, signal);
  }

  async #delete(step: Extract<BalancerStep, { kind: 'delete-load-balancer' }>, signal: AbortSignal): Promise<void> {
    try {
      await this.#call(step, signal);
    } finally {
      this.users.deleted(step.id);
    }
  }

  /** Nothing where something was handed to it meanwhile: the next look finds that. */
  #create(step: BalancerStep, uid: string, signal: AbortSignal): Promise<void> {
    const create = async () => (this.#handedSince.has(uid) ? undefined : this.#call(step, signal));
    return this.#lanes.run(uid, create, signal);
  }

  async #isHeir(heir: Heir, signal: AbortSignal): Promise<boolean> {
    const { uid, balancerId } = heir;
    if (heir.relation === 'own') {
      const found = await this.#lbaas.find(balancerId, signal);
      return found !== undefined && readMark(found)?.service === uid;
    }
    const children = await this.#lbaas.listTaggedChildren(heir.tags, signal);
    const isThere = children.some(({ loadbalancers }) => loadbalancers.some(({ id }) => id === balancerId));
    return isThere && this.#heirs.sharers().some((one) => one.uid === uid && one.balancerId === balancerId);
  }

  #call(step: BalancerStep, signal: AbortSignal): Promise<void> {
    return isNetworkStep(step) ? performNetworkStep(this.#neutron, step, signal) : this.#lbaas.perform(step, signal);
  }
}

function balancersOf(trees: readonly BalancerTree[]): readonly LoadBalancer[] {
  return trees.map(({ balancer }) => balancer);
}
