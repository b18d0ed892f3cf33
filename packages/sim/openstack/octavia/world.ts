import type { Clock, Random } from '@fairlead/control';
import { type JsonObject, textOf } from '../../json.ts';
import type { Requester } from '../keystone/identity.ts';
import type { NeutronWorld } from '../neutron/world.ts';
import { connectVip, releaseVip } from './vips.ts';
import { forbidden, immutable, missing, overQuota, wrongState } from './refusals.ts';
import { Operations } from './operations.ts';
import { type Quotas, quotaFor } from './quotas.ts';
import { type OctaviaKind, OctaviaStore } from './store.ts';

/** A resource that a change is about: in ERROR when Octavia fails at it. */
export interface Target {
  readonly kind: OctaviaKind;
  readonly id: string;
}

/** Everything that Octavia knows. */
export class OctaviaWorld {
  readonly store: OctaviaStore;
  readonly operations: Operations;
  readonly neutron: NeutronWorld;
  readonly quotas: Quotas = new Map();
  /** Addresses of members that health monitors find down. */
  readonly down = new Set<string>();

  constructor(clock: Clock, random: Random, neutron: NeutronWorld) {
    this.store = new OctaviaStore(clock, random);
    this.operations = new Operations(clock, random);
    this.neutron = neutron;
  }

  get minorVersion(): number {
    return this.neutron.behaviour.octavia.minorVersion;
  }

  /** The resource, if the requester may see it: what belongs to another project is there, but forbidden. */
  required(requester: Requester, kind: OctaviaKind, id: string): JsonObject {
    const found = this.store.find(kind, id);
    if (found === undefined) throw missing(kind, id);
    if (!requester.isAdmin && kind !== 'flavors' && found['project_id'] !== requester.projectId) throw forbidden();
    return found;
  }

  checkQuota(projectId: string, kind: OctaviaKind, count = 1): void {
    const limit = quotaFor(this.quotas, projectId, kind);
    if (limit < 0 || count <= 0) return;
    const used = this.store.all(kind).filter((object) => object['project_id'] === projectId).length;
    if (used + count > limit) throw overQuota(kind);
  }

  /** Refuses a change to the load balancer itself while Octavia is at another. An ERROR can only be deleted. */
  lockItself(loadBalancer: JsonObject, status: 'PENDING_UPDATE' | 'PENDING_DELETE'): void {
    const id = textOf(loadBalancer['id']);
    const state = textOf(loadBalancer['provisioning_status']);
    const isFit = state === 'ACTIVE' || (state === 'ERROR' && status === 'PENDING_DELETE');
    if (!isFit) throw wrongState(state, id);
    this.store.change('loadbalancers', id, { provisioning_status: status });
  }

  /** Refuses a change to a part of a load balancer while Octavia is at another, or the load balancer is in ERROR. */
  lock(loadBalancerId: string, listeners: readonly JsonObject[] = [], pool?: JsonObject): void {
    const isMutable = (object: JsonObject | undefined) => object?.['provisioning_status'] === 'ACTIVE';
    if (pool !== undefined && !isMutable(pool)) throw immutable('Pool', textOf(pool['id']));
    if (!isMutable(this.store.find('loadbalancers', loadBalancerId))) throw immutable('Load Balancer', loadBalancerId);
    this.#mark('loadbalancers', loadBalancerId);
    for (const listener of listeners) this.#mark('listeners', textOf(listener['id']));
    if (pool !== undefined) this.#mark('pools', textOf(pool['id']));
  }

  /** What was locked is changed by and by: then all of it is ACTIVE again or gone, or the targets are in ERROR. */
  begin(loadBalancerId: string, targets: readonly Target[]): void {
    const { duration, failures } = this.neutron.behaviour.octavia;
    this.operations.begin({ duration, failures }, (outcome) => {
      // An operator may have taken it out of Octavia's database meanwhile.
      if (this.store.find('loadbalancers', loadBalancerId) === undefined) return;
      if (outcome === 'failed') this.#fail(targets);
      this.#finish(loadBalancerId);
      if (this.store.find('loadbalancers', loadBalancerId) !== undefined) this.refreshHealth(loadBalancerId);
    });
  }

