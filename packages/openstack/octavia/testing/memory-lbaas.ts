import { FairleadError } from '@fairlead/control';
import {
  type HealthMonitor,
  type Listener,
  type LoadBalancer,
  type LoadBalancerRequest,
  type Member,
  type MemberRequest,
  type NestedListenerRequest,
  type NestedPoolRequest,
  OpenStackError,
  type Pool,
} from '../../client/index.ts';
import type { BalancerTree } from '../balancer/observed.ts';
import type { LbaasDriver, LbaasStep, TaggedChild } from '../drivers/lbaas-driver.ts';

const NEW = { project_id: 'p', admin_state_up: true, provisioning_status: 'ACTIVE', operating_status: 'ONLINE' };

/** How Octavia refuses a change while it is at another, whatever it shows. */
export function asImmutable(): OpenStackError {
  const text = '{"faultstring":"Load Balancer 1 is immutable and cannot be updated."}';
  return new OpenStackError(
    { what: 'a change' },
    { status: 409, headers: {}, text, retryAfterMilliseconds: undefined },
  );
}

/** Load balancers in memory, which are there at once: a second driver, by which the interface is proven to be one. */
export class MemoryLbaas implements LbaasDriver {
  readonly balancers = new Map<string, LoadBalancer>();
  readonly listeners = new Map<string, Listener>();
  readonly pools = new Map<string, Pool>();
  readonly members = new Map<string, Member[]>();
  readonly monitors = new Map<string, HealthMonitor>();
  readonly flavors = new Set<string>();
  readonly providers = new Set(['amphora', 'ovn']);
  readonly availabilityZones = new Set<string>();
  /** What was done, in order. */
  readonly log: LbaasStep[] = [];
  /** Which address a port has. */
  vipOf: (portId: string) => string = () => '';
  subnetOf: (portId: string) => string | undefined = () => undefined;
  /** The provider of those that name none. */
  defaultProvider = 'amphora';
  /** What a new load balancer is like at first. */
  status = 'ACTIVE';
  /** Refuses a change. */
  refuse: (step: LbaasStep) => Error | undefined = () => undefined;
  /** How often it was looked for the load balancers of a Service. */
  looks = 0;
  #count = 0;

  async listTagged(tags: readonly string[]): Promise<readonly LoadBalancer[]> {
    this.looks += 1;
    return [...this.balancers.values()].filter((one) => tags.every((tag) => one.tags.includes(tag)));
  }

  async listNamed(name: string): Promise<readonly LoadBalancer[]> {
    return [...this.balancers.values()].filter((one) => one.name === name);
  }

  async listOnPort(portId: string): Promise<readonly LoadBalancer[]> {
    return [...this.balancers.values()].filter((one) => one.vip_port_id === portId);
  }

  async find(id: string): Promise<LoadBalancer | undefined> {
    return this.balancers.get(id);
  }

  async tree(balancer: LoadBalancer): Promise<BalancerTree> {
    const isOfIt = ({ loadbalancers }: Listener | Pool) => loadbalancers.some(({ id }) => id === balancer.id);
    const pools = [...this.pools.values()].filter(isOfIt);
    return {
      balancer,
      listeners: [...this.listeners.values()].filter(isOfIt),
      pools,
      members: new Map(pools.map(({ id }) => [id, this.members.get(id) ?? []])),
      monitors: [...this.monitors.values()],
    };
  }

  async listTaggedChildren(tags: readonly string[]): Promise<readonly TaggedChild[]> {
    const children = [...this.listeners.values(), ...this.pools.values()];
    return children.filter((one) => tags.every((tag) => one.tags.includes(tag)));
  }

  async hasFlavor(id: string): Promise<boolean> {
    return this.flavors.has(id);
  }

  async hasProvider(name: string): Promise<boolean> {
    return this.providers.has(name);
  }

  async hasAvailabilityZone(name: string): Promise<boolean> {
    return this.availabilityZones.has(name);
  }

  /** Sets the status of a load balancer, as Octavia does when a change is under way, or has failed. */
  setStatus(id: string, provisioning_status: string): void {
    const found = this.balancers.get(id);
    if (found !== undefined) this.balancers.set(id, { ...found, provisioning_status });
  }

