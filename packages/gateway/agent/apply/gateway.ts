import { FairleadError, type IpAddress, type Logger, messageOf } from '@fairlead/control';
import type { AgentStatus, ConfigurationAnswer } from '../../protocol/answer.ts';
import {
  type ConfigurationRequest,
  frontendKey,
  type Generation,
  isSameGeneration,
  type VirtualServer,
} from '../../protocol/configuration.ts';
import { byFrontend, type Changes, changesBetween } from '../../protocol/delta.ts';
import type { Applied } from '../nftables/applied.ts';
import type { ElementChanges } from '../nftables/scripts.ts';
import { Served } from '../nftables/served.ts';
import { Table, type TableState } from '../nftables/table.ts';
import { type Admission, circlesIn, outOfOrder, refusedBy, type Refusal, rejectedRequest } from './admission.ts';
import { failedFrontends } from './failed-frontends.ts';
import { KnownFlows } from './known-flows.ts';
import type { GatewayNode } from './node.ts';
import { addressesOf, type ApplyStep, applySteps, strayFlows } from './plan.ts';
import { StateLog } from './state-log.ts';
import type { Verification } from '../nftables/verification.ts';

export interface GatewayOptions {
  readonly node: GatewayNode;
  readonly admission: Admission;
  /** The configuration of keepalived for these addresses. */
  readonly renderKeepalived: (addresses: ReadonlySet<IpAddress>) => string;
  readonly logger: Logger;
}

interface PreparedChange {
  readonly changes: Changes;
  /** What takes them back. */
  readonly inverse: Changes;
  /** What they are in the table; undefined where they are too many for one transaction. */
  readonly elements: ElementChanges | undefined;
}

/** Requests that wait for the one before them; more are told to come back. */
const MOST_WAITING = 2;

