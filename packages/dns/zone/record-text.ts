import type { RecordData } from '../wire/index.ts';
import type { RecordSet } from './record-set.ts';

/** As a zone file has them, for a person. */
export function recordLines({ type, seconds, records }: RecordSet): readonly string[] {
  return records.map((record) => `${seconds} ${type} ${dataText(record)}`);
}

/** How replies take turns with them. */
export function orderText({ order, records }: RecordSet): string | undefined {
  if (order.kind === 'fixed' || records.length < 2) return undefined;
  if (order.kind === 'pick')
    return `one in each reply, in the order ${order.schedule.map((index) => index + 1).join(' ')}`;
  return order.preferred === 0
    ? 'all in each reply, in turn'
    : `all in each reply, the first ${order.preferred} first, each share in turn`;
}

function dataText(record: RecordData): string {
  switch (record.type) {
    case 'A':
    case 'AAAA':
      return record.address;
    case 'SRV':
      return `${record.priority} ${record.weight} ${record.port} ${record.target}`;
    case 'TXT':
      return `"${record.text}"`;
    case 'NS':
      return record.target;
    case 'SOA':
      return `${record.nameServer} ${record.mailbox} ${record.serial} ${record.negativeSeconds}`;
  }
}
