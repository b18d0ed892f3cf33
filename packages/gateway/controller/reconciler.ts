import { messageOf, verdictOf } from '@fairlead/control';
import { type ObjectWriter, type Service, WorkSlices } from '@fairlead/kube';
import { type LeaderEnvironment, OutcomeCounts } from '@fairlead/part';
import type { ClaimRules, ServiceKey } from '@fairlead/service';
import type { Allocator } from './addresses/allocation.ts';
import type { Holding } from './addresses/occupancy.ts';
import type { SupplyWorker } from './addresses/supply-worker.ts';
import type { Programming } from './agents/programming.ts';
import type { ClusterView } from './backends/cluster-view.ts';
import { shownServers } from './backends/shown-servers.ts';
import { type PoolServer, virtualServersFor } from './backends/virtual-servers.ts';
import { desiredFor } from './desired.ts';
import { servicesByOutcome } from './metrics.ts';
import { decide, type Outcome, type ServedService } from './outcome.ts';
import { type Progress, writesFor } from './plan.ts';
import type { Pool } from './pools.ts';
import { announce } from './report/events.ts';
import type { WithdrawalBrake } from './withdrawal-brake.ts';

/** What is known when a decision is made. */
export interface DecisionBasis {
  readonly rules: ClaimRules;
  readonly pools: readonly Pool[];
  readonly allocator: Allocator;
  readonly cluster: ClusterView;
  /** Where addresses are made and given back; undefined where their number is fixed. */
  readonly supply: SupplyWorker | undefined;
}

/** Brings one Service at a time to its outcome. */
export class Reconciler {
  readonly #environment: LeaderEnvironment;
  readonly #writer: ObjectWriter<Service>;
  readonly #basis: DecisionBasis;
  readonly #brake: WithdrawalBrake;
  readonly #programming: Programming;
  readonly #requeue: (key: ServiceKey) => void;
  readonly #outcomes: OutcomeCounts<Outcome['kind']>;
  readonly #slices: WorkSlices;

  /** `requeue` has a Service reconciled again. */
  constructor(
    environment: LeaderEnvironment,
    writer: ObjectWriter<Service>,
    basis: DecisionBasis,
    brake: WithdrawalBrake,
    programming: Programming,
    requeue: (key: ServiceKey) => void,
  ) {
    this.#environment = environment;
    this.#writer = writer;
    this.#basis = basis;
    this.#brake = brake;
    this.#programming = programming;
    this.#requeue = requeue;
    this.#outcomes = new OutcomeCounts(environment.metrics, servicesByOutcome);
    this.#slices = new WorkSlices(environment.clock);
  }

  /**
   * What the Service shows is served by its gateways from the beginning; called for all before any agent is told. One that
   * is to lose it shows it until that is written.
   */
  restore(key: ServiceKey, outcome: Outcome): void {
    const isShown = outcome.kind === 'serve' || (outcome.kind === 'refuse' && outcome.shutsOut !== true);
    if (isShown) this.#programming.set(key, this.#shownServers(outcome.claim.service));
    this.#withSupply(key, outcome);
  }

