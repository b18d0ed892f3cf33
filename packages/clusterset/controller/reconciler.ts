import { type Clock, type Journal, type Logger, type Metrics, randomInteger, type Random } from '@fairlead/control';
import { type Again, type EventRecorder, findCondition, type KubeClient, type Leadership } from '@fairlead/kube';
import { OutcomeCounts } from '@fairlead/part';
import { type Decision, decide } from '../decision/decide.ts';
import type { Observation } from '../decision/observation.ts';
import type { Settings } from '../decision/settings.ts';
import { clustersLostBy, type Place, type Write } from '../decision/write.ts';
import type { ExportKey } from '../records/names.ts';
import { Applier } from './apply.ts';
import type { Expectations } from './expectations.ts';
import { exportsByState } from './metrics.ts';
import type { Withdrawals } from './withdrawals.ts';

/** One cluster after the other keeps the shared aggregate, so that they do not get in each other's way. */
const TURN_MILLISECONDS = 2_000;
/** An export may have to come after those of others. */
const WAITING_MILLISECONDS = 5_000;
/** A cluster that is missing may come back, or turn out to have left. */
const MISSED_MILLISECONDS = 60_000;

export interface ReconcilerOptions {
  readonly clients: Readonly<Record<Place, KubeClient>>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly journal: Journal;
  readonly metrics: Metrics;
  readonly events: EventRecorder;
  readonly leadership: Leadership;
  readonly settings: Settings;
  readonly withdrawals: Withdrawals;
  readonly expectations: Expectations;
  readonly observe: (key: ExportKey) => Observation;
}

/** Brings one Service of the clusterset at a time to what was decided. */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #applier: Applier;
  readonly #states: OutcomeCounts<Decision['exported']['state']>;
  /** Key -> since when its aggregate differs, by monotonic time. */
  readonly #differsSince = new Map<string, number>();
  /** Key -> what was refused of it, told once. */
  readonly #refused = new Map<string, string>();

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#applier = new Applier(options);
    this.#states = new OutcomeCounts(options.metrics, exportsByState);
  }

  async reconcile(text: string, signal: AbortSignal): Promise<Again | void> {
    const { clock, settings, observe } = this.#options;
    const waits = this.#options.expectations.waitsFor(text);
    if (waits > 0) return { afterMilliseconds: waits };
    const [namespace = '', name = ''] = text.split('/');
    const observed = observe({ namespace, name });
    const decision = decide(observed, settings, clock.now());
    const { state } = decision.exported;
    this.#states.set(text, state === 'none' ? undefined : state);
    this.#tellRefused(text, observed);
    const { writes, heldMilliseconds } = this.#brake(text, decision.writes);
    await this.#applier.apply(text, writes, signal);
    this.#announce(observed, decision, writes);
    const turn = this.#turnIn(text, observed, decision);
    if (turn > 0) return { afterMilliseconds: heldMilliseconds > 0 ? Math.min(turn, heldMilliseconds) : turn };
    await this.#applier.apply(text, decision.aggregate, signal);
    this.#differsSince.delete(text);
    if (heldMilliseconds > 0) return { afterMilliseconds: heldMilliseconds };
    const isInStep = observed.broker.state === 'in-step';
    if (state === 'waiting' && isInStep) return { afterMilliseconds: WAITING_MILLISECONDS };
    const isMissed = observed.broker.state === 'in-step' && observed.broker.missing.size > 0;
    return isMissed ? { afterMilliseconds: MISSED_MILLISECONDS } : undefined;
  }

  /** Leaves out what takes a cluster out of an import, for as long as the brake wants it to wait. */
  #brake(text: string, writes: readonly Write[]) {
    const heldMilliseconds = this.#options.withdrawals.waitsFor(text, clustersLostBy(writes));
    const kept = heldMilliseconds === 0 ? writes : writes.filter((write) => clustersLostBy([write]).size === 0);
    return { writes: kept, heldMilliseconds };
  }

  /** How long it is until it is our turn to keep the aggregate; 0: now, or there is nothing to do. */
  #turnIn(text: string, { broker }: Observation, { merged, aggregate }: Decision): number {
    const { clock, random, settings } = this.#options;
    if (aggregate.length === 0 || broker.state === 'unavailable') {
      this.#differsSince.delete(text);
      return 0;
    }
    const listed = broker.aggregate?.status?.clusters?.some(({ cluster }) => cluster === settings.cluster) ?? false;
    const clusters = [...merged.verdicts.keys()].toSorted();
    const isStray = clusters.length === 0 && !listed;
    const rank = isStray ? randomInteger(random, 2, 10) : Math.max(0, clusters.indexOf(settings.cluster));
    const since = this.#differsSince.get(text) ?? clock.monotonic();
    this.#differsSince.set(text, since);
    return Math.max(0, since + rank * TURN_MILLISECONDS - clock.monotonic());
  }

  #tellRefused(text: string, { broker }: Observation): void {
    if (broker.state === 'unavailable') return;
    const refused = [...broker.records, ...broker.slices].flatMap((one) =>
      one.kind === 'refused' ? [`${one.cluster}: ${one.reason}`] : [],
    );
    const told = refused.join('; ');
    if ((this.#refused.get(text) ?? '') === told) return;
    if (told === '') this.#refused.delete(text);
    else this.#refused.set(text, told);
    if (told !== '') this.#options.logger.warn({ service: text, refused: told }, 'what a cluster exports was refused');
  }

  /** Tells the owner of an export about a conflict when it comes up. */
  #announce({ serviceExport }: Observation, { merged }: Decision, writes: readonly Write[]): void {
    const { events, settings } = this.#options;
    const isTold = writes.some(({ resource }) => resource.kind === 'ServiceExport');
    const conflict = merged.verdicts.get(settings.cluster)?.conditions.find(({ type }) => type === 'Conflict');
    if (serviceExport === undefined || !isTold || conflict?.status !== 'True') return;
    const before = findCondition(serviceExport, 'Conflict');
    if (before?.status === 'True' && before.message === conflict.message) return;
    const note = conflict.message.slice(0, 1_000);
    events.record(settings.serviceExports, serviceExport, { type: 'Warning', reason: 'ServiceExportConflict', note });
  }
}