  async perform(step: LbaasStep): Promise<void> {
    this.log.push(step);
    const refusal = this.refuse(step);
    if (refusal !== undefined) throw refusal;
    switch (step.kind) {
      case 'create-load-balancer':
        return this.#create(step.body);
      case 'update-load-balancer':
        return change(this.balancers, step.id, (one) => {
          const { tags = one.tags, description = one.description } = step.changes;
          return { ...one, tags: [...tags], description };
        });
      case 'delete-load-balancer':
        return this.#delete(step.id);
      case 'create-listener': {
        const { loadbalancer_id, default_pool_id, ...rest } = step.body;
        const id = this.#listener(loadbalancer_id, rest, default_pool_id);
        const used = default_pool_id === undefined ? undefined : this.pools.get(default_pool_id);
        if (used !== undefined) this.pools.set(used.id, { ...used, listeners: [...used.listeners, { id }] });
        return;
      }
      case 'update-listener':
        return change(this.listeners, step.id, (one) => {
          const { default_pool_id, allowed_cidrs, tags, insert_headers, ...rest } = step.changes;
          return {
            ...one,
            ...rest,
            tags: [...(tags ?? one.tags)],
            ...(insert_headers === undefined ? {} : { insert_headers: { ...insert_headers } }),
            ...(allowed_cidrs === undefined
              ? {}
              : { allowed_cidrs: allowed_cidrs === null ? null : [...allowed_cidrs] }),
            ...(default_pool_id === undefined ? {} : { default_pool_id: default_pool_id ?? undefined }),
          };
        });
      case 'delete-listener':
        this.listeners.delete(step.id);
        for (const [id, one] of this.pools) {
          this.pools.set(id, { ...one, listeners: one.listeners.filter((listener) => listener.id !== step.id) });
        }
        return;
      case 'create-pool': {
        if (!('listener_id' in step.body)) throw missing('a listener');
        const { listener_id, ...rest } = step.body;
        const [balancer] = this.listeners.get(listener_id)?.loadbalancers ?? [];
        if (balancer === undefined) throw missing(`the listener ${listener_id}`);
        const id = this.#pool(balancer.id, { name: '', ...rest }, listener_id);
        return change(this.listeners, listener_id, (one) => ({ ...one, default_pool_id: id }));
      }
      case 'update-pool':
        return change(this.pools, step.id, (one) => {
          const { lb_algorithm = one.lb_algorithm, session_persistence, tags = one.tags } = step.changes;
          const persistence = session_persistence === undefined ? one.session_persistence : session_persistence;
          return { ...one, lb_algorithm, session_persistence: withCookie(persistence), tags: [...tags] };
        });
      case 'delete-pool':
        this.pools.delete(step.id);
        this.members.delete(step.id);
        for (const [id, one] of this.listeners) {
          if (one.default_pool_id === step.id) this.listeners.set(id, { ...one, default_pool_id: undefined });
        }
        return;
      case 'set-members':
        return this.#setMembers(step.poolId, step.members);
      case 'create-monitor': {
        const { pool_id, tags, ...rest } = step.body;
        return this.#monitor(pool_id, { ...rest, tags: [...(tags ?? [])] });
      }
      case 'update-monitor':
        return change(this.monitors, step.id, (one) => ({ ...one, ...step.changes, tags: one.tags }));
      case 'delete-monitor':
        this.monitors.delete(step.id);
        for (const [id, one] of this.pools) {
          if (one.healthmonitor_id === step.id) this.pools.set(id, { ...one, healthmonitor_id: undefined });
        }
    }
  }