  /**
   * Decides for the Service, as the cache has it, and writes what differs; then the gateways are told. What it frees goes
   * to others, whose turn it then is.
   */
  async reconcile(key: ServiceKey, cached: Service | undefined, signal: AbortSignal): Promise<void> {
    // A walk over all Services, after a change of the nodes say, holds up no timer and no socket.
    if (this.#slices.isOver) await this.#slices.pause();
    const service = this.#writer.latest(key, cached);
    if (service === undefined) return this.#forget(key);
    const { rules, pools, allocator } = this.#basis;
    const outcome = this.#withSupply(key, decide(desiredFor(service, rules, pools), allocator, key, pools));
    this.#outcomes.set(key, outcome.kind === 'foreign' ? undefined : outcome.kind);
    // What it is shown with stays reserved: no other Service gets it meanwhile.
    if (this.#brake.holds(key, outcome)) return this.#programming.refresh(key, this.#shownServers(service));
    if (outcome.kind === 'unreadable') throw outcome.error;
    if (outcome.kind === 'release') return this.#release(key, outcome, signal);
    const holding = allocator.holding(key);
    const servers = outcome.kind === 'serve' ? this.#servers(outcome) : [];
    if (outcome.kind === 'serve') this.#programming.refresh(key, servers);
    try {
      await this.#write(service, outcome, this.#programming.stateOf(key, servers), signal);
    } catch (error) {
      if (outcome.kind === 'serve' && verdictOf(error) === 'terminal')
        await this.#refuseRecord(key, outcome, error, signal);
      throw error;
    }
    this.#programming.set(key, servers);
    this.#settle(key, holding);
  }

  /**
   * Takes off what was said and recorded, has the gateways told, and lets go when none of them may serve it any more. Does
   * not wait for them: when they have confirmed, it is the Service's turn again.
   */
  async #release(key: ServiceKey, outcome: Outcome, signal: AbortSignal): Promise<void> {
    const { service } = outcome.claim;
    const { supply, allocator } = this.#basis;
    supply?.leave(key, allocator.l2PortsOf(key));
    if (this.#programming.isLeaving(key)) {
      await this.#write(service, outcome, { kind: 'leaving' }, signal);
      this.#programming.set(key, []);
      this.#settle(key);
      // Where no gateway can be reached, none has news that would make it the Service's turn again.
      if (!this.#programming.isLeaving(key)) this.#requeue(key);
      return;
    }
    if (supply !== undefined) {
      // Unused addresses are given back before the finalizer goes; when that is done, it is the Service's turn again.
      const hasWritten = await this.#write(service, outcome, { kind: 'leaving' }, signal);
      this.#settle(key);
      if (hasWritten) this.#requeue(key);
      if (hasWritten || !supply.isClean(key)) return;
    }
    await this.#write(service, outcome, { kind: 'not-needed' }, signal);
    this.#outcomes.set(key, undefined);
    this.#programming.forget(key);
    this.#settle(key);
  }

  /** Has more addresses made where that would help. */
  #withSupply(key: ServiceKey, outcome: Outcome): Outcome {
    const { supply } = this.#basis;
    if (supply === undefined) return outcome;
    const lacking =
      outcome.kind === 'refuse' ? outcome.refusal : outcome.kind === 'serve' ? outcome.shortfall : undefined;
    const { pool = '', families = [] } = lacking?.wouldHelp ?? {};
    supply.want(key, pool, families);
    if (lacking === undefined || families.length === 0) return outcome;
    const failure = supply.failureOf(pool, families);
    const progress = failure === undefined ? 'one more is being made' : `one more cannot be made yet: ${failure}`;
    const told = { ...lacking, message: `${lacking.message}; ${progress}` };
    if (outcome.kind === 'refuse') return { ...outcome, refusal: told };
    return outcome.kind === 'serve' ? { ...outcome, shortfall: told } : outcome;
  }

  #servers(served: Pick<ServedService, 'claim' | 'l2Ports' | 'l4Ports'>): readonly PoolServer[] {
    return virtualServersFor(served, this.#basis.pools, this.#basis.cluster);
  }

  #shownServers(service: Service): readonly PoolServer[] {
    return shownServers(service, this.#basis, this.#basis.cluster);
  }

  /** What it no longer has went to others, which have to be told, or is of no use any more. */
  #settle(key: ServiceKey, shown?: Holding): void {
    const { allocator, supply } = this.#basis;
    for (const served of allocator.settle(key, shown)) this.#requeue(served);
    supply?.clean();
  }

  /** Whether anything had to be written. */
  async #write(service: Service, outcome: Outcome, progress: Progress, signal: AbortSignal): Promise<boolean> {
    const { clock, events } = this.#environment;
    const writes = writesFor(outcome, clock, progress);
    await this.#writer.write(service, writes, signal);
    if (writes.length > 0) announce(events, service, outcome, progress);
    return writes.length > 0;
  }

  /** The API server does not take what is to be written, as when an owner fills a Service with annotations. */
  async #refuseRecord(key: ServiceKey, { claim }: ServedService, error: unknown, signal: AbortSignal): Promise<void> {
    const message = `the API server does not take the record of its address: ${messageOf(error)}`;
    this.#basis.allocator.release(key);
    this.#outcomes.set(key, 'refuse');
    const refusal = { code: 'record-refused', message };
    await this.#write(claim.service, { kind: 'refuse', claim, refusal }, { kind: 'not-needed' }, signal);
    this.#programming.set(key, []);
    this.#settle(key);
  }

  #forget(key: ServiceKey): void {
    this.#outcomes.set(key, undefined);
    this.#programming.forget(key);
    this.#basis.allocator.release(key);
    this.#basis.supply?.want(key, '', []);
    this.#settle(key);
  }
}
