import type { Clock, Random } from '@fairlead/control';
import { isJsonObject, type Json, type JsonObject, objectOf, textOf } from '../../json.ts';
import type { Requester } from '../keystone/identity.ts';
import { selected } from '../neutron/listing.ts';
import type { NeutronWorld } from '../neutron/world.ts';
import type { ServiceAnswer, ServiceRequest } from '../service-request.ts';
import { Bodies } from './bodies.ts';
import { changedFields, createdFields } from './fields.ts';
import { addListener, changeListener } from './listeners.ts';
import { listed } from './listing.ts';
import { createLoadBalancer } from './load-balancers.ts';
import { changeMember, createMember, lockPool, setMembers } from './members.ts';
import { addMonitor, changePool, createPool } from './pools.ts';
import { checkFailover, DESCRIPTIONS } from './providers.ts';
import { answerQuota } from './quotas.ts';
import { conflict, failed, forbidden, frameworkRefusal, invalidRequest, missing } from './refusals.ts';
import type { OctaviaKind } from './store.ts';
import { OctaviaWorld, type Target } from './world.ts';

const SINGULARS: Readonly<Record<OctaviaKind, string>> = {
  loadbalancers: 'loadbalancer',
  listeners: 'listener',
  pools: 'pool',
  members: 'member',
  healthmonitors: 'healthmonitor',
  flavors: 'flavor',
};

/** Octavia, as far as Fairlead uses it. */
export class Octavia {
  readonly world: OctaviaWorld;
  readonly #bodies: Bodies;

  constructor(clock: Clock, random: Random, neutron: NeutronWorld) {
    this.world = new OctaviaWorld(clock, random, neutron);
    this.#bodies = new Bodies(this.world.store, () => this.world.minorVersion);
  }

  /** Throws a Refusal where Octavia says no; then nothing has changed, but for a new port of a VIP. */
  answer(requester: Requester, request: ServiceRequest): ServiceAnswer {
    if (request.method === 'GET') return this.#answer(requester, request);
    return this.world.store.atomically(() => this.#answer(requester, request));
  }

  versions(root: string): Json {
    const { minorVersion } = this.world;
    return {
      versions: Array.from({ length: minorVersion + 1 }, (_, minor) => ({
        id: `v2.${minor}`,
        status: minor === minorVersion ? 'CURRENT' : 'SUPPORTED',
        updated: '2025-02-26T00:00:00Z',
        links: [{ rel: 'self', href: `${root}/v2` }],
      })),
    };
  }

  #answer(requester: Requester, request: ServiceRequest): ServiceAnswer {
    const { kind, id, action, method } = request;
    if (kind === 'providers') return this.#providers(requester, request);
    if (kind === 'availabilityzones' && this.world.minorVersion >= 14) return this.#availabilityZones(request);
    if (kind === 'quotas' && id !== undefined) return answerQuota(this.world.quotas, requester, id, request);
    if (!isKind(kind) || kind === 'members') throw frameworkRefusal(404, '');
    if (id === undefined) return this.#onAll(requester, kind, request);
    if (kind === 'pools' && action === 'members') return this.#onMembers(requester, id, request);
    if (action === undefined) return this.#onOne(requester, kind, id, request);
    if (kind !== 'loadbalancers') throw frameworkRefusal(404, '');
    if (action === 'failover' && method === 'PUT') return this.#failover(requester, id);
    if (action !== 'status' || method !== 'GET') throw frameworkRefusal(404, '');
    return { status: 200, body: this.#bodies.statusTree(this.world.required(requester, kind, id)) };
  }

  #onAll(requester: Requester, kind: OctaviaKind, request: ServiceRequest): ServiceAnswer {
    if (request.method === 'GET') return this.#list(requester, kind, this.world.store.all(kind), request, kind);
    if (request.method !== 'POST') throw frameworkRefusal(405, '');
    if (kind === 'flavors') return this.#createFlavor(requester, request.body);
    const made = this.#create(requester, kind, this.#created(kind, request.body));
    const shown = kind === 'loadbalancers' ? this.#bodies.populated(made) : this.#bodies.one(kind, made);
    return { status: 201, body: { [SINGULARS[kind]]: shown } };
  }

