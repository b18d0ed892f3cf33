import { noMetrics, type HttpRequest, type HttpTransport, readText, silentLogger, sleep } from '@fairlead/control';
import { CacheFactory, type ConfigMap, configMaps, KubeClient, type SharedCache } from '@fairlead/kube';
import type { Incarnation } from '@fairlead/sim';
import { connectToKubernetes } from '../kubernetes.ts';
import type { CloudRecord } from './toy-cloud.ts';

/** What is wrong with the controller, if anything. */
export type Defect = 'none' | 'event-lost' | 'finalizer-dropped-early' | 'create-repeated' | 'stale-cache-trusted';

export const NAMESPACE = 'default';
export const CLOUD = 'cloud';
/** The object in which addresses are given out: address to the uid of its owner. */
export const POOL = { namespace: NAMESPACE, name: 'pool' };
const FINALIZER = 'toy.fairlead.dev/record';
const ADDRESSES = Array.from({ length: 12 }, (_, index) => `192.0.2.${index + 1}`);

/** Longer than anything is on its way: what was not answered by then has happened, or never will. */
const PATIENCE_MILLISECONDS = 5000;
const RETRY_MILLISECONDS = 500;
/** With the defect, one event in so many is lost. */
const LOST_EVENT = 15;

export function isClaim({ metadata }: ConfigMap): boolean {
  return metadata.name.startsWith('claim-');
}

/**
 * A controller in small: every ConfigMap that is a claim gets an address out of the pool and a record in the cloud, and
 * keeps a finalizer for as long as it has either.
 */
export class ToyController {
  readonly #incarnation: Incarnation;
  readonly #defect: Defect;
  readonly #client: KubeClient;
  readonly #cloud: HttpTransport;
  readonly #claims: SharedCache<ConfigMap>;
  /** Keys to look at. */
  readonly #dirty = new Set<string>();
  #events = 0;
  #isIdle = false;

  constructor(incarnation: Incarnation, defect: Defect) {
    this.#incarnation = incarnation;
    this.#defect = defect;
    const connection = connectToKubernetes(incarnation);
    const { clock, random, signal } = incarnation;
    this.#client = new KubeClient(connection, clock);
    this.#cloud = incarnation.connect(CLOUD);
    const factory = new CacheFactory({ connection, clock, random, signal, logger: silentLogger, metrics: noMetrics });
    this.#claims = factory.cache(configMaps, { namespace: NAMESPACE });
    this.#claims.subscribe(({ key }) => {
      this.#events += 1;
      if (defect === 'event-lost' && this.#events % LOST_EVENT === 0) return;
      this.#dirty.add(key);
    });
  }

  /** Whether there is nothing left to look at. */
  get isIdle(): boolean {
    return this.#isIdle && this.#dirty.size === 0;
  }

  async run(): Promise<void> {
    const { clock } = this.#incarnation;
    await this.#claims.synced();
    // Until then, what the life before this one sent may still arrive.
    await sleep(clock, PATIENCE_MILLISECONDS);
    for (;;) {
      for (const key of this.#dirty) {
        this.#isIdle = false;
        this.#dirty.delete(key);
        try {
          await this.#reconcile(key);
        } catch {
          this.#dirty.add(key);
          await sleep(clock, RETRY_MILLISECONDS);
        }
      }
      this.#isIdle = true;
      await sleep(clock, RETRY_MILLISECONDS);
    }
  }

  async #reconcile(key: string): Promise<void> {
    const claim = this.#claims.get(key);
    if (claim === undefined || !isClaim(claim)) return;
    const { uid = '', deletionTimestamp, finalizers = [] } = claim.metadata;
    const isHeld = finalizers.includes(FINALIZER);
    if (deletionTimestamp !== undefined) {
      if (!isHeld) return;
      if (this.#defect === 'finalizer-dropped-early') await this.#setFinalizers(claim, []);
      for (const name of await this.#recordsOf(uid)) await this.#callCloud('DELETE', name);
      await this.#release(uid);
      if (this.#defect !== 'finalizer-dropped-early') await this.#setFinalizers(claim, []);
      return;
    }
    if (!isHeld) await this.#setFinalizers(claim, [FINALIZER]);
    await this.#record(uid, await this.#addressFor(uid));
  }

  /** The address of this owner in the pool; a free one is given to it first if it has none. */
  async #addressFor(owner: string): Promise<string> {
    const pool = this.#claims.get(POOL);
    const taken = pool?.data ?? {};
    const own = Object.keys(taken).find((address) => taken[address] === owner);
    if (own !== undefined) return own;
    const free = ADDRESSES.find((address) => taken[address] === undefined);
    if (free === undefined) throw new Error('no address is free');
    await this.#patchPool(pool, { [free]: owner });
    return free;
  }

  /** The cache may not yet know of an address that was given out a moment ago. */
  async #release(owner: string): Promise<void> {
    const pool = await this.#client.get(configMaps, POOL, { deadlineMilliseconds: PATIENCE_MILLISECONDS });
    const own = Object.entries(pool.data ?? {}).filter(([, holder]) => holder === owner);
    if (own.length > 0) await this.#patchPool(pool, Object.fromEntries(own.map(([address]) => [address, null])));
  }

  /** Fails when the pool is no longer as the cache has it. */
  async #patchPool(pool: ConfigMap | undefined, data: Record<string, string | null>): Promise<void> {
    const resourceVersion = pool?.metadata.resourceVersion ?? '';
    const isBlind = this.#defect === 'stale-cache-trusted';
    await this.#client.patchMerge(configMaps, POOL, isBlind ? { data } : { metadata: { resourceVersion }, data }, {
      deadlineMilliseconds: PATIENCE_MILLISECONDS,
    });
  }

  async #setFinalizers(claim: ConfigMap, finalizers: readonly string[]): Promise<void> {
    const { uid = '', resourceVersion = '', name, namespace = NAMESPACE } = claim.metadata;
    await this.#client.patchMerge(
      configMaps,
      { namespace, name },
      { metadata: { uid, resourceVersion, finalizers } },
      { deadlineMilliseconds: PATIENCE_MILLISECONDS },
    );
  }

  async #record(owner: string, address: string): Promise<void> {
    if ((await this.#recordsOf(owner, address)).length > 0) return;
    const body = JSON.stringify({ owner, address });
    if (this.#defect !== 'create-repeated') {
      await this.#callCloud('PUT', owner, body);
      return;
    }
    // Not knowing whether the first one arrived, it makes another.
    await this.#callCloud('POST', '', body).catch(() => this.#callCloud('POST', '', body));
  }

  /** The names of the records of an owner, of all or of those with this address. */
  async #recordsOf(owner: string, address?: string): Promise<readonly string[]> {
    const records: readonly (readonly [string, CloudRecord])[] = JSON.parse(await this.#callCloud('GET', ''));
    return records.flatMap(([name, record]) =>
      record.owner === owner && (address ?? record.address) === record.address ? [name] : [],
    );
  }

  async #callCloud(method: HttpRequest['method'], name: string, body?: string): Promise<string> {
    const patience = new AbortController();
    const timer = this.#incarnation.clock.setTimer(PATIENCE_MILLISECONDS, () => patience.abort(new Error('no answer')));
    const request = { method, url: `http://cloud/${name}`, headers: {}, signal: patience.signal };
    try {
      const response = await this.#cloud.send(body === undefined ? request : { ...request, body });
      const text = await readText(response);
      if (response.status !== 200) throw new Error(`the cloud answered ${response.status}`);
      return text;
    } finally {
      timer.cancel();
    }
  }
}
