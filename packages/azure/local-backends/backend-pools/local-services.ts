import { type IpFamily, SetMultimap } from '@fairlead/control';
import type { ServiceKey } from '@fairlead/service';
import type { RuleClaim } from './node-claims.ts';

/** A backend pool, whatever the case in which it is spelled. */
export type PoolKey = string & { readonly brand: 'PoolKey' };

export interface LocalPool {
  readonly family: IpFamily;
  readonly name: string;
}

/** Where a Service is that has its load balancer. */
export interface LocalServiceInfo extends RuleClaim {
  readonly loadBalancer: string;
  readonly pools: readonly LocalPool[];
}

/** `loadBalancer/pool`. */
export function poolKey(loadBalancer: string, pool: string): PoolKey {
  const key = `${loadBalancer}/${pool}`.toLowerCase();
  if (!isPoolKey(key)) throw new TypeError(`${key} is no pool of a load balancer`);
  return key;
}

/** The load balancer of a pool, in lower case. */
export function loadBalancerOf(pool: PoolKey): string {
  return pool.slice(0, pool.indexOf('/'));
}

function isPoolKey(key: string): key is PoolKey {
  return key.includes('/');
}

/**
 * The Services that have their load balancer, and where: what decides whether an operation is still relevant. A Service
 * that is on its way out is removed from here first.
 */
export class LocalServices {
  readonly #infos = new Map<ServiceKey, LocalServiceInfo>();
  /** Pool -> the Services it serves: more than one only where an old name stands for several. */
  readonly #byPool = new SetMultimap<PoolKey, ServiceKey>();

  set(info: LocalServiceInfo): void {
    this.delete(info.service);
    this.#infos.set(info.service, info);
    for (const pool of poolsOf(info)) this.#byPool.add(pool, info.service);
  }

  delete(service: ServiceKey): void {
    const info = this.#infos.get(service);
    if (info === undefined) return;
    this.#infos.delete(service);
    for (const pool of poolsOf(info)) this.#byPool.delete(pool, service);
  }

  get(service: ServiceKey): LocalServiceInfo | undefined {
    return this.#infos.get(service);
  }

  /** Whether the Service still has this pool on this load balancer. */
  has(service: ServiceKey, pool: PoolKey): boolean {
    return this.#byPool.has(pool, service);
  }

  /** The Services behind a pool. */
  sharing(pool: PoolKey): readonly ServiceKey[] {
    return [...this.#byPool.get(pool)];
  }
}

function poolsOf({ loadBalancer, pools }: LocalServiceInfo): readonly PoolKey[] {
  return pools.map(({ name }) => poolKey(loadBalancer, name));
}
