import { type EncodedRecords, encodeRecords, RECORD_TYPES, type ReplyWriter } from '../wire/index.ts';
import type { AnswerOrder, RecordSet } from './record-set.ts';

/** The records of one type at a name, encoded ahead, and whose turn it is. What they are, service-records decides. */
export class Answer implements EncodedRecords {
  readonly type: number;
  bytes: Buffer;
  start: number;
  readonly count: number;
  readonly length: number;
  readonly ends: readonly number[];
  /** That of the next type at the name. */
  next: Answer | undefined;
  readonly #order: AnswerOrder;
  #turn: number;

  constructor({ type, seconds, records, order }: RecordSet, turn = 0) {
    this.type = RECORD_TYPES[type];
    const { bytes, start, count, length, ends } = encodeRecords(records, seconds);
    this.bytes = bytes;
    this.start = start;
    this.count = count;
    this.length = length;
    this.ends = ends;
    this.#order = order;
    this.#turn = turn;
  }

  /** The same records in the same order, or else one that goes on where this one stood. */
  replacedBy(set: RecordSet): Answer {
    const next = new Answer(set, this.#turn);
    const isSame = next.type === this.type && next.own.equals(this.own) && isSameOrder(next.#order, this.#order);
    return isSame ? this : next;
  }

  /** Its bytes, and none of what is around them. */
  get own(): Buffer {
    return this.bytes.subarray(this.start, this.start + this.length);
  }

  write(writer: ReplyWriter): void {
    const order = this.#order;
    if (order.kind === 'fixed') return writer.answer(this, 0, this.count);
    this.#turn = (this.#turn + 1) & 0x3fffffff;
    if (order.kind === 'pick') {
      const group = order.schedule[this.#turn % order.schedule.length] ?? 0;
      return writer.answer(this, group === 0 ? 0 : (order.ends[group - 1] ?? 0), order.ends[group] ?? 0);
    }
    this.#rotated(writer, 0, order.preferred);
    this.#rotated(writer, order.preferred, this.count);
  }

  #rotated(writer: ReplyWriter, from: number, to: number): void {
    if (from === to) return;
    const first = from + (this.#turn % (to - from));
    writer.answer(this, first, to);
    writer.answer(this, from, first);
  }
}

function isSameOrder(one: AnswerOrder, other: AnswerOrder): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
