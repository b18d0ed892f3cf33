import {
  Backoff,
  type Clock,
  codeOf,
  FairleadError,
  type Lanes,
  type Logger,
  messageOf,
  type Random,
  sleep,
} from '@fairlead/control';
import {
  isAlreadyExists,
  isConflict,
  type KubeClient,
  keyText,
  type Leadership,
  type Lease,
  leasedWrite,
  leases,
  type WriteOptions,
} from '@fairlead/kube';
import { PART_NAME } from './names.ts';

/** What all components that change load balancers of the cluster agreed upon. */
const LEASE = { namespace: 'kube-system', name: 'aks-managed-resource-locker' };
/** A name of our own: under that of the cloud-controller-manager, neither would keep the other out. */
const HOLDER = 'fairlead-azure-local';
const PREVIOUS_HOLDER_ANNOTATION = 'aks-managed-resource-locker-previous-holder';
const DURATION_SECONDS = 900;
/** A holding is renewed when it has used up so much of its time: one step outside never takes the rest. */
const RENEW_AFTER_MILLISECONDS = (DURATION_SECONDS * 1000) / 3;
const CALL_DEADLINE_MILLISECONDS = 10_000;

/** Of the error when another component holds the lock. */
export const LOCKED_CODE = 'azure-resources-locked';

/** Keeps other components from changing the load balancers while we do. */
export interface ResourceLock {
  /** Rejects with a retriable error when another component holds it. */
  acquire(signal: AbortSignal): Promise<ResourceHolding>;
}

export interface ResourceHolding {
  /** Sees to it that there is enough time left for another step; rejects when the lock is lost. */
  keep(signal: AbortSignal): Promise<void>;
  /** Never rejects: a lock that cannot be given back is given back later, or expires. */
  release(): Promise<void>;
}

/** For clusters in which no other component changes load balancers. */
export const noResourceLock: ResourceLock = {
  acquire: async () => ({ keep: async () => {}, release: async () => {} }),
};

/** What is taken before load balancers are changed, in this order. */
export interface UpdateLocks {
  /** One at a time, in this process: the main path and the updater of backend pools take turns. */
  readonly serviceReconcileLock: Lanes;
  /** The same, among all components of the cluster. */
  readonly azureResourceLocker: ResourceLock;
}

export async function holdingBoth<Result>(
  { serviceReconcileLock, azureResourceLocker }: UpdateLocks,
  signal: AbortSignal,
  work: (holding: ResourceHolding) => Promise<Result>,
): Promise<Result> {
  const locked = async () => {
    const holding = await azureResourceLocker.acquire(signal);
    try {
      return await work(holding);
    } finally {
      await holding.release();
    }
  };
  return serviceReconcileLock.run('services', locked, signal);
}

export interface AzureResourceLockerOptions {
  readonly client: Pick<KubeClient, 'find' | 'create' | 'patchMerge'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /**
   * All our replicas hold the lock under one name. One that no longer leads, and does not know it yet, would take it
   * from the one that does, and give it back while that is at work.
   */
  readonly leadership: Leadership;
}

/** The lock as a Lease. Its times are wall time, as its other users have them. */
export class AzureResourceLocker implements ResourceLock {
  readonly #options: AzureResourceLockerOptions;
  /** A holding whose work has ended and whose Lease may not be given back yet. */
  #leftover: { readonly stop: AbortController; readonly given: Promise<void> } | undefined;

  constructor(options: AzureResourceLockerOptions) {
    this.#options = options;
  }

  async acquire(signal: AbortSignal): Promise<ResourceHolding> {
    const { clock } = this.#options;
    // Otherwise what is on its way would take the lock from us, or be taken for another component that was faster.
    this.#leftover?.stop.abort();
    await this.#leftover?.given;
    let renewedAt = clock.monotonic();
    const acquireTime = this.#now();
    let lease = await this.#take(acquireTime, signal);
    let renewal: Promise<void> | undefined;
    const renew = async (stepSignal: AbortSignal) => {
      const startedAt = clock.monotonic();
      lease = await this.#write(lease, { spec: { renewTime: this.#now() } }, this.#whileLeading(stepSignal));
      renewedAt = startedAt;
      renewal = undefined;
    };
    return {
      keep: async (stepSignal) => {
        if (clock.monotonic() - renewedAt < RENEW_AFTER_MILLISECONDS) return;
        // Steps run side by side, and all need this one renewal: when it fails, none of them goes ahead any more.
        renewal ??= renew(stepSignal);
        await renewal;
      },
      release: () => this.#release(lease, acquireTime),
    };
  }

