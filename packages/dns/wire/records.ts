import { type IpAddress, ipAddressValue } from '@fairlead/control';
import { CLASS_IN, HEADER_BYTES, RECORD_TYPES, type RecordType } from './codes.ts';
import { encodeName } from './name.ts';

/** The data of a record; names are in lower case. */
export type RecordData =
  | { readonly type: 'A' | 'AAAA'; readonly address: IpAddress }
  | {
      readonly type: 'SRV';
      readonly priority: number;
      readonly weight: number;
      readonly port: number;
      readonly target: string;
    }
  | { readonly type: 'TXT'; readonly text: string }
  | { readonly type: 'NS'; readonly target: string }
  | {
      readonly type: 'SOA';
      readonly nameServer: string;
      readonly mailbox: string;
      readonly serial: number;
      /** How long it may be kept that something is not there. */
      readonly negativeSeconds: number;
    };

/** Records of one name and type, ready to be copied behind a question: they refer to its name. */
export interface EncodedRecords {
  /** Has them from `start` on, and may have other things around them. */
  readonly bytes: Buffer;
  readonly start: number;
  readonly count: number;
  /** Of all of them together. */
  readonly length: number;
  /** Where each record ends, counted from the start. */
  readonly ends: readonly number[];
}

/** The first name of a message is that of the question. */
const POINTER_TO_QUESTION = 0xc000 | HEADER_BYTES;
const FIXED_BYTES = 12;
const HOUR_SECONDS = 3_600;

/** Encodes them ahead. Data with a name that is none is left out; there is none where the zone made it. */
export function encodeRecords(data: readonly RecordData[], seconds: number): EncodedRecords {
  const records = data.flatMap((one) => {
    const content = encodeData(one);
    return content === undefined ? [] : [encodeRecord(one.type, seconds, content)];
  });
  let end = 0;
  const ends = records.map((record) => (end += record.length));
  return { bytes: Buffer.concat(records), start: 0, count: records.length, length: end, ends };
}

function encodeRecord(type: RecordType, seconds: number, content: Buffer): Buffer {
  const record = Buffer.allocUnsafe(FIXED_BYTES + content.length);
  record.writeUInt16BE(POINTER_TO_QUESTION, 0);
  record.writeUInt16BE(RECORD_TYPES[type], 2);
  record.writeUInt16BE(CLASS_IN, 4);
  record.writeUInt32BE(seconds, 6);
  record.writeUInt16BE(content.length, 10);
  content.copy(record, FIXED_BYTES);
  return record;
}

function encodeData(data: RecordData): Buffer | undefined {
  switch (data.type) {
    case 'A':
    case 'AAAA':
      return Buffer.from(
        ipAddressValue(data.address)
          .toString(16)
          .padStart(data.type === 'A' ? 8 : 32, '0'),
        'hex',
      );
    case 'SRV': {
      const target = encodeName(data.target);
      if (target === undefined) return undefined;
      const numbers = Buffer.alloc(6);
      numbers.writeUInt16BE(data.priority, 0);
      numbers.writeUInt16BE(data.weight, 2);
      numbers.writeUInt16BE(data.port, 4);
      return Buffer.concat([numbers, target]);
    }
    case 'TXT': {
      const text = Buffer.from(data.text.slice(0, 255), 'latin1');
      return Buffer.concat([Buffer.of(text.length), text]);
    }
    case 'NS':
      return encodeName(data.target);
    case 'SOA': {
      const nameServer = encodeName(data.nameServer);
      const mailbox = encodeName(data.mailbox);
      if (nameServer === undefined || mailbox === undefined) return undefined;
      const numbers = Buffer.alloc(20);
      // There are no zone transfers: refresh, retry and expiry are what is usual.
      [data.serial >>> 0, 2 * HOUR_SECONDS, HOUR_SECONDS / 2, 24 * HOUR_SECONDS, data.negativeSeconds].forEach(
        (number, index) => numbers.writeUInt32BE(number, 4 * index),
      );
      return Buffer.concat([nameServer, mailbox, numbers]);
    }
  }
}