  /** What health monitors see from now on. */
  refreshHealth(loadBalancerId: string): void {
    const set = (kind: OctaviaKind, id: string, operating_status: string) => {
      const before = this.store.find(kind, id);
      if (before === undefined || before['operating_status'] === operating_status) return;
      this.store.change(kind, id, { operating_status });
    };
    for (const pool of this.store.poolsOf(loadBalancerId)) {
      const id = textOf(pool['id']);
      const isMonitored = this.store.monitorOf(id) !== undefined;
      const isServed = this.store.listenersWith(id).length > 0;
      for (const member of this.store.membersOf(id)) {
        const seen = this.down.has(textOf(member['address'])) ? 'ERROR' : isServed ? 'ONLINE' : 'OFFLINE';
        set('members', textOf(member['id']), isMonitored ? seen : 'NO_MONITOR');
      }
      set('pools', id, isServed ? 'ONLINE' : 'OFFLINE');
      const monitor = this.store.monitorOf(id);
      if (monitor !== undefined) set('healthmonitors', textOf(monitor['id']), 'ONLINE');
    }
    for (const listener of this.store.listenersOf(loadBalancerId)) set('listeners', textOf(listener['id']), 'ONLINE');
    set('loadbalancers', loadBalancerId, 'ONLINE');
  }

  #mark(kind: OctaviaKind, id: string): void {
    this.store.change(kind, id, { provisioning_status: 'PENDING_UPDATE' });
  }

  #fail(targets: readonly Target[]): void {
    for (const { kind, id } of targets) {
      if (this.store.find(kind, id) !== undefined) this.store.change(kind, id, { provisioning_status: 'ERROR' });
    }
  }

  #finish(loadBalancerId: string): void {
    const loadBalancer = this.store.find('loadbalancers', loadBalancerId);
    if (loadBalancer === undefined) return;
    const state = textOf(loadBalancer['provisioning_status']);
    if (state === 'PENDING_DELETE') {
      for (const [kind, object] of this.store.below(loadBalancerId)) this.store.remove(kind, textOf(object['id']));
      this.store.remove('loadbalancers', loadBalancerId);
      releaseVip(this.neutron, loadBalancer);
      return;
    }
    // What was to be created with a load balancer that failed stays where it was.
    if (state === 'ERROR') return;
    this.store.change('loadbalancers', loadBalancerId, { provisioning_status: 'ACTIVE' });
    if (state === 'PENDING_CREATE') connectVip(this.neutron, loadBalancer);
    const isForgetful = this.#isForgetful(loadBalancer);
    for (const [kind, object] of this.store.below(loadBalancerId)) {
      const id = textOf(object['id']);
      const status = textOf(object['provisioning_status']);
      if (status === 'PENDING_DELETE') this.#remove(kind, id);
      else if (isForgetful) this.store.change(kind, id, { is_forgotten: true });
      else if (status.startsWith('PENDING_') && object['is_forgotten'] !== true)
        this.store.change(kind, id, { provisioning_status: 'ACTIVE' });
    }
  }

  /** Releases of the OVN provider forget what is created together with a load balancer. */
  #isForgetful({ provider, provisioning_status }: JsonObject): boolean {
    const isNew = provisioning_status === 'PENDING_CREATE';
    return isNew && provider === 'ovn' && this.neutron.behaviour.octavia.ovnPopulatedCreation === 'left-pending';
  }

  #remove(kind: OctaviaKind, id: string): void {
    if (kind === 'pools') {
      for (const listener of this.store.listenersWith(id))
        this.store.change('listeners', textOf(listener['id']), { default_pool_id: null });
      for (const member of this.store.membersOf(id)) this.store.remove('members', textOf(member['id']));
      const monitor = this.store.monitorOf(id);
      if (monitor !== undefined) this.store.remove('healthmonitors', textOf(monitor['id']));
    }
    this.store.remove(kind, id);
  }
}
