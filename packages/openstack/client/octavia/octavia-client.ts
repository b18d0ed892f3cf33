import { unexpectedAnswer } from '@fairlead/cloud';
import { z } from 'zod';
import { type Filter, ResourceApi } from '../api/resource-api.ts';
import type { CallOptions, OpenStackSession, ServiceCall } from '../api/session.ts';
import { type OctaviaFeature, octaviaFeatures } from './features.ts';
import type {
  HealthMonitorChanges,
  HealthMonitorRequest,
  ListenerChanges,
  ListenerRequest,
  LoadBalancerChanges,
  LoadBalancerRequest,
  MemberChanges,
  MemberRequest,
  PoolChanges,
  PoolRequest,
} from './requests.ts';
import {
  type Flavor,
  flavors,
  type HealthMonitor,
  healthMonitors,
  type Listener,
  listeners,
  type LoadBalancer,
  loadBalancers,
  type LoadBalancerStatusTree,
  type Member,
  membersOf,
  type OctaviaProvider,
  type OctaviaQuota,
  type Pool,
  type PopulatedLoadBalancer,
  populatedLoadBalancers,
  pools,
  providerShape,
  type AvailabilityZone,
  availabilityZoneShape,
  quotaShape,
  statusTreeShape,
} from './types.ts';

const VERSION = 'v2';

export interface BatchOptions extends CallOptions {
  /** Members that are not named stay. Since version 2.11. */
  readonly additiveOnly?: boolean;
}

/**
 * Octavia, as far as load balancers for Services need it. Rejects with an OpenStackError when Octavia refuses. Every
 * write leaves the load balancer PENDING, and while it is, every other is refused as `immutable`.
 */
export class OctaviaClient {
  readonly #session: OpenStackSession;
  readonly #api: ResourceApi;

  constructor(session: OpenStackSession) {
    this.#session = session;
    this.#api = new ResourceApi(session, 'load-balancer', VERSION);
  }

