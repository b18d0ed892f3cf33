import { type Clock, type Random, randomUuid } from '@fairlead/control';
import { type JsonObject, listOf, objectOf, textOf } from '../../json.ts';

/** The kinds of resources, as paths have them. */
export type OctaviaKind = 'loadbalancers' | 'listeners' | 'pools' | 'members' | 'healthmonitors' | 'flavors';

export type ProvisioningStatus = 'ACTIVE' | 'ERROR' | 'PENDING_CREATE' | 'PENDING_UPDATE' | 'PENDING_DELETE';

const KINDS: readonly OctaviaKind[] = ['loadbalancers', 'listeners', 'pools', 'members', 'healthmonitors', 'flavors'];

/**
 * All that Octavia keeps. What a resource belongs to is in it as `loadbalancer_id` or `pool_id`, which no answer shows
 * in this way.
 */
export class OctaviaStore {
  readonly #clock: Clock;
  readonly #random: Random;
  #kinds = new Map<OctaviaKind, Map<string, JsonObject>>();

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  all(kind: OctaviaKind): readonly JsonObject[] {
    return [...this.#of(kind).values()];
  }

  find(kind: OctaviaKind, id: string): JsonObject | undefined {
    return this.#of(kind).get(id);
  }

  newId(): string {
    return randomUuid(this.#random);
  }

  add(kind: OctaviaKind, fields: JsonObject, id: string = this.newId()): JsonObject {
    const body = { id, ...fields, created_at: this.#now(), updated_at: null };
    this.#of(kind).set(id, body);
    return body;
  }

  change(kind: OctaviaKind, id: string, fields: JsonObject): JsonObject {
    const before = this.#of(kind).get(id);
    if (before === undefined) throw new Error(`there is none of the ${kind} with the id ${id}`);
    const body = { ...before, ...fields, updated_at: this.#now() };
    this.#of(kind).set(id, body);
    return body;
  }

  remove(kind: OctaviaKind, id: string): void {
    this.#of(kind).delete(id);
  }

  /** Does all of it, or nothing when it throws. */
  atomically<Result>(work: () => Result): Result {
    const before = new Map([...this.#kinds].map(([kind, objects]) => [kind, new Map(objects)]));
    try {
      return work();
    } catch (error) {
      this.#kinds = before;
      throw error;
    }
  }

  poolsOf(loadBalancerId: string): readonly JsonObject[] {
    return this.all('pools').filter((pool) => pool['loadbalancer_id'] === loadBalancerId);
  }

  listenersOf(loadBalancerId: string): readonly JsonObject[] {
    return this.all('listeners').filter((listener) => listener['loadbalancer_id'] === loadBalancerId);
  }

  membersOf(poolId: string): readonly JsonObject[] {
    return this.all('members').filter((member) => member['pool_id'] === poolId);
  }

  monitorOf(poolId: string): JsonObject | undefined {
    return this.all('healthmonitors').find((monitor) => monitor['pool_id'] === poolId);
  }

  /** The listeners whose default pool this is. */
  listenersWith(poolId: string): readonly JsonObject[] {
    return this.all('listeners').filter((listener) => listener['default_pool_id'] === poolId);
  }

  /** A load balancer's own, all that is below it included. */
  below(loadBalancerId: string): readonly (readonly [OctaviaKind, JsonObject])[] {
    const pools = this.poolsOf(loadBalancerId);
    const ids = new Set(pools.map((pool) => textOf(pool['id'])));
    const isBelow = (object: JsonObject) =>
      object['loadbalancer_id'] === loadBalancerId || ids.has(textOf(object['pool_id']));
    return KINDS.flatMap((kind) =>
      this.all(kind)
        .filter(isBelow)
        .map((object) => [kind, object] as const),
    );
  }

  #of(kind: OctaviaKind): Map<string, JsonObject> {
    const known = this.#kinds.get(kind) ?? new Map<string, JsonObject>();
    this.#kinds.set(kind, known);
    return known;
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString().slice(0, 19);
  }
}

/** All addresses at which a load balancer listens. */
export function vipsOf(loadBalancer: JsonObject): readonly string[] {
  const more = listOf(loadBalancer['additional_vips']).map((vip) => textOf(objectOf(vip)['ip_address']));
  return [textOf(loadBalancer['vip_address']), ...more];
}
