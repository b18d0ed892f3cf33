import {
  type BrakeOptions,
  type Clock,
  DeletionBrake,
  type Logger,
  type MetricDefinition,
  type Metrics,
} from '@fairlead/control';
import type { ClusterEvents } from '../cluster.ts';
import type { PartPlan } from '../part.ts';
import { Releases } from '../releases.ts';

export interface DeletionGuardOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly cluster: Pick<ClusterEvents, 'record'>;
  readonly brake: BrakeOptions;
  /** Of a leader. */
  readonly releases?: Releases | undefined;
  /** How many deletions are held back. */
  readonly gauge: MetricDefinition;
  /** Of the gauge, where there are several guards. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Aborts when the guard is no longer used, where that is before the leader stops: it hears of no release then. */
  readonly signal?: AbortSignal;
}

/** Stands before a sweep: holds a sudden mass deletion back, and says so in the log, a gauge and an Event. */
export class DeletionGuard<Id extends string> {
  readonly #options: DeletionGuardOptions;
  readonly #brake: DeletionBrake<Id>;

  constructor(options: DeletionGuardOptions) {
    this.#options = options;
    const { clock, logger, releases, brake, signal } = options;
    this.#brake = new DeletionBrake(clock, { ...brake, releaseCommand: releases?.command });
    releases?.onRelease(() => {
      if (this.heldCount > 0) logger.info({ held: this.heldCount }, 'an operator releases what is held back');
      this.#brake.release();
    }, signal);
  }

  /** How many deletions are held back now. */
  get heldCount(): number {
    return this.#brake.held.length;
  }

  /**
   * Which of the leftovers may be deleted, out of `knownCount` things that are there. `listBegunAt` is the monotonic
   * time at which the completed list behind it was begun.
   */
  allow(leftovers: readonly Id[], knownCount: number, listBegunAt: number): readonly Id[] {
    const { logger, metrics, cluster, gauge, labels } = this.#options;
    const { allowed, hold } = this.#brake.judge(leftovers, knownCount, listBegunAt);
    metrics.set(gauge, this.heldCount, labels);
    if (hold !== undefined) {
      logger.warn({ code: hold.code, held: hold.held.length }, hold.message);
      // The objects that the leftovers were made for are gone: the cluster's own namespace stands for them.
      cluster.record({ type: 'Warning', reason: 'DeletionHeldBack', note: hold.message });
    }
    return allowed;
  }
}

/** What a guard that starts now holds back of these deletions, for a plan: nothing was asked for before. */
export function heldAtFirst(
  clock: Clock,
  part: string,
  brake: BrakeOptions,
  leftovers: readonly string[],
  knownCount: number,
): Pick<PartPlan, 'heldBack'> {
  const { command: releaseCommand } = new Releases(part);
  const { hold } = new DeletionBrake(clock, { ...brake, releaseCommand }).judge(
    leftovers,
    knownCount,
    clock.monotonic(),
  );
  return hold === undefined ? {} : { heldBack: hold.message };
}