  async features(options: CallOptions = {}): Promise<ReadonlySet<OctaviaFeature>> {
    return octaviaFeatures(await this.#session.versions('load-balancer', options));
  }

  /** By `name`, `project_id`, `tags` (all of them, with commas between), `vip_port_id` and other fields. */
  listLoadBalancers(filter: Filter = {}, options: CallOptions = {}): Promise<readonly LoadBalancer[]> {
    return this.#api.list(loadBalancers, filter, options);
  }

  findLoadBalancer(id: string, options: CallOptions = {}): Promise<LoadBalancer | undefined> {
    return this.#api.find(loadBalancers, id, options);
  }

  /** The statuses of a load balancer and of all that its listeners lead to, in one call. */
  async loadBalancerStatus(id: string, options: CallOptions = {}): Promise<LoadBalancerStatusTree> {
    const path = `${loadBalancers.path}/${encodeURIComponent(id)}/status`;
    const call = { verb: 'GET', kind: 'status', subject: id, method: 'GET', path } as const;
    return (await this.#read(call, z.object({ statuses: statusTreeShape }), options)).statuses.loadbalancer;
  }

  /** Creates a load balancer with all that is below it. It is not there yet when this resolves: it is PENDING_CREATE. */
  createLoadBalancer(body: LoadBalancerRequest, options: CallOptions = {}): Promise<PopulatedLoadBalancer> {
    return this.#api.create(populatedLoadBalancers, body, options);
  }

  updateLoadBalancer(id: string, changes: LoadBalancerChanges, options: CallOptions = {}): Promise<LoadBalancer> {
    return this.#api.update(loadBalancers, id, changes, options);
  }

  /** Deletes a load balancer, and all that is below it. A VIP port that Octavia did not make itself stays. */
  deleteLoadBalancer(id: string, options: CallOptions = {}): Promise<void> {
    return this.#api.delete(loadBalancers, id, { ...options, query: { cascade: 'true' } });
  }

  /** Builds anew what a load balancer runs on; its VIP stays. By the administrator only. */
  async failoverLoadBalancer(id: string, options: CallOptions = {}): Promise<void> {
    const where = { method: 'PUT', path: `${loadBalancers.path}/${encodeURIComponent(id)}/failover` } as const;
    await this.#api.send({ verb: 'PUT', kind: 'failover', subject: id, ...where }, options);
  }

  listListeners(filter: Filter = {}, options: CallOptions = {}): Promise<readonly Listener[]> {
    return this.#api.list(listeners, filter, options);
  }

  findListener(id: string, options: CallOptions = {}): Promise<Listener | undefined> {
    return this.#api.find(listeners, id, options);
  }

  createListener(body: ListenerRequest, options: CallOptions = {}): Promise<Listener> {
    return this.#api.create(listeners, body, options);
  }

  updateListener(id: string, changes: ListenerChanges, options: CallOptions = {}): Promise<Listener> {
    return this.#api.update(listeners, id, changes, options);
  }

  /** Its default pool stays. */
  deleteListener(id: string, options: CallOptions = {}): Promise<void> {
    return this.#api.delete(listeners, id, options);
  }

  listPools(filter: Filter = {}, options: CallOptions = {}): Promise<readonly Pool[]> {
    return this.#api.list(pools, filter, options);
  }

  findPool(id: string, options: CallOptions = {}): Promise<Pool | undefined> {
    return this.#api.find(pools, id, options);
  }

  createPool(body: PoolRequest, options: CallOptions = {}): Promise<Pool> {
    return this.#api.create(pools, body, options);
  }

  updatePool(id: string, changes: PoolChanges, options: CallOptions = {}): Promise<Pool> {
    return this.#api.update(pools, id, changes, options);
  }

  /** Its members and its health monitor go with it. */
  deletePool(id: string, options: CallOptions = {}): Promise<void> {
    return this.#api.delete(pools, id, options);
  }

  listMembers(poolId: string, filter: Filter = {}, options: CallOptions = {}): Promise<readonly Member[]> {
    return this.#api.list(membersOf(poolId), filter, options);
  }

  createMember(poolId: string, body: MemberRequest, options: CallOptions = {}): Promise<Member> {
    return this.#api.create(membersOf(poolId), body, options);
  }

  updateMember(poolId: string, id: string, changes: MemberChanges, options: CallOptions = {}): Promise<Member> {
    return this.#api.update(membersOf(poolId), id, changes, options);
  }

  deleteMember(poolId: string, id: string, options: CallOptions = {}): Promise<void> {
    return this.#api.delete(membersOf(poolId), id, options);
  }

  /**
   * Makes these the members of a pool, in one call: who has the address and port of one stays the same member and is
   * changed, and all others go unless `additiveOnly`. Of a member that stays, name, tags and subnet stay too unless they
   * are named, the subnet even then; what else is not named becomes its default.
   */
  async setMembers(poolId: string, members: readonly MemberRequest[], options: BatchOptions = {}): Promise<void> {
    const { additiveOnly = false, ...rest } = options;
    const path = `${membersOf(poolId).path}${additiveOnly ? '?additive_only=true' : ''}`;
    await this.#api.send(
      { verb: 'PUT', kind: 'members', subject: poolId, method: 'PUT', path, body: { members } },
      rest,
    );
  }

  listHealthMonitors(filter: Filter = {}, options: CallOptions = {}): Promise<readonly HealthMonitor[]> {
    return this.#api.list(healthMonitors, filter, options);
  }

  findHealthMonitor(id: string, options: CallOptions = {}): Promise<HealthMonitor | undefined> {
    return this.#api.find(healthMonitors, id, options);
  }

  createHealthMonitor(body: HealthMonitorRequest, options: CallOptions = {}): Promise<HealthMonitor> {
    return this.#api.create(healthMonitors, body, options);
  }

  updateHealthMonitor(id: string, changes: HealthMonitorChanges, options: CallOptions = {}): Promise<HealthMonitor> {
    return this.#api.update(healthMonitors, id, changes, options);
  }

  deleteHealthMonitor(id: string, options: CallOptions = {}): Promise<void> {
    return this.#api.delete(healthMonitors, id, options);
  }

  listFlavors(filter: Filter = {}, options: CallOptions = {}): Promise<readonly Flavor[]> {
    return this.#api.list(flavors, filter, options);
  }

  findFlavor(id: string, options: CallOptions = {}): Promise<Flavor | undefined> {
    return this.#api.find(flavors, id, options);
  }

  async listProviders(options: CallOptions = {}): Promise<readonly OctaviaProvider[]> {
    const call = { verb: 'LIST', kind: 'providers', subject: '', method: 'GET', path: 'lbaas/providers' } as const;
    return (await this.#read(call, z.object({ providers: z.array(providerShape) }), options)).providers;
  }

  /** Since API 2.14. */
  async listAvailabilityZones(options: CallOptions = {}): Promise<readonly AvailabilityZone[]> {
    const path = 'lbaas/availabilityzones';
    const call = { verb: 'LIST', kind: 'availabilityzones', subject: '', method: 'GET', path } as const;
    const shape = z.object({ availability_zones: z.array(availabilityZoneShape) });
    return (await this.#read(call, shape, options)).availability_zones;
  }

  /** What a flavor can set with this provider. By the administrator only. */
  async flavorCapabilities(provider: string, options: CallOptions = {}): Promise<readonly OctaviaProvider[]> {
    const path = `lbaas/providers/${encodeURIComponent(provider)}/flavor_capabilities`;
    const call = { verb: 'GET', kind: 'flavor_capabilities', subject: provider, method: 'GET', path } as const;
    const shape = z.object({ flavor_capabilities: z.array(providerShape) });
    return (await this.#read(call, shape, options)).flavor_capabilities;
  }

  async quota(projectId: string, options: CallOptions = {}): Promise<OctaviaQuota> {
    const path = `lbaas/quotas/${encodeURIComponent(projectId)}`;
    const call = { verb: 'GET', kind: 'quotas', subject: projectId, method: 'GET', path } as const;
    return (await this.#read(call, z.object({ quota: quotaShape }), options)).quota;
  }

  async #read<Body>(call: ServiceCall, shape: z.ZodType<Body>, options: CallOptions): Promise<Body> {
    const { body } = await this.#api.send(call, options);
    const parsed = shape.safeParse(body);
    if (parsed.success) return parsed.data;
    throw unexpectedAnswer('Octavia', `${call.verb} ${call.kind}`, `holds no ${call.kind}`);
  }
}
