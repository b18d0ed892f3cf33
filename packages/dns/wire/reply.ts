import { HEADER_BYTES, RCODES, type Rcode, TYPE_OPT } from './codes.ts';
import type { Query } from './query.ts';
import type { EncodedRecords } from './records.ts';

const RESPONSE = 0x8000;
const AUTHORITATIVE = 0x0400;
const TRUNCATED = 0x0200;
const RECURSION_AVAILABLE = 0x0080;
/** The kind of operation, "recursion desired" and "checking disabled" come back as they were asked. */
const KEPT_FLAGS = 0x7910;
const OPT_BYTES = 11;

/**
 * Writes replies, one at a time, into the bytes that are handed in. The question is copied as it came, so that its
 * letters keep their case, and all records refer to it.
 */
export class ReplyWriter {
  /** What the server says of itself in the OPT record: the largest UDP query it takes. */
  readonly #payloadBytes: number;
  readonly #recursionFlag: number;
  #out: Buffer = Buffer.alloc(0);
  #at = 0;
  #limit = 0;
  #hasEdns = false;
  #answers = 0;
  #authorities = 0;
  #isTruncated = false;

  constructor({ payloadBytes, offersRecursion }: { readonly payloadBytes: number; readonly offersRecursion: boolean }) {
    this.#payloadBytes = payloadBytes;
    this.#recursionFlag = offersRecursion ? RECURSION_AVAILABLE : 0;
  }

  /** Starts a reply of `limit` bytes at most; `out` must have as many. */
  begin(query: Query, bytes: Buffer, out: Buffer, limit: number): void {
    this.#out = out;
    this.#hasEdns = query.hasEdns;
    this.#limit = limit - (query.hasEdns ? OPT_BYTES : 0);
    this.#answers = 0;
    this.#authorities = 0;
    this.#isTruncated = false;
    const end = query.hasQuestion ? query.nameEnd + 4 : HEADER_BYTES;
    bytes.copy(out, HEADER_BYTES, HEADER_BYTES, end);
    this.#at = end;
  }

  /** Adds records `from` to `to`, or those that fit: clients without TCP are better off with some than with none. */
  answer(records: EncodedRecords, from: number, to: number): void {
    if (this.#isTruncated || from >= to) return;
    const { bytes, start } = records;
    const first = endOf(records, from);
    const last = lastThatFits(records, from, to, first + this.#limit - this.#at);
    this.#isTruncated = last < to;
    if (last === from) return;
    this.#at += bytes.copy(this.#out, this.#at, start + first, start + endOf(records, last));
    this.#answers += last - from;
  }

  /** Adds one record whose name is `nameBytes` of the question's, counted from its end. */
  authority({ bytes }: EncodedRecords, nameEnd: number, nameBytes: number): void {
    if (this.#at + bytes.length > this.#limit) return;
    bytes.copy(this.#out, this.#at);
    this.#uint16(this.#at, 0xc000 | (nameEnd - nameBytes));
    this.#at += bytes.length;
    this.#authorities += 1;
  }

  /** Ends the reply; gives its length. */
  end(query: Query, rcode: Rcode, isAuthoritative: boolean): number {
    const code = RCODES[rcode];
    this.#uint16(0, query.id);
    const flags =
      RESPONSE |
      (query.flags & KEPT_FLAGS) |
      (isAuthoritative ? AUTHORITATIVE : 0) |
      (this.#isTruncated ? TRUNCATED : 0) |
      this.#recursionFlag;
    this.#uint16(2, flags | (code & 0xf));
    this.#uint16(4, query.hasQuestion ? 1 : 0);
    this.#uint16(6, this.#answers);
    this.#uint16(8, this.#authorities);
    this.#uint16(10, this.#hasEdns ? 1 : 0);
    if (this.#hasEdns) this.#addOpt(code >> 4);
    return this.#at;
  }

  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  #addOpt(extendedRcode: number): void {
    const at = this.#at;
    this.#out[at] = 0;
    this.#uint16(at + 1, TYPE_OPT);
    this.#uint16(at + 3, this.#payloadBytes);
    this.#uint16(at + 5, extendedRcode << 8);
    this.#uint16(at + 7, 0);
    this.#uint16(at + 9, 0);
    this.#at = at + OPT_BYTES;
  }

  #uint16(at: number, value: number): void {
    this.#out[at] = value >> 8;
    this.#out[at + 1] = value & 0xff;
  }
}

/** How many of them end before `most`: `from` at least, and `to` at most. Of thousands, few are looked at. */
function lastThatFits(records: EncodedRecords, from: number, to: number, most: number): number {
  if (endOf(records, to) <= most) return to;
  let fits = from;
  let tooMany = to;
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >>> 1;
    if (endOf(records, middle) <= most) fits = middle;
    else tooMany = middle;
  }
  return fits;
}

/** Where the first `count` of them end. That of none or all is known without a look at the list, which is elsewhere. */
function endOf({ count: all, length, ends }: EncodedRecords, count: number): number {
  if (count === 0) return 0;
  return count === all ? length : (ends[count - 1] ?? 0);
}