  async #take(acquireTime: string, signal: AbortSignal): Promise<Lease> {
    const lease = await this.#find(signal);
    const other = lease === undefined ? undefined : this.#otherHolder(lease);
    if (other !== undefined) throw locked(`${other} holds it`);
    const times = { acquireTime, renewTime: acquireTime };
    const spec = { holderIdentity: HOLDER, leaseDurationSeconds: DURATION_SECONDS, ...times };
    const options = this.#whileLeading(signal);
    try {
      return lease === undefined ? await this.#create(spec, options) : await this.#write(lease, { spec }, options);
    } catch (error) {
      // The answer may be all that was lost.
      if (codeOf(error) !== LOCKED_CODE) this.#giveBackLater(acquireTime);
      throw error;
    }
  }

  #find(signal: AbortSignal): Promise<Lease | undefined> {
    const options = { signal, deadlineMilliseconds: CALL_DEADLINE_MILLISECONDS };
    return this.#options.client.find(leases, LEASE, options);
  }

  async #create(spec: NonNullable<Lease['spec']>, options: WriteOptions): Promise<Lease> {
    try {
      return await this.#options.client.create(leases, { metadata: LEASE, spec }, options);
    } catch (error) {
      throw isAlreadyExists(error) ? locked('another component was faster') : error;
    }
  }

  #whileLeading(signal: AbortSignal): WriteOptions {
    return leasedWrite(this.#options.leadership, `fairlead-${PART_NAME}`, signal);
  }

  /** A holder of our own name is ourselves, in a life that did not get to give the lock back. */
  #otherHolder({ spec = {} }: Lease): string | undefined {
    const { holderIdentity = '', leaseDurationSeconds = 0, renewTime } = spec;
    if (holderIdentity === '' || holderIdentity.toLowerCase() === HOLDER) return undefined;
    const renewed = Date.parse(renewTime ?? '');
    const isOver = Number.isNaN(renewed) || this.#options.clock.now() > renewed + leaseDurationSeconds * 1000;
    return isOver ? undefined : holderIdentity;
  }

  async #write(
    lease: Lease,
    patch: { readonly spec: Partial<NonNullable<Lease['spec']>> },
    options: WriteOptions,
    annotations?: Readonly<Record<string, string>>,
  ): Promise<Lease> {
    const { client } = this.#options;
    const { resourceVersion = '' } = lease.metadata;
    const metadata = { resourceVersion, ...(annotations === undefined ? {} : { annotations }) };
    try {
      return await client.patchMerge(leases, LEASE, { ...patch, metadata }, options);
    } catch (error) {
      throw isConflict(error) ? locked('another component was faster') : error;
    }
  }

  /**
   * Also when we no longer lead: its version says whether another replica has taken it since. If the process dies before
   * this, the same name takes the lock again; others wait until it expires.
   */
  async #release(lease: Lease, acquireTime: string): Promise<void> {
    try {
      await this.#giveBack(lease, {
        deadlineMilliseconds: CALL_DEADLINE_MILLISECONDS,
        fieldManager: `fairlead-${PART_NAME}`,
      });
    } catch (error) {
      this.#tellKept(error);
      this.#giveBackLater(acquireTime);
    }
  }

  async #giveBack(lease: Lease, options: WriteOptions): Promise<void> {
    await this.#write(lease, { spec: { holderIdentity: '' } }, options, { [PREVIOUS_HOLDER_ANNOTATION]: HOLDER });
  }

  #giveBackLater(acquireTime: string): void {
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, this.#options.leadership.signal]);
    this.#leftover = { stop, given: this.#repeatGivingBack(acquireTime, signal) };
  }

  /** While we lead, and until it would expire: who leads next takes it under the same name. Never rejects. */
  async #repeatGivingBack(acquireTime: string, signal: AbortSignal): Promise<void> {
    const { clock, random, leadership } = this.#options;
    const backoff = new Backoff(random);
    const expiresAt = clock.monotonic() + DURATION_SECONDS * 1_000;
    while (clock.monotonic() < expiresAt && !signal.aborted) {
      try {
        await sleep(clock, backoff.next(), signal);
        const lease = await this.#find(signal);
        // All our replicas have one name: the time says whose it is.
        if (lease?.spec?.holderIdentity !== HOLDER || lease.spec.acquireTime !== acquireTime) return;
        // Not given up half-way: who takes the lock next waits for it.
        await this.#giveBack(lease, this.#whileLeading(leadership.signal));
        return;
      } catch (error) {
        if (!signal.aborted) this.#tellKept(error);
      }
    }
  }

  #tellKept(error: unknown): void {
    const fields = { lease: keyText(LEASE), error: messageOf(error) };
    const message = 'could not give the lock of the Azure resources back; trying again until it expires';
    this.#options.logger.warn(fields, message);
  }

  #now(): string {
    return new Date(this.#options.clock.now()).toISOString().replace(/Z$/, '000Z');
  }
}

function locked(why: string): FairleadError {
  const message = `cannot lock the Azure resources (Lease ${keyText(LEASE)}): ${why}; trying again later`;
  return new FairleadError(message, { verdict: 'retriable', code: LOCKED_CODE });
}