/** What a gateway serves: it goes from one whole configuration to another, or stays with the one it has. */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #log: StateLog;
  readonly #table: Table;
  readonly #flows: KnownFlows;
  #served = new Served([]);
  /** What was taken last. */
  #generation: Generation | undefined;
  #highestEpoch = 0;
  /** What the kernel holds; unknown before the first look, and after something went wrong that could not be undone. */
  #applied: Applied | undefined;
  #problem: string | undefined = 'starting';
  #turn: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#log = new StateLog(options.node.state);
    this.#table = new Table(options.node.nft);
    this.#flows = new KnownFlows(options.node.conntrack, options.logger);
  }

  /** Finds out what the process before this one left, and serves it. Rejects when the state on disk cannot be read. */
  start(): Promise<void> {
    return this.#inTurn(async () => {
      const stored = await this.#log.load();
      const { applied } = await this.#table.state();
      this.#generation = stored.generation;
      this.#highestEpoch = stored.highestEpoch;
      this.#served = new Served(stored.virtualServers.values());
      const { begun } = stored;
      if (begun !== undefined) {
        const inverse = this.#served.inverse(begun.changes);
        this.#served.follow(begun.changes);
        // One transaction decides: what the kernel holds came to be, all of it, and the rest follows.
        if (applied !== undefined && this.#isHeld(applied, begun.generation)) {
          this.#generation = begun.generation;
          await this.#flows.follow(byFrontend(inverse.put), begun.changes);
          await this.#log.done(begun.generation);
        } else {
          this.#served.follow(inverse);
          await this.#noteUndone(begun.generation);
        }
      }
      if (this.#generation === undefined && applied !== undefined) {
        // The state folder was emptied. What the kernel serves goes on until a controller sends all of it.
        this.#highestEpoch = Math.max(this.#highestEpoch, applied.generation.epoch);
        this.#problem = 'the state folder is empty: the controller has to send the whole configuration';
        return;
      }
      await this.#bring();
    });
  }

  /** Applies a configuration, whole or not at all. */
  async take(request: ConfigurationRequest): Promise<ConfigurationAnswer> {
    if (this.#waiting >= MOST_WAITING)
      return this.#refuse({ code: 'busy', message: 'another configuration is applied' });
    return this.#inTurn(async () => {
      const refusal = this.#refusalOf(request);
      if (refusal !== undefined) return this.#refuse(refusal);
      const changes =
        request.kind === 'whole'
          ? changesBetween(this.#served.virtualServers, byFrontend(request.virtualServers))
          : { put: request.put, remove: request.remove };
      try {
        await this.#apply(request.generation, changes);
      } catch (error) {
        const isTaken = (part: readonly VirtualServer[]) => this.#table.wouldTake(part, this.#applied?.bank);
        const errors = await failedFrontends(error, changes, isTaken);
        return this.#refuse({ code: 'apply-failed', message: messageOf(error), errors });
      }
      return { kind: 'taken', generation: request.generation };
    });
  }

  /** Hears of a leader, so that an older one is not listened to any more; gives the highest epoch there was. */
  announce(epoch: number): Promise<number> {
    return this.#inTurn(async () => {
      if (epoch <= this.#highestEpoch) return this.#highestEpoch;
      await this.#log.leader(epoch);
      this.#highestEpoch = epoch;
      if (this.#log.isLong) await this.#fold();
      return epoch;
    });
  }

  status(): AgentStatus {
    const local = new Set<string>(this.#options.node.localAddresses());
    return {
      ...(this.#generation === undefined ? {} : { generation: this.#generation, digest: this.#served.digest }),
      epoch: this.#highestEpoch,
      programmed: this.#generation !== undefined && this.#problem === undefined,
      ...(this.#problem === undefined ? {} : { problem: this.#problem }),
      heldAddresses: [...addressesOf(this.#served.virtualServers.values())].filter((address) => local.has(address)),
    };
  }

  /** Looks at elements of the table while nothing changes it; loads it again where one is not as it was left. */
  verify(verification: Verification): Promise<boolean> {
    return this.#inTurn(async () => {
      const applied = this.#applied;
      if (applied === undefined || this.#problem !== undefined || verification.isDone) return true;
      if (await verification.next(this.#served, applied.bank)) return true;
      this.#options.logger.warn({}, 'elements of the table are not as they were left: it is loaded again');
      await this.#bring(true);
      return false;
    });
  }

  /** Looks whether the table is as it was left, and makes it so. Gives whether something had to be done. */
  repair(): Promise<boolean> {
    return this.#inTurn(async () => {
      if (this.#generation === undefined) return false;
      const state = await this.#table.state();
      if (this.#problem === undefined && this.#isWhole(state)) {
        await this.#useAddresses();
        return false;
      }
      this.#options.logger.warn({ found: state }, 'the table is not as it was left: it is made so again');
      await this.#bring();
      if (state.rules !== 'whole') await this.#flows.forget(strayFlows(this.#served.virtualServers.values()));
      return true;
    });
  }

  /** Runs while nothing else changes the table. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#waiting += 1;
    const turn = this.#turn.then(work, work).finally(() => {
      this.#waiting -= 1;
    });
    this.#turn = turn.catch(() => {});
    return turn;
  }

  #refusalOf(request: ConfigurationRequest): Refusal | undefined {
    const unordered = outOfOrder(request, this.#generation, this.#highestEpoch);
    if (unordered !== undefined) return unordered;
    const served = request.kind === 'delta' ? addressesOf(this.#served.virtualServers.values()) : new Set<IpAddress>();
    return refusedBy(this.#options.admission, request) ?? circlesIn(request, served) ?? rejectedRequest(request);
  }

  #refuse({ code, message, errors = [] }: Refusal): ConfigurationAnswer {
    const generation = this.#generation === undefined ? {} : { generation: this.#generation };
    const told = errors.map((error) => {
      const current = this.#served.virtualServers.get(frontendKey(error.frontend));
      return current === undefined ? error : { ...error, current };
    });
    return { kind: 'refused', code, message, errors: told, ...generation };
  }

  async #apply(generation: Generation, changes: Changes): Promise<void> {
    const { keepalived } = this.#options.node;
    const served = this.#served;
    const before = addressesOf(served.virtualServers.values());
    const inverse = served.inverse(changes);
    const elements = served.follow(changes);
    const after = addressesOf(served.virtualServers.values());
    const steps = applySteps(before, after);
    let begun = false;
    try {
      // What keepalived does not like is found before anything happens.
      if (steps.some(({ kind }) => kind === 'use-addresses')) {
        await keepalived?.check(this.#options.renderKeepalived(after));
      }
      for (const step of steps) {
        begun = true;
        await this.#run(step, generation, { elements, changes, inverse });
      }
    } catch (error) {
      served.follow(inverse);
      if (begun) await this.#undo(generation, before);
      throw error;
    }
    this.#generation = generation;
    this.#highestEpoch = Math.max(this.#highestEpoch, generation.epoch);
    if (this.#problem !== undefined) await keepalived?.report(true);
    this.#problem = undefined;
    if (this.#log.isLong) await this.#fold();
  }

  async #run(step: ApplyStep, generation: Generation, { elements, changes, inverse }: PreparedChange): Promise<void> {
    switch (step.kind) {
      case 'record-begun':
        this.#highestEpoch = Math.max(this.#highestEpoch, generation.epoch);
        return this.#log.begin({ generation, changes });
      case 'use-addresses':
        return this.#options.node.keepalived?.use(this.#options.renderKeepalived(step.addresses));
      case 'change-table': {
        const from = this.#applied;
        const to = { generation, digest: this.#served.digest };
        if (from !== undefined && elements !== undefined) {
          await this.#table.change(elements, from, { ...to, bank: from.bank });
          this.#applied = { ...to, bank: from.bank };
        } else {
          this.#applied = await this.#load(to, await this.#table.state());
        }
        return;
      }
      case 'forget-flows':
        return this.#flows.follow(byFrontend(inverse.put), changes);
      case 'record-done':
        return this.#log.done(generation);
    }
  }

  /** Back to what was served, which `#served` is again. What cannot be undone now is tried again by `repair`. */
  async #undo(generation: Generation, addresses: ReadonlySet<IpAddress>): Promise<void> {
    const { keepalived } = this.#options.node;
    try {
      const state = await this.#table.state();
      if (this.#generation === undefined) {
        // There is nothing to go back to but an empty node.
        this.#applied = undefined;
        if (state.applied !== undefined && isSameGeneration(state.applied.generation, generation)) {
          await this.#table.drop();
        }
        await keepalived?.use(this.#options.renderKeepalived(addresses));
      } else if (this.#isWhole(state)) {
        this.#applied = state.applied;
        await keepalived?.use(this.#options.renderKeepalived(addresses));
      } else {
        await this.#bring();
      }
    } catch (error) {
      this.#applied = undefined;
      this.#problem = `a configuration that failed could not be taken back: ${messageOf(error)}`;
      this.#options.logger.error({ error: messageOf(error) }, 'a configuration that failed could not be taken back');
    }
    await this.#noteUndone(generation);
  }

  /** Where it cannot be noted, the kernel tells the next process: it holds the one before. */
  async #noteUndone(generation: Generation): Promise<void> {
    await this.#log.undone(generation).catch((error: unknown) => {
      this.#options.logger.warn({ error: messageOf(error) }, 'the state on disk could not be written');
    });
  }

  /** Makes table and addresses what is served, whatever they are. */
  async #bring(mustLoad = false): Promise<void> {
    const { keepalived } = this.#options.node;
    const generation = this.#generation;
    if (generation === undefined && this.#served.virtualServers.size === 0 && !mustLoad) {
      this.#problem = undefined;
      return;
    }
    try {
      const state = await this.#table.state();
      if (mustLoad || !(await this.#keeps(state))) {
        const to = { generation: generation ?? { epoch: 0, number: 0 }, digest: this.#served.digest };
        this.#applied = await this.#load(to, state);
      } else this.#applied = state.applied;
      await keepalived?.report(true);
      await this.#useAddresses();
      this.#problem = undefined;
    } catch (error) {
      this.#applied = undefined;
      this.#problem = messageOf(error);
      this.#options.logger.error({ error: messageOf(error) }, 'the node does not serve what it should');
      await keepalived?.report(false).catch(() => {});
    }
  }

  /** Does nothing where keepalived runs with them. */
  async #useAddresses(): Promise<void> {
    const { node, renderKeepalived } = this.#options;
    await node.keepalived?.use(renderKeepalived(addressesOf(this.#served.virtualServers.values())));
  }

  async #load(to: Omit<Applied, 'bank'>, state: TableState): Promise<Applied> {
    try {
      return await this.#table.load(this.#served, to, state);
    } catch (error) {
      if (state.applied !== undefined || !(error instanceof FairleadError)) throw error;
      // Nothing can be loaded into what another program left: it goes. What it served was not ours any more.
      await this.#table.drop();
      return this.#table.load(this.#served, to);
    }
  }

  #isWhole(state: TableState): boolean {
    return state.rules === 'whole' && this.#holdsServed(state);
  }

  /** Whether the table serves what it should, if need be with its rules made anew. */
  async #keeps(state: TableState): Promise<boolean> {
    const { applied, rules } = state;
    if (applied === undefined || rules === 'unknown' || !this.#holdsServed(state)) return false;
    if (rules === 'whole') return true;
    try {
      await this.#table.restoreRules(applied);
      return true;
    } catch (error) {
      this.#options.logger.warn({ error: messageOf(error) }, 'the rules could not be made anew: all is loaded again');
      return false;
    }
  }

  #holdsServed({ applied }: TableState): boolean {
    return applied !== undefined && this.#generation !== undefined && this.#isHeld(applied, this.#generation);
  }

  #isHeld(applied: Applied, generation: Generation): boolean {
    return isSameGeneration(applied.generation, generation) && applied.digest === this.#served.digest;
  }

  async #fold(): Promise<void> {
    const generation = this.#generation === undefined ? {} : { generation: this.#generation };
    const state = { ...generation, highestEpoch: this.#highestEpoch, virtualServers: this.#served.virtualServers };
    await this.#log.fold(state).catch((error: unknown) => {
      this.#options.logger.warn({ error: messageOf(error) }, 'the state on disk could not be made shorter');
    });
  }
}
