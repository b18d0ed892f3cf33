import { ipAddressValue, parseIpAddress } from '@fairlead/control';
import { z } from 'zod';
import { NftRefusal } from '../apply/failed-frontends.ts';
import type { Nft } from '../apply/node.ts';
import type { VirtualServer } from '../../protocol/configuration.ts';
import { type Applied, isCurrentLayout, readApplied } from './applied.ts';
import { ownElements } from './elements.ts';
import { type Bank, bankSet, choosingRules, leadingRules, otherBank, type Rule, TABLE } from './layout.ts';
import {
  deltaScript,
  excessProbe,
  type ElementChanges,
  elementScript,
  portions,
  prepareScript,
  rulesProbe,
  rulesScript,
  switchScript,
} from './scripts.ts';
import type { Served } from './served.ts';

/** Elements of one transaction: what bounds the memory of nft. */
const PORTION = 20_000;
/** So many chains are looked at at a time for rules that are not ours: each takes a run of nft, and a change waits. */
const CHAINS_AT_A_TIME = 2;

/** Missed so often, this kernel numbers rules in another way than expected: nothing is told of them then. */
const UNTELLABLE = 2;

const setListing = z.object({
  set: z.object({
    handle: z.int(),
    elem: z.array(z.object({ concat: z.array(z.string()) })).optional(),
  }),
});

/** What the table is, as far as that can be told without listing what it holds. */
export interface TableState {
  /** What it holds, by its own record; absent when there is none, or more than one. */
  readonly applied?: Applied;
  readonly rules: RulesState;
}

/**
 * All there and, as far as was looked, no others; some gone, or added, of those that can be made anew; or others, or not
 * of this version of the agent.
 */
export type RulesState = 'whole' | 'restorable' | 'unknown';

/**
 * Our table in the kernel. nft 1.0.6 reads every element of a table to list one chain of it or to get one element, and
 * only a small set by itself. So that set keeps the record, and what else is there is told by transactions that are tried
 * without effect.
 */
export class Table {
  readonly #nft: Nft;
  /** How often in a row rules were not found right after they were made. */
  #missedRules = 0;
  /** The place of the chain that is looked at next for rules that are not ours. */
  #nextChain = 0;

  constructor(nft: Nft) {
    this.#nft = nft;
  }

  state(): Promise<TableState> {
    return this.#look(false);
  }

  /** One transaction. Refused where the table does not hold `from`. */
  change(changes: ElementChanges, from: Applied, to: Applied): Promise<void> {
    return this.#nft.run(deltaScript(changes, from, to));
  }

  /** Makes the rules anew that can be, in one transaction. */
  async restoreRules(applied: Applied): Promise<void> {
    await this.#nft.run(rulesScript(applied));
    await this.#look(true);
  }

  /**
   * Fills a bank that no packet meets, and switches over to it. If the process dies before the switch, the table serves
   * what it served, and the next load begins with an empty bank.
   */
  async load(served: Served, next: Omit<Applied, 'bank'>, { applied }: Partial<TableState> = {}): Promise<Applied> {
    const bank = await this.#prepare(applied === undefined ? 'a' : otherBank(applied.bank));
    const to = { ...next, bank };
    // The next portion is made while nft works on the one before.
    let running = Promise.resolve();
    for (const portion of portions(served.elements(), PORTION)) {
      const script = elementScript('add', portion, bank);
      await running;
      running = this.#nft.run(script);
    }
    await running;
    await this.#nft.run(switchScript(to));
    await this.#look(true);
    return to;
  }

  /** Whether nft would take these into a bank that is not in use. */
  async wouldTake(virtualServers: readonly VirtualServer[], bankInUse: Bank | undefined): Promise<boolean> {
    const bank = bankInUse === undefined ? 'a' : otherBank(bankInUse);
    const elements = virtualServers.flatMap(ownElements);
    try {
      return await this.#nft.accepts(prepareScript(bank) + elementScript('add', elements, bank));
    } catch (error) {
      if (error instanceof NftRefusal) return false;
      throw error;
    }
  }

  /** For a table that another program left in a state that nothing can be loaded into. */
  drop(): Promise<void> {
    return this.#nft.run(`add table ${TABLE}\ndelete table ${TABLE}\n`);
  }

  /** Empties this bank, or the other one where rules lead into this: the record may be gone that told. */
  async #prepare(bank: Bank): Promise<Bank> {
    try {
      await this.#nft.run(prepareScript(bank));
      return bank;
    } catch (error) {
      if (!(error instanceof NftRefusal)) throw error;
      await this.#nft.run(prepareScript(otherBank(bank)));
      return otherBank(bank);
    }
  }

  async #set(name: string): Promise<z.infer<typeof setListing>['set'] | undefined> {
    const listed = await this.#nft.list(`list set ${TABLE} ${name}`);
    return (listed ?? []).flatMap((one) => setListing.safeParse(one).data?.set ?? [])[0];
  }

  async #look(areNew: boolean): Promise<TableState> {
    const set = await this.#set('applied');
    const records = set?.elem ?? [];
    const [record] = records;
    if (set === undefined || record === undefined || records.length > 1) return { rules: 'unknown' };
    const values = record.concat.flatMap((text) => valueOf(text) ?? []);
    const applied = readApplied(values);
    if (applied === undefined) return { rules: 'unknown' };
    if (!isCurrentLayout(values)) return { applied, rules: 'unknown' };
    if (!areNew && this.#missedRules >= UNTELLABLE) return { applied, rules: 'whole' };
    return { applied, rules: await this.#rules(applied.bank, set.handle, areNew) };
  }

  /** Rules that were made just now are there, unless another program was quick: made anew, they are looked for once more. */
  async #rules(bank: Bank, appliedHandle: number, areNew: boolean): Promise<RulesState> {
    const set = await this.#set(bankSet(bank));
    if (set === undefined) return 'unknown';
    const choosing = rulesProbe(choosingRules(bank), set.handle);
    if (await this.#nft.accepts(choosing + rulesProbe(leadingRules(bank), appliedHandle))) {
      this.#missedRules = 0;
      return this.#excess(bank);
    }
    if (areNew) this.#missedRules += 1;
    return (await this.#nft.accepts(choosing)) ? 'restorable' : 'unknown';
  }

  /** Looks at the next few chains, in turn; one with a rule that is not ours is looked at again until that is gone. */
  async #excess(bank: Bank): Promise<RulesState> {
    const leading = countRules(leadingRules(bank));
    const chains = [...leading, ...countRules(choosingRules(bank))];
    for (let count = 0; count < CHAINS_AT_A_TIME; count += 1) {
      const [chain, rules] = chains[this.#nextChain % chains.length] ?? ['', 0];
      if (await this.#nft.accepts(excessProbe(chain, rules))) return leading.has(chain) ? 'restorable' : 'unknown';
      this.#nextChain += 1;
    }
    return 'whole';
  }
}

/** Chain -> how many rules it has. */
function countRules(rules: readonly Rule[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { chain } of rules) counts.set(chain, (counts.get(chain) ?? 0) + 1);
  return counts;
}

function valueOf(text: string): bigint | undefined {
  const parsed = parseIpAddress(text);
  return parsed === undefined ? undefined : ipAddressValue(parsed.address);
}
