import { orAborted } from '@fairlead/control';
import type { CacheChange } from '../cache/change.ts';
import type { SharedCache, Subscription } from '../cache/shared-cache.ts';
import type { KubeObject } from '../types/meta.ts';
import { type AddOptions, KeyedQueue, type KeyedQueueOptions, type KeyState, type Work } from './queue.ts';

/** The keys to reconcile after a change; none, for a handler that only takes note of it. */
export type KeysOf<Kept> = (change: CacheChange<Kept>) => Iterable<string> | void;

/** A cache that is watched: how to wait for it, and how to begin. */
interface Source {
  synced(signal: AbortSignal): Promise<void>;
  subscribe(): Subscription;
}

/**
 * Reconciles objects by key, as they change in any of the watched caches. Nothing is reconciled before all of these
 * are complete and have handed over their objects; then each key that they named is reconciled once. Runs once: each
 * leadership gets a controller of its own.
 */
export class Controller {
  readonly #name: string;
  readonly #queue: KeyedQueue;
  readonly #sources: Source[] = [];
  #handOver: Promise<void> | undefined;

  constructor(options: KeyedQueueOptions) {
    this.#name = options.name;
    this.#queue = new KeyedQueue(options);
  }

  /** Reconciles the object itself after each change, or what `keysOf` names. */
  watch<Kept extends KubeObject>(cache: SharedCache<Kept>, keysOf: KeysOf<Kept> = ({ key }) => [key]): void {
    if (this.#handOver !== undefined) throw new Error(`${this.#name} has started: watch all caches before that`);
    const enqueue = (change: CacheChange<Kept>) => {
      for (const key of keysOf(change) ?? []) this.#queue.add(key);
    };
    this.#sources.push({ synced: (signal) => cache.synced(signal), subscribe: () => cache.subscribe(enqueue) });
  }

  /** Has the key reconciled for a reason of another kind than a change in a cache. */
  add(key: string, options?: AddOptions): void {
    this.#queue.add(key, options);
  }

  /** Undefined when there is nothing to do for the key. */
  stateOf(key: string): KeyState | undefined {
    return this.#queue.stateOf(key);
  }

  /**
   * Resolves when the watched caches are complete and have handed over all their objects: for work beside `run` that
   * needs them, too. The subscriptions end when the signal of the first call aborts.
   */
  synced(signal: AbortSignal): Promise<void> {
    this.#handOver ??= this.#start(signal);
    return this.#handOver;
  }

  /** Reconciles until the signal aborts; resolves when the work under way has ended. Rejects when a cache stopped. */
  async run(reconcile: Work, signal: AbortSignal): Promise<void> {
    try {
      await this.synced(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    await this.#queue.run(reconcile, signal);
  }

  async #start(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#sources.map((source) => source.synced(signal)));
    signal.throwIfAborted();
    const subscriptions = this.#sources.map((source) => source.subscribe());
    const cancelAll = () => {
      for (const subscription of subscriptions) subscription.cancel();
    };
    signal.addEventListener('abort', cancelAll, { once: true });
    await orAborted(Promise.all(subscriptions.map(({ caughtUp }) => caughtUp)), signal);
  }
}
