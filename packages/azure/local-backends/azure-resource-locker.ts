import { type Clock, FairleadError, type Lanes, type Logger, messageOf } from '@fairlead/control';
import { isAlreadyExists, isConflict, type KubeClient, keyText, type Lease, leases } from '@fairlead/kube';

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
  /** Never rejects: a lock that is not given back expires. */
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
  readonly logger: Logger;
}

/** The lock as a Lease. Its times are wall time, as its other users have them. */
export class AzureResourceLocker implements ResourceLock {
  readonly #options: AzureResourceLockerOptions;

  constructor(options: AzureResourceLockerOptions) {
    this.#options = options;
  }

  async acquire(signal: AbortSignal): Promise<ResourceHolding> {
    const { clock } = this.#options;
    let renewedAt = clock.monotonic();
    let lease = await this.#take(signal);
    let renewal: Promise<void> | undefined;
    const renew = async (stepSignal: AbortSignal) => {
      const startedAt = clock.monotonic();
      lease = await this.#write(lease, { spec: { renewTime: this.#now() } }, stepSignal);
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
      release: () => this.#release(lease),
    };
  }

  async #take(signal: AbortSignal): Promise<Lease> {
    const { client } = this.#options;
    const options = { signal, deadlineMilliseconds: CALL_DEADLINE_MILLISECONDS };
    const now = this.#now();
    const spec = { holderIdentity: HOLDER, leaseDurationSeconds: DURATION_SECONDS, acquireTime: now, renewTime: now };
    const lease = await client.find(leases, LEASE, options);
    if (lease !== undefined) {
      const other = this.#otherHolder(lease);
      if (other !== undefined) throw locked(`${other} holds it`);
      return this.#write(lease, { spec }, signal);
    }
    try {
      return await client.create(leases, { metadata: LEASE, spec }, options);
    } catch (error) {
      throw isAlreadyExists(error) ? locked('another component was faster') : error;
    }
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
    signal: AbortSignal | undefined,
    annotations?: Readonly<Record<string, string>>,
  ): Promise<Lease> {
    const { client } = this.#options;
    const { resourceVersion = '' } = lease.metadata;
    const metadata = { resourceVersion, ...(annotations === undefined ? {} : { annotations }) };
    try {
      return await client.patchMerge(
        leases,
        LEASE,
        { ...patch, metadata },
        { signal, deadlineMilliseconds: CALL_DEADLINE_MILLISECONDS },
      );
    } catch (error) {
      throw isConflict(error) ? locked('another component was faster') : error;
    }
  }

  /** If the process dies before this, the same name takes the lock again; others wait until it expires. */
  async #release(lease: Lease): Promise<void> {
    try {
      await this.#write(lease, { spec: { holderIdentity: '' } }, undefined, { [PREVIOUS_HOLDER_ANNOTATION]: HOLDER });
    } catch (error) {
      const fields = { lease: keyText(LEASE), error: messageOf(error) };
      this.#options.logger.warn(fields, 'could not give the lock of the Azure resources back; it expires');
    }
  }

  #now(): string {
    return new Date(this.#options.clock.now()).toISOString().replace(/Z$/, '000Z');
  }
}

function locked(why: string): FairleadError {
  const message = `cannot lock the Azure resources (Lease ${keyText(LEASE)}): ${why}; trying again later`;
  return new FairleadError(message, { verdict: 'retriable', code: LOCKED_CODE });
}
