import { ipAddressValue, parseIpAddress } from '@fairlead/control';
import { z } from 'zod';
import type { Nft } from '../apply/node.ts';
import { type Applied, readApplied } from './applied.ts';
import { type Bank, ENTRY_CHAIN, otherBank, TABLE } from './layout.ts';
import { type ElementChanges, deltaScript, portions, portionScript, prepareScript, switchScript } from './scripts.ts';
import type { Served } from './served.ts';

/** Elements of one transaction: what bounds the memory of nft. */
const PORTION = 20_000;

const setListing = z.object({
  set: z.object({ name: z.literal('applied'), elem: z.array(z.object({ concat: z.array(z.string()) })).optional() }),
});

const ruleListing = z.object({ rule: z.object({ expr: z.array(z.unknown()) }) });
const jump = z.object({ jump: z.object({ target: z.string() }) });

/** What the table is, as far as that can be told without listing what it holds. */
export interface TableState {
  /** What it holds, by its own record; absent when there is none, or more than one. */
  readonly applied?: Applied;
  /** The bank that packets are led into, if any. */
  readonly bankInUse?: Bank;
}

/** Our table in the kernel. */
export class Table {
  readonly #nft: Nft;

  constructor(nft: Nft) {
    this.#nft = nft;
  }

  async state(): Promise<TableState> {
    const listed = await this.#nft.list(`list set ${TABLE} applied`);
    const entry = await this.#nft.list(`list chain ${TABLE} ${ENTRY_CHAIN}`);
    const records = (listed ?? []).flatMap((one) => setListing.safeParse(one).data?.set.elem ?? []);
    const [record] = records;
    const applied =
      record === undefined || records.length > 1
        ? undefined
        : readApplied(record.concat.flatMap((text) => valueOf(text) ?? []));
    const bankInUse = bankOf(entry ?? []);
    return { ...(applied === undefined ? {} : { applied }), ...(bankInUse === undefined ? {} : { bankInUse }) };
  }

  /** One transaction. Refused where the table does not hold `from`. */
  change(changes: ElementChanges, from: Applied, to: Applied): Promise<void> {
    return this.#nft.run(deltaScript(changes, from, to));
  }

  /**
   * Fills a bank that no packet meets, and switches over to it. If the process dies before the switch, the table serves
   * what it served, and the next load begins with an empty bank.
   */
  async load(served: Served, next: Omit<Applied, 'bank'>, { bankInUse }: TableState): Promise<Applied> {
    const bank: Bank = bankInUse === undefined ? 'a' : otherBank(bankInUse);
    const to = { ...next, bank };
    await this.#nft.run(prepareScript(bank));
    // The next portion is made while nft works on the one before.
    let running = Promise.resolve();
    for (const portion of portions(served.elements(), PORTION)) {
      const script = portionScript(portion, bank);
      await running;
      running = this.#nft.run(script);
    }
    await running;
    await this.#nft.run(switchScript(to));
    return to;
  }

  /** For a table that another program left in a state that nothing can be loaded into. */
  drop(): Promise<void> {
    return this.#nft.run(`add table ${TABLE}\ndelete table ${TABLE}\n`);
  }
}

function bankOf(listed: readonly unknown[]): Bank | undefined {
  const expressions = listed.flatMap((one) => ruleListing.safeParse(one).data?.rule.expr ?? []);
  const targets = expressions.flatMap((one) => jump.safeParse(one).data?.jump.target ?? []);
  const banks = new Set(targets.map((target) => target.at(-1)));
  if (targets.length !== 2 || banks.size !== 1) return undefined;
  return banks.has('a') ? 'a' : 'b';
}

function valueOf(text: string): bigint | undefined {
  const parsed = parseIpAddress(text);
  return parsed === undefined ? undefined : ipAddressValue(parsed.address);
}
