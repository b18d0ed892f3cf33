import {
  type Clock,
  isRecord,
  type Journal,
  type MetricDefinition,
  type Metrics,
  runSteps,
  sleep,
} from '@fairlead/control';
import { isNotFound } from '../api/api-error.ts';
import type { KubeClient } from '../api/client.ts';
import type { Applied, MergePatch } from '../api/patch.ts';
import { keyText, type ObjectKey, type Resource, statusOf } from '../api/resource.ts';
import type { Leadership } from '../leader/leadership.ts';
import type { KubeObject } from '../types/meta.ts';
import { leasedWrite, WRITE_DEADLINE_MILLISECONDS } from './leased-write.ts';
import { isDeleted, OwnWrites } from './own-writes.ts';

const LEASE_CHECK_MILLISECONDS = 250;

/** One write to an object, planned: pure, so that a dry run shows what is written. */
export interface ObjectWrite<Kind extends KubeObject> {
  /** Stable: the journal, metrics and crash tests refer to it. */
  readonly name: string;
  /** What the world looks like if the process dies right after it, and who mends it: a sentence. */
  readonly ifItDiesHere: string;
  readonly subresource?: 'status' | undefined;
  /** Needs no resource version: the writer adds that of the object it goes on from. */
  readonly patch: MergePatch<Kind>;
}

/** How a write is told of. */
export type WriteText = Pick<ObjectWrite<KubeObject>, 'name' | 'ifItDiesHere'>;

/** What a writer is made of. */
export interface ObjectWriterOptions<Kind extends KubeObject> {
  readonly resource: Resource<Kind>;
  readonly client: Pick<KubeClient, 'patchMerge' | 'find' | 'apply' | 'delete'>;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly leadership: Leadership;
  readonly fieldManager: string;
  readonly metrics?: Metrics;
  /** A counter with the labels `step` and `result` (`done` or `failed`). */
  readonly writesMetric?: MetricDefinition;
}

/**
 * The way in which a leader writes to the objects it reconciles: as journalled steps, each only to the very version
 * that was decided upon, and only while the Lease outlives it.
 */
export class ObjectWriter<Kind extends KubeObject> {
  readonly #options: ObjectWriterOptions<Kind>;
  readonly #ownWrites = new OwnWrites<Kind>();

  constructor(options: ObjectWriterOptions<Kind>) {
    this.#options = options;
  }

  /** The newer one of what the cache has and what we wrote or read ourselves. Undefined when the object is gone. */
  latest(key: string, cached: Kind | undefined): Kind | undefined {
    return this.#ownWrites.latest(key, cached);
  }

  /**
   * Makes the writes in order, each guarded by the version that the one before left. Resolves with the object as the
   * last one left it, the same one when there are none, and undefined when this very object is gone. Rejects with a
   * StepFailure when a write failed; the next attempt goes on from what the server has then.
   */
  async write(object: Kind, writes: readonly ObjectWrite<Kind>[], signal: AbortSignal): Promise<Kind | undefined> {
    const { resource, journal } = this.#options;
    const record = { journal, key: `${resource.kind.toLowerCase()} ${keyText(object.metadata)}` };
    let latest: Kind | undefined = object;
    for (const write of writes) {
      if (latest === undefined) return undefined;
      const current: Kind = latest;
      const { name, ifItDiesHere, subresource } = write;
      const call = `PATCH ${resource.plural}${subresource === undefined ? '' : `/${subresource}`}`;
      const run = async (stepSignal: AbortSignal) => {
        latest = await this.#attempt(current, write, stepSignal);
      };
      await runSteps([{ name, call, ifItDiesHere, run }], record, signal);
    }
    return latest;
  }

  /**
   * Makes these fields as they are here, by server-side apply, and creates the object where there is none. The manager
   * owns them from then on, and no others. Gives the object as it then is.
   */
  async apply(object: Applied<Kind>, fieldManager: string, about: WriteText, signal: AbortSignal): Promise<Kind> {
    const { client, resource, leadership } = this.#options;
    const send = async (stepSignal: AbortSignal) => {
      const options = { ...leasedWrite(leadership, fieldManager, stepSignal), fieldManager, force: true };
      const written = await client.apply<Kind>(resource, object, options);
      this.#ownWrites.note(written);
      return written;
    };
    return this.#asStep(object.metadata, `PATCH ${resource.plural}`, about, send, signal);
  }

