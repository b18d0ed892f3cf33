import { type EncodedRecords, encodeRecords, RECORD_TYPES, type ReplyWriter } from '../wire/index.ts';
import type { AnswerOrder, RecordSet } from './record-set.ts';

/** The records of one type at a name, encoded ahead, and whose turn it is. */
export class Answer {
  readonly type: number;
  readonly #records: EncodedRecords;
  readonly #order: AnswerOrder;
  #turn: number;

  constructor({ type, seconds, records, order }: RecordSet, turn = 0) {
    this.type = RECORD_TYPES[type];
    this.#records = encodeRecords(records, seconds);
    this.#order = order;
    this.#turn = turn;
  }

  /** The same records in the same order, or else one that goes on where this one stood. */
  replacedBy(set: RecordSet): Answer {
    const next = new Answer(set, this.#turn);
    const isSame =
      next.type === this.type &&
      next.#records.bytes.equals(this.#records.bytes) &&
      isSameOrder(next.#order, this.#order);
    return isSame ? this : next;
  }

  write(writer: ReplyWriter): void {
    const order = this.#order;
    const records = this.#records;
    const count = records.ends.length;
    if (order.kind === 'fixed') return writer.answer(records, 0, count);
    this.#turn = (this.#turn + 1) & 0x3fffffff;
    if (order.kind === 'pick') {
      const group = order.schedule[this.#turn % order.schedule.length] ?? 0;
      return writer.answer(records, group === 0 ? 0 : (order.ends[group - 1] ?? 0), order.ends[group] ?? 0);
    }
    this.#rotated(writer, 0, order.preferred);
    this.#rotated(writer, order.preferred, count);
  }

  #rotated(writer: ReplyWriter, from: number, to: number): void {
    if (from === to) return;
    const first = from + (this.#turn % (to - from));
    writer.answer(this.#records, first, to);
    writer.answer(this.#records, from, first);
  }
}

function isSameOrder(one: AnswerOrder, other: AnswerOrder): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
