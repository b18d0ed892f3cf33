import {
  type Clock,
  FairleadError,
  type Journal,
  type MetricDefinition,
  type Metrics,
  runSteps,
  sleep,
} from '@fairlead/control';
import {
  isAlreadyExists,
  isConflict,
  isNotFound,
  keyText,
  type KubeClient,
  type KubeObject,
  type Leadership,
  leasedWrite,
  WRITE_DEADLINE_MILLISECONDS,
  type WriteOptions,
} from '@fairlead/kube';
import { describeWrite, type Place, type Write } from '../decision/write.ts';
import type { Expectations } from './expectations.ts';

const FIELD_MANAGER = 'fairlead-clusterset';
const LEASE_CHECK_MILLISECONDS = 250;

export const writesTotal: MetricDefinition = {
  name: 'fairlead_clusterset_writes_total',
  kind: 'counter',
  help: 'Writes for Services of the clusterset, by where (member or broker), verb, and result.',
  labels: ['at', 'verb', 'result'],
};

export interface ApplierOptions {
  readonly clients: Readonly<Record<Place, KubeClient>>;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly metrics: Metrics;
  readonly leadership: Leadership;
  readonly expectations: Pick<Expectations, 'note'>;
}

/**
 * Makes planned writes: each as a step in the journal, only while the Lease outlives it, only to the version that was
 * decided upon; and deletes nothing because a cache does not have something that the server has.
 */
export class Applier {
  readonly #options: ApplierOptions;

  constructor(options: ApplierOptions) {
    this.#options = options;
  }

  async apply(key: string, writes: readonly Write[], signal: AbortSignal): Promise<void> {
    const { journal } = this.#options;
    const steps = writes.map((write) => ({
      name: describeWrite(write),
      call: `${write.verb} ${write.resource.plural}`,
      ifItDiesHere: write.ifItDiesHere,
      run: (stepSignal: AbortSignal) => this.#attempt(key, write, stepSignal),
    }));
    await runSteps(steps, { journal, key: `serviceexport ${key}` }, signal);
  }

  async #attempt(key: string, write: Write, signal: AbortSignal): Promise<void> {
    const { metrics, leadership, clock, expectations } = this.#options;
    const count = (result: string) => metrics.increment(writesTotal, { at: write.at, verb: write.verb, result });
    await this.#confirm(write, signal);
    while (!leadership.covers(WRITE_DEADLINE_MILLISECONDS)) {
      leadership.signal.throwIfAborted();
      await sleep(clock, LEASE_CHECK_MILLISECONDS, signal);
    }
    try {
      const answer = await this.#send(write, leasedWrite(leadership, FIELD_MANAGER, signal));
      expectations.note(key, write, answer);
      count('done');
    } catch (error) {
      count('failed');
      throw isConflict(error) || isAlreadyExists(error) || isNotFound(error) ? movedOn(write, error) : error;
    }
  }

  async #send({ verb, at, resource, object }: Write, options: WriteOptions): Promise<KubeObject | undefined> {
    const client = this.#options.clients[at];
    if (verb === 'create') return client.create(resource, object, options);
    if (verb === 'update') return client.update(resource, object, options);
    const { uid, resourceVersion } = object.metadata;
    const preconditions = {
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    };
    await client.delete(resource, object.metadata, { ...options, ...preconditions });
    return undefined;
  }

  /** A list may be empty by mistake; an object that the server has when it is asked for it was not deleted. */
  async #confirm(write: Write, signal: AbortSignal): Promise<void> {
    for (const { is, at, resource, key } of write.preconditions) {
      const found = await this.#options.clients[at].find(resource, key, { signal });
      const isThere = found !== undefined && found.metadata.deletionTimestamp === undefined;
      if (isThere === (is === 'there')) continue;
      const why = `${resource.kind} ${keyText(key)} is ${isThere ? 'there after all' : 'not there'}`;
      throw new FairleadError(`${describeWrite(write)} is held back: ${why}`, {
        verdict: 'retriable',
        code: 'held-back',
      });
    }
  }
}

/** What we went by is not what the server has: the cache will tell, and it is decided again. */
function movedOn(write: Write, cause: unknown): FairleadError {
  return new FairleadError(`${describeWrite(write)}: it has changed meanwhile`, {
    verdict: 'stale',
    code: 'changed-meanwhile',
    cause,
  });
}
