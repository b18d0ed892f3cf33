import { createHash } from 'node:crypto';
import { formatIpAddress } from '@fairlead/control';
import type { Generation } from '../../protocol/configuration.ts';
import { type Bank, bankStatements, emptyChainStatements, leadingRules, TABLE, tableStatements } from './layout.ts';

/** What the kernel holds: kept in the table itself, and written in the transaction that makes it so. */
export interface Applied {
  readonly generation: Generation;
  /** Of the virtual servers: 32 hexadecimal digits. */
  readonly digest: string;
  readonly bank: Bank;
}

const BANK_SHIFT = 64n;
const LAYOUT_SHIFT = 80n;
const BANKS: readonly (readonly [Bank, bigint])[] = [
  ['a', 10n],
  ['b', 11n],
];
const LOW = (1n << 64n) - 1n;

/** Of everything in the table but its elements: another version of the agent may have left others. */
const LAYOUT = createHash('sha256')
  .update(JSON.stringify([tableStatements(), bankStatements('a'), emptyChainStatements('a'), leadingRules('a')]))
  .digest()
  .readUInt32BE();

/** The set with the record, anew. */
export function appliedStatements(applied: Applied): string[] {
  const quarter = 'ip6 daddr';
  const set = `add set ${TABLE} applied { typeof ${quarter} . ${quarter} . ${quarter} . ${quarter}; }`;
  return [set, `delete set ${TABLE} applied`, set, `add element ${TABLE} applied { ${appliedElement(applied)} }`];
}

/** As an element: four numbers of 64 bits in the lower halves of IPv6 addresses; layout and bank above each. */
export function appliedElement({ generation, digest, bank }: Applied): string {
  const sum = BigInt(`0x${digest}`);
  const letter = BANKS.find(([name]) => name === bank)?.[1] ?? 0n;
  const prefix = (0xfd00n << 112n) | (BigInt(LAYOUT) << LAYOUT_SHIFT) | (letter << BANK_SHIFT);
  return [BigInt(generation.epoch), BigInt(generation.number), sum >> 64n, sum & LOW]
    .map((number) => formatIpAddress(prefix | number, 'IPv6'))
    .join(' . ');
}

/** Reads it back from the four addresses; undefined when they are not what we write. */
export function readApplied(values: readonly bigint[]): Applied | undefined {
  const [epoch, number, high, low] = values.map((value) => value & LOW);
  const letter = ((values[0] ?? 0n) >> BANK_SHIFT) & 0xffffn;
  const bank = BANKS.find(([, code]) => code === letter)?.[0];
  if (epoch === undefined || number === undefined || high === undefined || low === undefined) return undefined;
  if (values.length !== 4 || bank === undefined) return undefined;
  const digest = ((high << 64n) | low).toString(16).padStart(32, '0');
  return { generation: { epoch: Number(epoch), number: Number(number) }, digest, bank };
}

/** Whether the table around the record is as this version of the agent makes it. */
export function isCurrentLayout(values: readonly bigint[]): boolean {
  return (((values[0] ?? 0n) >> LAYOUT_SHIFT) & 0xffff_ffffn) === BigInt(LAYOUT);
}