  #create(requester: Requester, kind: OctaviaKind, fields: JsonObject): JsonObject {
    const { world } = this;
    if (kind === 'loadbalancers') {
      const made = createLoadBalancer(world, requester, fields);
      world.begin(textOf(made['id']), [{ kind, id: textOf(made['id']) }]);
      return made;
    }
    if (kind === 'listeners') {
      const loadBalancer = world.required(requester, 'loadbalancers', textOf(fields['loadbalancer_id']));
      world.checkQuota(textOf(loadBalancer['project_id']), kind);
      world.lock(textOf(loadBalancer['id']));
      return this.#begun(kind, addListener(world, loadBalancer, fields));
    }
    if (kind === 'pools') return this.#begun(kind, createPool(world, fields));
    const pool = world.required(requester, 'pools', textOf(fields['pool_id']));
    if (world.store.monitorOf(textOf(pool['id'])) !== undefined)
      throw conflict('This pool already has a health monitor');
    world.checkQuota(textOf(pool['project_id']), kind);
    lockPool(world, pool);
    return this.#begun(kind, addMonitor(world, pool, fields));
  }

  #createFlavor({ isAdmin }: Requester, body: JsonObject | undefined): ServiceAnswer {
    if (!isAdmin) throw forbidden();
    const fields = { enabled: true, ...createdFields('flavors', body?.['flavor'], this.world.minorVersion) };
    return { status: 201, body: { flavor: this.#bodies.one('flavors', this.world.store.add('flavors', fields)) } };
  }

  #onOne(requester: Requester, kind: OctaviaKind, id: string, { method, body, query }: ServiceRequest): ServiceAnswer {
    if (kind === 'flavors' && method !== 'GET') throw forbidden();
    const { world } = this;
    const changes = method === 'PUT' ? changedFields(kind, body?.[SINGULARS[kind]], world.minorVersion) : undefined;
    const object = world.required(requester, kind, id);
    if (method === 'GET') {
      const shown = selected(this.#bodies.one(kind, object), query.getAll('fields'));
      return { status: 200, body: { [SINGULARS[kind]]: shown } };
    }
    if (changes !== undefined) {
      const changed = this.#change(kind, object, changes);
      return { status: 200, body: { [SINGULARS[kind]]: this.#bodies.one(kind, changed) } };
    }
    if (method !== 'DELETE') throw frameworkRefusal(405, '');
    this.#delete(kind, object, query.get('cascade') === 'true');
    return { status: 204, body: undefined };
  }

  #change(kind: OctaviaKind, object: JsonObject, fields: JsonObject): JsonObject {
    const { world } = this;
    if (kind === 'loadbalancers') {
      world.lockItself(object, 'PENDING_UPDATE');
      return this.#begun(kind, world.store.change(kind, textOf(object['id']), fields));
    }
    if (kind === 'listeners') return this.#begun(kind, changeListener(world, object, fields));
    if (kind === 'pools') return this.#begun(kind, changePool(world, object, fields));
    lockPool(world, objectOf(world.store.find('pools', textOf(object['pool_id']))));
    const pending = { ...fields, provisioning_status: 'PENDING_UPDATE' };
    return this.#begun(kind, world.store.change(kind, textOf(object['id']), pending));
  }

  #delete(kind: OctaviaKind, object: JsonObject, isCascade: boolean): void {
    const { world } = this;
    const id = textOf(object['id']);
    if (kind === 'loadbalancers') {
      const below = world.store.below(id);
      if (below.length > 0 && !isCascade) throw invalidRequest(`Cannot delete Load Balancer ${id} - it has children`);
      world.lockItself(object, 'PENDING_DELETE');
      world.begin(id, [{ kind, id }]);
      return;
    }
    if (kind === 'listeners') world.lock(textOf(object['loadbalancer_id']), [object]);
    else if (kind === 'pools') world.lock(textOf(object['loadbalancer_id']), world.store.listenersWith(id));
    else lockPool(world, objectOf(world.store.find('pools', textOf(object['pool_id']))));
    this.#begun(kind, world.store.change(kind, id, { provisioning_status: 'PENDING_DELETE' }));
  }

  #onMembers(requester: Requester, poolId: string, request: ServiceRequest): ServiceAnswer {
    const { world } = this;
    const { method, item, body, query } = request;
    // The path is looked up before anything else is.
    const pool = world.store.find('pools', poolId);
    if (pool === undefined) throw frameworkRefusal(404, `Pool ${poolId} not found.`);
    world.required(requester, 'pools', poolId);
    if (item !== undefined) return this.#onMember(pool, item, request);
    if (method === 'GET') {
      return this.#list(requester, 'members', world.store.membersOf(poolId), request, `pools/${poolId}/members`);
    }
    if (method === 'POST') {
      const made = createMember(world, requester, pool, this.#created('members', body));
      return { status: 201, body: { member: this.#bodies.one('members', this.#begun('members', made)) } };
    }
    if (method !== 'PUT') throw frameworkRefusal(405, '');
    const targets = setMembers(world, requester, pool, body, query.get('additive_only') === 'true');
    if (targets === undefined) this.#unlock(pool);
    else world.begin(textOf(pool['loadbalancer_id']), targets);
    return { status: 202, body: undefined };
  }

  #onMember(pool: JsonObject, id: string, { method, body }: ServiceRequest): ServiceAnswer {
    const { world } = this;
    const member = world.store.find('members', id);
    if (member === undefined || member['pool_id'] !== pool['id']) throw missing('members', id);
    if (method === 'GET') return { status: 200, body: { member: this.#bodies.one('members', member) } };
    if (method === 'PUT') {
      const changed = changeMember(world, pool, member, changedFields('members', body?.['member'], world.minorVersion));
      return { status: 200, body: { member: this.#bodies.one('members', this.#begun('members', changed)) } };
    }
    if (method !== 'DELETE') throw frameworkRefusal(405, '');
    lockPool(world, pool);
    this.#begun('members', world.store.change('members', id, { provisioning_status: 'PENDING_DELETE' }));
    return { status: 204, body: undefined };
  }

  /** A batch that changes nothing is over at once. */
  #unlock(pool: JsonObject): void {
    const { store } = this.world;
    const active = { provisioning_status: 'ACTIVE' };
    for (const listener of store.listenersWith(textOf(pool['id'])))
      store.change('listeners', textOf(listener['id']), active);
    store.change('pools', textOf(pool['id']), active);
    store.change('loadbalancers', textOf(pool['loadbalancer_id']), active);
  }

  #failover({ isAdmin }: Requester, id: string): ServiceAnswer {
    const { world } = this;
    const loadBalancer = world.store.find('loadbalancers', id);
    if (loadBalancer === undefined) throw missing('loadbalancers', id);
    if (!isAdmin) throw forbidden();
    checkFailover(textOf(loadBalancer['provider']));
    if (loadBalancer['provisioning_status'] === 'ERROR')
      world.store.change('loadbalancers', id, { provisioning_status: 'ACTIVE' });
    world.lockItself(objectOf(world.store.find('loadbalancers', id)), 'PENDING_UPDATE');
    world.begin(id, [{ kind: 'loadbalancers', id }]);
    return { status: 202, body: undefined };
  }

  #providers({ isAdmin }: Requester, { method, id, action }: ServiceRequest): ServiceAnswer {
    if (method !== 'GET') throw frameworkRefusal(405, '');
    const { providers } = this.world.neutron.behaviour.octavia;
    if (id === undefined) {
      return {
        status: 200,
        body: { providers: providers.map((name) => ({ name, description: DESCRIPTIONS[name] ?? name })) },
      };
    }
    if (action !== 'flavor_capabilities') throw frameworkRefusal(404, '');
    if (!isAdmin) throw forbidden();
    const flavor_capabilities =
      id === 'amphora' ? [{ name: 'loadbalancer_topology', description: 'SINGLE or ACTIVE_STANDBY.' }] : [];
    return { status: 200, body: { flavor_capabilities } };
  }

  #availabilityZones({ method, id }: ServiceRequest): ServiceAnswer {
    if (method !== 'GET' || id !== undefined) throw frameworkRefusal(405, '');
    const { availabilityZones } = this.world.neutron.behaviour.octavia;
    const availability_zones = availabilityZones.map((name) => ({ name, description: '', enabled: true }));
    return { status: 200, body: { availability_zones, availability_zones_links: [] } };
  }

  #list(
    requester: Requester,
    kind: OctaviaKind,
    all: readonly JsonObject[],
    { query, root }: ServiceRequest,
    path: string,
  ): ServiceAnswer {
    const { items, next } = listed(requester, kind, all, query, this.world.neutron.behaviour.pageLimit);
    const links = next === undefined ? [] : [{ rel: 'next', href: `${root}/lbaas/${path}?marker=${next}` }];
    const shown = items.map((one) => selected(this.#bodies.one(kind, one), query.getAll('fields')));
    return { status: 200, body: { [kind]: shown, [`${kind}_links`]: links } };
  }

  #created(kind: OctaviaKind, body: JsonObject | undefined): JsonObject {
    const fields = body?.[SINGULARS[kind]];
    if (!isJsonObject(fields)) throw failed("'UnsetType' object has no attribute 'project_id'");
    return createdFields(kind, fields, this.world.minorVersion);
  }

  /** Octavia is at this change from now on: the resource as it is then. */
  #begun(kind: OctaviaKind, object: JsonObject): JsonObject {
    const { world } = this;
    const target: Target = { kind, id: textOf(object['id']) };
    const pool = world.store.find('pools', textOf(object['pool_id']));
    const owner = kind === 'loadbalancers' ? target.id : textOf((pool ?? object)['loadbalancer_id']);
    world.begin(owner, [target]);
    return objectOf(world.store.find(kind, target.id));
  }
}

function isKind(kind: string): kind is OctaviaKind {
  return Object.hasOwn(SINGULARS, kind);
}
