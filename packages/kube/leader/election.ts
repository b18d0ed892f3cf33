import {
  type Clock,
  codeOf,
  FairleadError,
  jitter,
  type Logger,
  messageOf,
  type Random,
  randomUuid,
  sleep,
  verdictOf,
} from '@fairlead/control';
import { isAlreadyExists, isConflict, isNotFound } from '../api/api-error.ts';
import type { CallOptions, KubeClient } from '../api/client.ts';
import type { MergePatch } from '../api/patch.ts';
import { keyText, type ObjectKey } from '../api/resource.ts';
import { leases } from '../api/resources.ts';
import { microTime } from '../api/timestamps.ts';
import type { Lease, LeaseSpec } from '../types/lease.ts';
import {
  type Leadership,
  LimitedLeadership,
  leadershipEnded,
  millisecondsSince,
  momentOf,
  type Term,
} from './leadership.ts';
import { EPOCH_ANNOTATION, epochOf, holderOf, LeaseObservation, nextEpoch } from './lease-observation.ts';

const DEFAULT_DURATION_MILLISECONDS = 15_000;
/**
 * The margin: of the time that the others wait, a leader counts on nine tenths. The rest covers clocks that drift by up
 * to 4 % from true time, in opposite directions (0.9 / 0.96 < 1 / 1.04), both clocks of a machine that disagree by up
 * to a hundredth of the duration, and the abort of what is under way.
 */
const VALID_FRACTION = 0.9;
const SLACK_FRACTION = 0.01;
/** So many times as long as a call a Lease has to be: a sixth of it may have passed since it was renewed. */
const LEASE_FOR_A_CALL = 1.5;

/** How long a Lease has to be for calls of this length to start at any time that is not shortly before its end. */
export function leaseMillisecondsFor(callMilliseconds: number): number {
  return LEASE_FOR_A_CALL * callMilliseconds;
}

/** Who competes for which Lease, and with what patience. */
export interface ElectionOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** The Lease to compete for. */
  readonly lease: ObjectKey;
  /** For people, such as the name of the Pod; made unique for this process. */
  readonly name: string;
  /** How long the others wait for a leader that fell silent: longer than the calls that `covers` is asked about. */
  readonly durationMilliseconds?: number;
  /** Is shown the Lease whenever it is found to be ours. */
  readonly onLease?: (lease: Lease) => void;
  /** Is told of every change of the state. */
  readonly onState?: (state: ElectionState) => void;
}

/** How far one replica is with its election. */
export type ElectionState =
  | { readonly kind: 'idle' }
  /** `holder`: who leads, as far as we know. `failure`: why we could not read or take the Lease when we last tried. */
  | { readonly kind: 'waiting'; readonly holder: string | undefined; readonly failure?: string }
  | { readonly kind: 'leading'; readonly epoch: number }
  /** The leadership has ended, and its work has not yet. */
  | { readonly kind: 'stopping'; readonly epoch: number }
  | { readonly kind: 'stopped' };

interface Holding {
  lease: Lease;
  readonly leadership: LimitedLeadership;
}

/**
 * Competes for a Lease, and leads while it holds it. What the leader may count on is shorter than what the others wait
 * for, and begins before the renewal was sent, so that no two lead at once as long as clocks drift no more than the
 * margin covers. A machine that was suspended counts on nothing until it has looked at the Lease again. A Lease that was
 * deleted is taken again only after its duration; but a process that starts then does not know that there was one.
 */
export class Election {
  readonly #options: ElectionOptions;
  readonly #identity: string;
  readonly #duration: number;
  readonly #observation: LeaseObservation;
  /** We have been able to do what there was to do. */
  #reached = false;
  /** We tried to take it, and an answer that got lost may have been a yes. */
  #mayHold = false;
  /** Why we could not read or take it when we last tried, until we take it or find it held by another. */
  #failure: string | undefined;
  /** The codes of our failures since that last went well: to report each once is enough. */
  readonly #reportedCodes = new Set<string>();
  /** The latest we had. */
  #leadership: LimitedLeadership | undefined;
  #current: ElectionState = { kind: 'idle' };

  constructor(options: ElectionOptions) {
    this.#options = options;
    this.#identity = `${options.name}_${randomUuid(options.random)}`;
    // The Lease counts in whole seconds; a fraction would let others take it before we let go.
    this.#duration = Math.ceil((options.durationMilliseconds ?? DEFAULT_DURATION_MILLISECONDS) / 1000) * 1000;
    this.#observation = new LeaseObservation(options.clock, this.#identity, this.#duration);
  }

  get state(): ElectionState {
    return this.#current;
  }

