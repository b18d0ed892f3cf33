import { type IpAddress, type Logger, messageOf } from '@fairlead/control';
import type { AgentStatus, ConfigurationAnswer } from '../../protocol/answer.ts';
import { type ConfigurationRequest, type Generation, isSameGeneration } from '../../protocol/configuration.ts';
import { byFrontend, type Changes, changesBetween } from '../../protocol/delta.ts';
import { AppliedTable, isHeld } from '../nftables/applied-table.ts';
import type { ElementChanges } from '../nftables/scripts.ts';
import { Served } from '../nftables/served.ts';
import type { TableState } from '../nftables/table.ts';
import { type Admission, routingLoopIn, outOfOrder, refusedBy, type Refusal, rejectedRequest } from './admission.ts';
import { failedFrontends } from './failed-frontends.ts';
import { KnownFlows } from './known-flows.ts';
import type { GatewayNode } from './node.ts';
import { addressesOf, type ApplyStep, applySteps, strayFlows } from './plan.ts';
import { refusedAnswer } from './refused-answer.ts';
import { StateLog } from './state-log.ts';
import { SerialQueue } from './serial-queue.ts';
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
  readonly #table: AppliedTable;
  readonly #flows: KnownFlows;
  #served = new Served([]);
  /** What was taken last. */
  #generation: Generation | undefined;
  #highestEpoch = 0;
  #problem: string | undefined = 'starting';
  /** Nothing else changes the node meanwhile. */
  readonly #queue = new SerialQueue();

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#log = new StateLog(options.node.state);
    this.#table = new AppliedTable(options.node.nft, options.logger);
    this.#flows = new KnownFlows(options.node.conntrack, options.logger);
  }

  /** Finds out what the process before this one left, and serves it. Rejects when the state on disk cannot be read. */
  start(): Promise<void> {
    return this.#queue.run(async () => {
      const stored = await this.#log.load();
      const state = await this.#table.state();
      this.#generation = stored.generation;
      this.#highestEpoch = stored.highestEpoch;
      this.#served = new Served(stored.virtualServers.values());
      const { begun } = stored;
      if (begun !== undefined) {
        const inverse = this.#served.inverse(begun.changes);
        this.#served.follow(begun.changes);
        // One transaction decides: what the kernel holds came to be, all of it, and the rest follows.
        if (isHeld(state, this.#served, begun.generation)) {
          this.#generation = begun.generation;
          await this.#flows.follow(byFrontend(inverse.put), begun.changes);
          await this.#log.done(begun.generation);
        } else {
          this.#served.follow(inverse);
          await this.#noteUndone(begun.generation);
        }
      }
      if (this.#generation === undefined && state.applied !== undefined) {
        // The state folder was emptied. What the kernel serves goes on until a controller sends all of it.
        this.#highestEpoch = Math.max(this.#highestEpoch, state.applied.generation.epoch);
        this.#problem = 'the state folder is empty: the controller has to send the whole configuration';
        return;
      }
      await this.#bring();
    });
  }

  /** Applies a configuration, whole or not at all. */
  async take(request: ConfigurationRequest): Promise<ConfigurationAnswer> {
    if (this.#queue.count >= MOST_WAITING)
      return this.#refuse({ code: 'busy', message: 'another configuration is applied' });
    return this.#queue.run(async () => {
      const refusal = this.#refusalOf(request);
      if (refusal !== undefined) return this.#refuse(refusal);
      const changes =
        request.kind === 'whole'
          ? changesBetween(this.#served.virtualServers, byFrontend(request.virtualServers))
          : { put: request.put, remove: request.remove };
      try {
        await this.#apply(request.generation, changes);
      } catch (error) {
        const errors = await failedFrontends(error, changes, (part) => this.#table.wouldTake(part));
        return this.#refuse({ code: 'apply-failed', message: messageOf(error), errors });
      }
      return { kind: 'taken', generation: request.generation };
    });
  }

  /** Hears of a leader, so that an older one is not listened to any more; gives the highest epoch there was. */
  announce(epoch: number): Promise<number> {
    return this.#queue.run(async () => {
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
    return this.#queue.run(async () => {
      const { applied } = this.#table;
      if (applied === undefined || this.#problem !== undefined || verification.isDone) return true;
      if (await verification.next(this.#served, applied.bank)) return true;
      this.#options.logger.warn({}, 'elements of the table are not as they were left: it is loaded again');
      await this.#bring(true);
      return false;
    });
  }

  /** Looks whether the table is as it was left, and makes it so. Gives whether something had to be done. */
  repair(): Promise<boolean> {
    return this.#queue.run(async () => {
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

  #refusalOf(request: ConfigurationRequest): Refusal | undefined {
    const unordered = outOfOrder(request, this.#generation, this.#highestEpoch);
    if (unordered !== undefined) return unordered;
    const served = request.kind === 'delta' ? addressesOf(this.#served.virtualServers.values()) : new Set<IpAddress>();
    return refusedBy(this.#options.admission, request) ?? routingLoopIn(request, served) ?? rejectedRequest(request);
  }

  #refuse(refusal: Refusal): ConfigurationAnswer {
    return refusedAnswer(refusal, this.#served.virtualServers, this.#generation);
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
      case 'change-table':
        return this.#table.change(elements, this.#served, generation);
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
        this.#table.doubt();
        if (state.applied !== undefined && isSameGeneration(state.applied.generation, generation)) {
          await this.#table.drop();
        }
        await keepalived?.use(this.#options.renderKeepalived(addresses));
      } else if (this.#isWhole(state)) {
        this.#table.believe(state);
        await keepalived?.use(this.#options.renderKeepalived(addresses));
      } else {
        await this.#bring();
      }
    } catch (error) {
      this.#table.doubt();
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
      await this.#table.bring(this.#served, generation, mustLoad);
      await keepalived?.report(true);
      await this.#useAddresses();
      this.#problem = undefined;
    } catch (error) {
      this.#table.doubt();
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

  #isWhole(state: TableState): boolean {
    return state.rules === 'whole' && isHeld(state, this.#served, this.#generation);
  }

  async #fold(): Promise<void> {
    const generation = this.#generation === undefined ? {} : { generation: this.#generation };
    const state = { ...generation, highestEpoch: this.#highestEpoch, virtualServers: this.#served.virtualServers };
    await this.#log.fold(state).catch((error: unknown) => {
      this.#options.logger.warn({ error: messageOf(error) }, 'the state on disk could not be made shorter');
    });
  }
}