  #create({ listeners = [], name, description = '', tags = [], vip_port_id, ...body }: LoadBalancerRequest): void {
    const id = this.#id('lb');
    this.balancers.set(id, {
      ...NEW,
      id,
      name,
      description,
      tags: [...tags],
      provisioning_status: this.status,
      vip_address: this.vipOf(vip_port_id ?? ''),
      vip_port_id,
      vip_subnet_id: this.subnetOf(vip_port_id ?? ''),
      vip_network_id: undefined,
      additional_vips: (body.additional_vips ?? []).map(({ subnet_id, ip_address = '' }) => ({
        subnet_id,
        ip_address,
        port_id: vip_port_id,
      })),
      provider: body.provider ?? this.defaultProvider,
      flavor_id: body.flavor_id,
      availability_zone: body.availability_zone,
      listeners: [],
      pools: [],
    });
    for (const { default_pool, ...listener } of listeners) {
      const pool = default_pool !== undefined && 'protocol' in default_pool ? default_pool : undefined;
      const listenerId = this.#listener(id, listener, undefined);
      const poolId = pool === undefined ? undefined : this.#pool(id, pool, listenerId);
      change(this.listeners, listenerId, (one) => ({ ...one, default_pool_id: poolId }));
    }
  }

  #listener(balancer: string, body: NestedListenerRequest, poolId: string | undefined): string {
    const id = this.#id('listener');
    const { name = '', description = '', tags = [], allowed_cidrs, insert_headers, default_pool: _, ...rest } = body;
    this.listeners.set(id, {
      ...NEW,
      ...rest,
      id,
      name,
      description,
      tags: [...tags],
      loadbalancers: [{ id: balancer }],
      default_pool_id: poolId,
      default_tls_container_ref: body.default_tls_container_ref,
      allowed_cidrs: allowed_cidrs === undefined ? null : [...allowed_cidrs],
      insert_headers: { ...insert_headers },
    });
    return id;
  }

  #pool(balancer: string, body: NestedPoolRequest, listenerId: string): string {
    const id = this.#id('pool');
    const { name, protocol, lb_algorithm, description = '', tags = [], members = [], healthmonitor } = body;
    this.pools.set(id, {
      ...NEW,
      id,
      name,
      protocol,
      lb_algorithm,
      description,
      tags: [...tags],
      session_persistence: withCookie(body.session_persistence),
      loadbalancers: [{ id: balancer }],
      listeners: [{ id: listenerId }],
      members: [],
      healthmonitor_id: undefined,
    });
    this.#setMembers(id, members);
    if (healthmonitor !== undefined) this.#monitor(id, { ...healthmonitor, tags: [...(healthmonitor.tags ?? [])] });
    return id;
  }

  #monitor(
    poolId: string,
    body: Partial<HealthMonitor> & Pick<HealthMonitor, 'type' | 'delay' | 'timeout' | 'max_retries'>,
  ): void {
    const id = this.#id('monitor');
    const { http_method, url_path, expected_codes } = body;
    const shown = { ...NEW, max_retries_down: 3, name: '', tags: [], ...body, http_method, url_path, expected_codes };
    this.monitors.set(id, { ...shown, id, pools: [{ id: poolId }] });
    change(this.pools, poolId, (one) => ({ ...one, healthmonitor_id: id }));
  }

  #setMembers(poolId: string, members: readonly MemberRequest[]): void {
    const before = this.members.get(poolId) ?? [];
    const after = members.map((member): Member => {
      const same = before.find((one) => one.address === member.address && one.protocol_port === member.protocol_port);
      const { name = '', tags = [], subnet_id, monitor_address, weight = 1, backup = false } = member;
      const about = { ...NEW, ...member, name, weight, backup, tags: [...tags] };
      return { ...about, id: same?.id ?? this.#id('member'), subnet_id: same?.subnet_id ?? subnet_id, monitor_address };
    });
    this.members.set(poolId, after);
  }

  #delete(id: string): void {
    this.balancers.delete(id);
    const isOfIt = ({ loadbalancers }: Listener | Pool) => loadbalancers.some((one) => one.id === id);
    for (const [key, one] of this.listeners) if (isOfIt(one)) this.listeners.delete(key);
    for (const [key, one] of this.pools) if (isOfIt(one)) this.pools.delete(key);
  }

  #id(kind: string): string {
    this.#count += 1;
    return `${kind}-${this.#count}`;
  }
}

function change<Kept>(all: Map<string, Kept>, id: string, how: (one: Kept) => Kept): void {
  const found = all.get(id);
  if (found === undefined) throw missing(id);
  all.set(id, how(found));
}

function withCookie(
  persistence: { readonly type: string; readonly persistence_timeout?: number | null | undefined } | null | undefined,
) {
  if (persistence === null || persistence === undefined) return null;
  return { ...persistence, cookie_name: undefined, persistence_granularity: undefined };
}

function missing(what: string): FairleadError {
  return new FairleadError(`there is no ${what}`, { verdict: 'stale', code: 'not-found' });
}
