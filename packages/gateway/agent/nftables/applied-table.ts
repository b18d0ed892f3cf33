import { FairleadError, type Logger, messageOf } from '@fairlead/control';
import { type Generation, isSameGeneration, type VirtualServer } from '../../protocol/configuration.ts';
import type { Nft } from '../apply/node.ts';
import type { Applied } from './applied.ts';
import type { ElementChanges } from './scripts.ts';
import type { Served } from './served.ts';
import { Table, type TableState } from './table.ts';

/** What the table is to be, but for its bank. */
type Wanted = Omit<Applied, 'bank'>;

/** Our table, and what it is known to hold: so that a change is one small transaction. */
export class AppliedTable {
  readonly #table: Table;
  readonly #logger: Logger;
  #applied: Applied | undefined;

  constructor(nft: Nft, logger: Logger) {
    this.#table = new Table(nft);
    this.#logger = logger;
  }

  /** Unknown before the first look, and after something went wrong that could not be undone. */
  get applied(): Applied | undefined {
    return this.#applied;
  }

  state(): Promise<TableState> {
    return this.#table.state();
  }

  /** What it holds is not known any more. */
  doubt(): void {
    this.#applied = undefined;
  }

  /** It holds what it says. */
  believe({ applied }: TableState): void {
    this.#applied = applied;
  }

  /** Whether nft would take these beside what is in use. */
  wouldTake(virtualServers: readonly VirtualServer[]): Promise<boolean> {
    return this.#table.wouldTake(virtualServers, this.#applied?.bank);
  }

  /** One transaction with these changes; all that is served, where these are too many, or the table is unknown. */
  async change(elements: ElementChanges | undefined, served: Served, generation: Generation): Promise<void> {
    const from = this.#applied;
    const to = { generation, digest: served.digest };
    if (from === undefined || elements === undefined) {
      this.#applied = await this.#load(served, to, await this.#table.state());
      return;
    }
    await this.#table.change(elements, from, { ...to, bank: from.bank });
    this.#applied = { ...to, bank: from.bank };
  }

  /** Makes it what is served, whatever it is. What it holds is not loaded again, unless it must be. */
  async bring(served: Served, generation: Generation | undefined, mustLoad: boolean): Promise<void> {
    const state = await this.#table.state();
    if (!mustLoad && (await this.#keeps(state, served, generation))) {
      this.#applied = state.applied;
      return;
    }
    const to = { generation: generation ?? { epoch: 0, number: 0 }, digest: served.digest };
    this.#applied = await this.#load(served, to, state);
  }

  async drop(): Promise<void> {
    await this.#table.drop();
  }

  async #load(served: Served, to: Wanted, state: TableState): Promise<Applied> {
    try {
      return await this.#table.load(served, to, state);
    } catch (error) {
      if (state.applied !== undefined || !(error instanceof FairleadError)) throw error;
      // Nothing can be loaded into what another program left: it goes. What it served was not ours any more.
      await this.#table.drop();
      return this.#table.load(served, to);
    }
  }

  /** Whether the table serves what it should, if need be with its rules made anew. */
  async #keeps(state: TableState, served: Served, generation: Generation | undefined): Promise<boolean> {
    const { applied, rules } = state;
    if (applied === undefined || rules === 'unknown' || !isHeld(state, served, generation)) return false;
    if (rules === 'whole') return true;
    try {
      await this.#table.restoreRules(applied);
      return true;
    } catch (error) {
      this.#logger.warn({ error: messageOf(error) }, 'the rules could not be made anew: all is loaded again');
      return false;
    }
  }
}

/** Whether the table holds what is served, as this generation. */
export function isHeld({ applied }: TableState, { digest }: Served, generation: Generation | undefined): boolean {
  if (applied === undefined || generation === undefined) return false;
  return isSameGeneration(applied.generation, generation) && applied.digest === digest;
}
