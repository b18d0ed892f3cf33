import { type IpFamily, LastTold } from '@fairlead/control';
import type { Service } from '@fairlead/kube';
import type { ServiceKey } from '@fairlead/service';
import type { LoadBalancer } from '../../arm/index.ts';
import { adoptedPools } from '../load-balancers/desired.ts';
import { usesPool } from '../load-balancers/request-bodies/load-balancer-body.ts';
import { familyName, markOf } from '../names.ts';
import { type AzureSite, serviceOfName } from '../site.ts';
import type { BackendPoolUpdater } from './backend-pool-updater.ts';
import type { BackendsChange, BackendTracker } from './backend-tracker.ts';
import type { LocalPool, LocalServiceInfo, LocalServices } from './local-services.ts';
import { mergeEntries } from './pool-entries.ts';
import type { UpdateReporter } from './update-reporter.ts';

export interface PoolRegistryOptions {
  readonly site: AzureSite;
  readonly services: LocalServices;
  readonly backends: BackendTracker;
  /** As it is now; undefined when there is none of this name. */
  readonly serviceOf: (key: ServiceKey) => Service | undefined;
  readonly updater: Pick<BackendPoolUpdater, 'addOperation' | 'removeOperation'>;
  readonly reporter: Pick<UpdateReporter, 'leftOut'>;
}

/** Knows which Services have pools, and sees to it that the updater hears of every pool that is out of step. */
export class PoolRegistry {
  readonly #options: PoolRegistryOptions;
  /** Service -> the nodes that were last told to be without room for it. */
  readonly #leftOut = new LastTold<ServiceKey>();

  constructor(options: PoolRegistryOptions) {
    this.#options = options;
  }

  /** The Service is about to get its pools: with the nodes that have room for it beside all others. */
  expect(service: Service, info: LocalServiceInfo): void {
    const { services, backends } = this.#options;
    const isKnown = services.get(info.service) !== undefined;
    if (!isKnown && this.#isStillThere(info.service, service)) this.follow(backends.follow({ ...info, isNew: true }));
  }

  /**
   * The Service has its pools, which are as in `body`; from now on they follow its endpoints. One that left while its
   * load balancer was written is not followed: no further event would make us forget it.
   */
  register(service: Service, info: LocalServiceInfo, body: LoadBalancer | undefined): void {
    const { services, backends } = this.#options;
    if (!this.#isStillThere(info.service, service)) return;
    services.set(info);
    this.follow(backends.follow(info));
    this.#tellOfRoom(info.service);
    for (const pool of poolsOutOfStep(info, body, backends)) this.#add(info, pool);
  }

  /** For a Service that cannot be served as it is now: what it has goes on following its endpoints. */
  registerWhatIsThere(key: ServiceKey, service: Service, body: LoadBalancer | undefined): void {
    const { site, services, backends } = this.#options;
    const info = body === undefined ? undefined : infoThere(site, key, service, body);
    if (info !== undefined && info.pools.length > 0) this.register(service, info, body);
    else if (services.get(key) === undefined) this.follow(backends.unfollow(key));
  }

  /** The Service is on its way out, or was never ours: nothing that waits for it is tried any more. */
  forget(service: ServiceKey): void {
    const { services, backends, updater } = this.#options;
    const isKnown = services.get(service) !== undefined;
    services.delete(service);
    this.#leftOut.forget(service);
    if (isKnown) updater.removeOperation(service);
    this.follow(backends.unfollow(service));
  }

  /** The nodes that serve these Services changed. */
  follow(changes: readonly BackendsChange[]): void {
    for (const { service, family } of changes) {
      const info = this.#options.services.get(service);
      if (info === undefined) continue;
      this.#tellOfRoom(service);
      for (const pool of info.pools) if (pool.family === family) this.#add(info, pool);
    }
  }

  /** Once, and again when they are others. */
  #tellOfRoom(service: ServiceKey): void {
    const { backends, reporter } = this.#options;
    const nodes = backends.nodesWithoutRoom(service);
    if (this.#leftOut.isNews(service, nodes.join(', '))) reporter.leftOut(service, nodes);
  }

  #isStillThere(key: ServiceKey, { metadata: { uid } }: Service): boolean {
    const current = this.#options.serviceOf(key)?.metadata;
    return current !== undefined && current.uid === uid && current.deletionTimestamp === undefined;
  }

  #add({ service, loadBalancer }: LocalServiceInfo, { name, family }: LocalPool): void {
    this.#options.updater.addOperation({ service, loadBalancer, backendPool: name, family });
  }
}

/** Pools of the Service that do not have the nodes that serve it; `body` is that of its load balancer. */
export function poolsOutOfStep(
  { service, pools }: LocalServiceInfo,
  body: LoadBalancer | undefined,
  backends: Pick<BackendTracker, 'addresses' | 'isNode'>,
): readonly LocalPool[] {
  return pools.filter(({ name, family }) => {
    const there = body?.properties.backendAddressPools?.find((pool) => isSameName(pool.name, name));
    const entries = there?.properties.loadBalancerBackendAddresses ?? [];
    return mergeEntries(entries, backends.addresses(service, family), backends) !== undefined;
  });
}

/** What a Service has on a load balancer, whatever it asks for. */
export function infoThere(site: AzureSite, key: ServiceKey, service: Service, body: LoadBalancer): LocalServiceInfo {
  const mark = markOf(service);
  const rules = (body.properties.loadBalancingRules ?? []).filter(({ name }) => serviceOfName(site, name) === mark);
  const claim = { service: key, rules: rules.length, createdAt: service.metadata.creationTimestamp ?? '' };
  return { ...claim, loadBalancer: body.name, pools: poolsThere(site, service, body) };
}

function poolsThere(site: AzureSite, service: Service, body: LoadBalancer): readonly LocalPool[] {
  const adopted = adoptedPools(service);
  const mark = markOf(service);
  const familyOf = (name: string): IpFamily | undefined => {
    const isAdopted = (family: IpFamily) => isSameName(adopted[family] ?? '', name) && usesPool(site, body, name, mark);
    if (serviceOfName(site, name) === undefined) return (['IPv4', 'IPv6'] as const).find(isAdopted);
    if (serviceOfName(site, name) !== mark) return undefined;
    return name.toLowerCase().endsWith(familyName('', 'IPv6')) ? 'IPv6' : 'IPv4';
  };
  return (body.properties.backendAddressPools ?? []).flatMap(({ name }) => {
    const family = familyOf(name);
    return family === undefined ? [] : [{ family, name }];
  });
}

function isSameName(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}