  set #state(state: ElectionState) {
    this.#current = state;
    this.#options.onState?.(state);
  }

  /**
   * Runs `work` whenever we lead, and waits for its end before competing again: it must end soon after the
   * leadership's signal aborts. Resolves when `signal` aborts or when the work ends by itself; the Lease is then given
   * back. Rejects when the work fails by itself, and when the very first look at the Lease fails for good.
   */
  async run(signal: AbortSignal, work: (leadership: Leadership) => Promise<void>): Promise<void> {
    try {
      for (;;) {
        const holding = await this.#compete(signal);
        if (holding === undefined || (await this.#lead(holding, signal, work)) === 'done') return;
      }
    } finally {
      if (this.#mayHold) await this.#release();
      this.#state = { kind: 'stopped' };
    }
  }

  /** Undefined when told to stop. */
  async #compete(signal: AbortSignal): Promise<Holding | undefined> {
    const { clock, random, logger, lease } = this.#options;
    this.#wait();
    for (;;) {
      try {
        const holding = await this.#tryToAcquire(signal);
        if (holding !== undefined) return holding;
      } catch (error) {
        if (signal.aborted) return undefined;
        if (!this.#reached && verdictOf(error) === 'terminal') throw error;
        this.#failure = messageOf(error);
        const level = this.#reportedCodes.has(codeOf(error)) ? 'debug' : 'warn';
        this.#reportedCodes.add(codeOf(error));
        logger[level]({ lease: keyText(lease), error: this.#failure }, 'cannot read or take the Lease; trying again');
        this.#wait();
      }
      try {
        await sleep(clock, jitter(random, this.#duration / 6, 0.2), signal);
      } catch {
        return undefined;
      }
    }
  }

  #wait(): void {
    const failure = this.#failure === undefined ? {} : { failure: this.#failure };
    this.#state = { kind: 'waiting', holder: this.#observation.holder, ...failure };
  }

  #succeed(): void {
    this.#failure = undefined;
    this.#reportedCodes.clear();
  }

  async #tryToAcquire(signal: AbortSignal): Promise<Holding | undefined> {
    const { client, clock, lease: key } = this.#options;
    const options = { signal, deadlineMilliseconds: this.#duration / 3 };
    const found = await client.find(leases, key, options);
    this.#observation.observe(found);
    const { holder } = this.#observation;
    // While one that was deleted is waited for, what kept us from making another is still the news.
    if (holder !== undefined && found !== undefined) this.#succeed();
    this.#wait();
    if (holder !== undefined) {
      this.#reached = true;
      return undefined;
    }
    this.#mayHold = true;
    try {
      // Created first, and acquired then: the version under which it was created is where its epochs begin.
      const lease = found ?? (await this.#create(options));
      const epoch = nextEpoch(lease, this.#observation.highestEpoch);
      const startedAt = momentOf(clock);
      const written = await client.patchMerge(leases, key, this.#acquisition(lease, epoch), options);
      this.#reached = true;
      this.#succeed();
      this.#observation.observe(written);
      this.#options.onLease?.(written);
      const { milliseconds, slackMilliseconds } = this.#term;
      // An answer that took too long is worth nothing; the next attempt finds our own name and takes the next epoch.
      if (millisecondsSince(startedAt, clock, slackMilliseconds) >= milliseconds) return undefined;
      return { lease: written, leadership: new LimitedLeadership(clock, epoch, this.#term, startedAt) };
    } catch (error) {
      if (isConflict(error) || isAlreadyExists(error) || isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Creates a Lease without a holder; that fails as not found when its namespace does not exist either. */
  async #create(options: CallOptions): Promise<Lease> {
    const { client, lease: key } = this.#options;
    try {
      const created = await client.create(leases, { metadata: { ...key }, spec: {} }, options);
      this.#observation.observe(created);
      return created;
    } catch (error) {
      this.#observation.mayExist();
      throw isNotFound(error) ? namespaceMissing(key, error) : error;
    }
  }

  async #lead(
    holding: Holding,
    signal: AbortSignal,
    work: (leadership: Leadership) => Promise<void>,
  ): Promise<'done' | 'lost'> {
    const { logger, lease } = this.#options;
    const { leadership } = holding;
    const { epoch } = leadership;
    const fields = { lease: keyText(lease), epoch };
    const onStop = () => leadership.end(leadershipEnded('shutting-down', 'shutting down'));
    const onEnd = () => {
      this.#state = { kind: 'stopping', epoch };
      logger.info({ ...fields, reason: messageOf(leadership.signal.reason) }, 'no longer leading');
    };
    this.#state = { kind: 'leading', epoch };
    logger.info(fields, 'leading');
    leadership.signal.addEventListener('abort', onEnd, { once: true });
    if (signal.aborted) onStop();
    signal.addEventListener('abort', onStop, { once: true });
    this.#leadership = leadership;
    const renewing = this.#keepRenewing(holding);
    let endedByItself = false;
    try {
      await work(leadership);
      endedByItself = !leadership.signal.aborted;
    } catch (error) {
      endedByItself = !leadership.signal.aborted;
      if (endedByItself) throw error;
      if (error !== leadership.signal.reason) {
        logger.warn({ ...fields, error: messageOf(error) }, 'the work did not end cleanly');
      }
    } finally {
      signal.removeEventListener('abort', onStop);
      if (endedByItself) leadership.end(leadershipEnded('shutting-down', 'the work is done'));
      await renewing;
    }
    return endedByItself || signal.aborted ? 'done' : 'lost';
  }

  /** Renews until the leadership ends, and ends it when the Lease is no longer ours. */
  async #keepRenewing(holding: Holding): Promise<void> {
    const { clock, logger, lease } = this.#options;
    const { leadership } = holding;
    let pause = this.#duration / 6;
    for (;;) {
      try {
        await sleep(clock, pause, leadership.signal);
        pause = (await this.#renew(holding)) === 'renewed' ? this.#duration / 6 : 0;
      } catch (error) {
        if (leadership.signal.aborted) return;
        pause = this.#duration / 15;
        logger.warn({ lease: keyText(lease), error: messageOf(error) }, 'cannot renew the Lease; trying again');
      }
      if (leadership.signal.aborted) return;
    }
  }

  async #renew(holding: Holding): Promise<'renewed' | 'changed' | 'lost'> {
    const { client, clock, lease: key } = this.#options;
    const { leadership } = holding;
    const options = { signal: leadership.signal, deadlineMilliseconds: this.#duration / 3 };
    const startedAt = momentOf(clock);
    try {
      const patch = { metadata: versionOf(holding.lease), spec: this.#renewal() };
      holding.lease = await client.patchMerge(leases, key, patch, options);
      this.#observation.observe(holding.lease);
      leadership.extend(startedAt);
      this.#options.onLease?.(holding.lease);
      return 'renewed';
    } catch (error) {
      if (isNotFound(error)) return lose(leadership, 'the Lease was deleted');
      if (!isConflict(error)) throw error;
    }
    // Another client changed it, or our own renewal did and its answer got lost.
    const lease = await client.find(leases, key, options);
    this.#observation.observe(lease);
    if (lease === undefined) return lose(leadership, 'the Lease was deleted');
    if (holderOf(lease) !== this.#identity || epochOf(lease) !== leadership.epoch) {
      return lose(
        leadership,
        `the Lease ${holderOf(lease) === undefined ? 'has no holder' : `is held by ${holderOf(lease)}`}`,
      );
    }
    holding.lease = lease;
    this.#options.onLease?.(lease);
    return 'changed';
  }

  /**
   * Lets another lead, as soon as nothing that our leadership covered can still be on its way: to abort a call does
   * not call it back. If this fails, the others wait until the Lease expires.
   */
  async #release(): Promise<void> {
    const { client, clock, lease: key, logger } = this.#options;
    const options = { deadlineMilliseconds: this.#duration / 3 };
    await sleep(clock, this.#leadership?.coveredMilliseconds ?? 0);
    try {
      const lease = await client.find(leases, key, options);
      if (lease === undefined || holderOf(lease) !== this.#identity) return;
      const spec = { holderIdentity: null, ...this.#times() };
      await client.patchMerge(leases, key, { metadata: versionOf(lease), spec }, options);
    } catch (error) {
      logger.debug({ lease: keyText(key), error: messageOf(error) }, 'could not give the Lease back');
    }
  }

  /** What we count on is shorter than what others wait for: see the margin above. */
  get #term(): Term {
    return { milliseconds: this.#duration * VALID_FRACTION, slackMilliseconds: this.#duration * SLACK_FRACTION };
  }

  #acquisition(lease: Lease, epoch: number): MergePatch<Lease> {
    const leaseTransitions = (lease.spec?.leaseTransitions ?? 0) + 1;
    return {
      metadata: { ...versionOf(lease), annotations: { [EPOCH_ANNOTATION]: String(epoch) } },
      spec: { ...this.#renewal(), acquireTime: microTime(this.#options.clock.now()), leaseTransitions },
    };
  }

  #renewal(): LeaseSpec {
    return { holderIdentity: this.#identity, leaseDurationSeconds: this.#duration / 1000, ...this.#times() };
  }

  /** For people only. */
  #times(): Pick<LeaseSpec, 'renewTime'> {
    return { renewTime: microTime(this.#options.clock.now()) };
  }
}

function lose(leadership: LimitedLeadership, why: string): 'lost' {
  leadership.end(leadershipEnded('leadership-lost', why));
  return 'lost';
}

function namespaceMissing({ namespace }: ObjectKey, cause: unknown): FairleadError {
  const message = `the namespace ${namespace} for the Lease does not exist: create it, or name another`;
  return new FairleadError(message, { verdict: 'terminal', code: 'lease-namespace-missing', cause });
}

/** Makes a write fail when another client wrote since. */
function versionOf(lease: Lease): { readonly resourceVersion: string } {
  return { resourceVersion: lease.metadata.resourceVersion ?? '' };
}