  /** Has this very object deleted; it stays until its finalizers are gone. */
  async delete({ metadata }: Kind, about: WriteText, signal: AbortSignal): Promise<void> {
    const { client, resource, leadership, fieldManager } = this.#options;
    const { uid } = metadata;
    const send = async (stepSignal: AbortSignal) => {
      const options = { ...leasedWrite(leadership, fieldManager, stepSignal), ...(uid === undefined ? {} : { uid }) };
      try {
        await client.delete(resource, metadata, options);
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    };
    await this.#asStep(metadata, `DELETE ${resource.plural}`, about, send, signal);
  }

  async #asStep<Result>(
    key: ObjectKey,
    call: string,
    { name, ifItDiesHere }: WriteText,
    send: (signal: AbortSignal) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    const { resource, journal } = this.#options;
    const record = { journal, key: `${resource.kind.toLowerCase()} ${keyText(key)}` };
    const answer = Promise.withResolvers<Result>();
    const run = async (stepSignal: AbortSignal) => {
      await this.#untilCovered(stepSignal);
      const result = await send(stepSignal);
      answer.resolve(result);
    };
    await runSteps([{ name, call, ifItDiesHere, run }], record, signal);
    return answer.promise;
  }

  /** Undefined when the object is gone: then there is nothing left to write to, be it that a finalizer was to go. */
  async #attempt(object: Kind, write: ObjectWrite<Kind>, signal: AbortSignal): Promise<Kind | undefined> {
    await this.#untilCovered(signal);
    try {
      const written = await this.#patch(object, write, signal);
      this.#ownWrites.note(written);
      this.#count(write, 'done');
      return isDeleted(written) ? undefined : written;
    } catch (error) {
      const isGone = await this.#isGone(object, signal);
      this.#count(write, isGone ? 'done' : 'failed');
      if (isGone) return undefined;
      throw error;
    }
  }

  #patch(object: Kind, { patch, subresource }: ObjectWrite<Kind>, signal: AbortSignal): Promise<Kind> {
    const { client, resource, leadership, fieldManager } = this.#options;
    const written = subresource === 'status' ? statusOf(resource) : resource;
    const guarded = atVersion(patch, object.metadata.resourceVersion);
    return client.patchMerge<Kind>(written, object.metadata, guarded, leasedWrite(leadership, fieldManager, signal));
  }

  /** The Lease is renewed soon, or lost, and then the signal aborts. */
  async #untilCovered(signal: AbortSignal): Promise<void> {
    const { clock, leadership } = this.#options;
    while (!leadership.covers(WRITE_DEADLINE_MILLISECONDS)) {
      leadership.signal.throwIfAborted();
      await sleep(clock, LEASE_CHECK_MILLISECONDS, signal);
    }
  }

  /**
   * Reads the object again after a failure. The answer may have been lost, or the cache may be behind: by the cache
   * alone, every further attempt would fail for the same reason until it has caught up.
   */
  async #isGone(object: Kind, signal: AbortSignal): Promise<boolean> {
    const { client, resource } = this.#options;
    try {
      const found = await client.find(resource, object.metadata, { signal });
      const isGone = found === undefined || found.metadata.uid !== object.metadata.uid;
      if (isGone) this.#ownWrites.noteGone(object);
      else this.#ownWrites.note(found);
      return isGone;
    } catch {
      // The failure of the write is what is told; the next attempt reads again.
      return false;
    }
  }

  #count({ name }: ObjectWrite<Kind>, result: 'done' | 'failed'): void {
    const { metrics, writesMetric } = this.#options;
    if (writesMetric !== undefined) metrics?.increment(writesMetric, { step: name, result });
  }
}

/** The server refuses a patch with a version (409) when the object has another one. */
function atVersion<Patch>(patch: Patch, resourceVersion: string | undefined): Patch {
  if (!isRecord(patch) || resourceVersion === undefined) return patch;
  const metadata = isRecord(patch['metadata']) ? patch['metadata'] : {};
  return { ...patch, metadata: { ...metadata, resourceVersion } };
}
