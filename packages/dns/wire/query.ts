import { HEADER_BYTES, PLAIN_UDP_BYTES, TYPE_OPT } from './codes.ts';
import { lowerCase } from './name.ts';

/**
 * What a packet turned out to be. `drop`: not even a query, and an answer to it would be an answer to an answer, or to a
 * stranger. `unknown-version`: sound as far as it can be read.
 */
export type QueryKind = 'question' | 'drop' | 'malformed' | 'not-implemented' | 'unknown-version';

const MOST_NAME_BYTES = 255;
const MOST_LABEL_BYTES = 63;
/** An OPT and a signature; what has more of them is no query of a resolver. */
const MOST_ADDITIONAL_RECORDS = 4;

const OPCODE_MASK = 0x78;
const RESPONSE_BIT = 0x80;

/** One query, read in place: an instance is used again for every packet, so that reading allocates nothing. */
export class Query {
  id = 0;
  /** The two bytes of flags as they came. */
  flags = 0;
  /** After the name, or at the end of the header where there is no sound question. */
  nameEnd = HEADER_BYTES;
  type = 0;
  class = 0;
  hasQuestion = false;
  hasEdns = false;
  /** The largest UDP reply that the client takes. */
  payloadBytes = PLAIN_UDP_BYTES;
  /** Where the query says that; 0 where it does not. */
  payloadAt = 0;
  /** Of the name in lower case; starts from a seed, so that no client can tell which names collide. */
  hash = 0;
  readonly #seed: number;

  constructor(seed = 0) {
    this.#seed = seed;
  }

  /** Reads the packet. Total, and bounded by the length of a name and a handful of records, whatever it holds. */
  read(bytes: Buffer): QueryKind {
    this.hasQuestion = false;
    this.hasEdns = false;
    this.payloadBytes = PLAIN_UDP_BYTES;
    this.payloadAt = 0;
    this.nameEnd = HEADER_BYTES;
    if (bytes.length < HEADER_BYTES) return 'drop';
    this.id = uint16(bytes, 0);
    this.flags = uint16(bytes, 2);
    const operation = bytes[2] ?? 0;
    if ((operation & RESPONSE_BIT) !== 0) return 'drop';
    if ((operation & OPCODE_MASK) !== 0) return 'not-implemented';
    const hasOneQuestion = uint16(bytes, 4) === 1 && uint16(bytes, 6) === 0 && uint16(bytes, 8) === 0;
    if (!hasOneQuestion || !this.#readQuestion(bytes)) return 'malformed';
    return this.#readAdditional(bytes, uint16(bytes, 10));
  }

  #readQuestion(bytes: Buffer): boolean {
    const end = this.#readName(bytes);
    if (end < 0 || end + 4 > bytes.length) return false;
    this.nameEnd = end;
    this.type = uint16(bytes, end);
    this.class = uint16(bytes, end + 2);
    this.hasQuestion = true;
    return true;
  }

  /** Gives where the name ends, or -1. A first name has nothing before it that it could point to. */
  #readName(bytes: Buffer): number {
    let hash = this.#seed;
    let at = HEADER_BYTES;
    for (;;) {
      const length = bytes[at] ?? MOST_NAME_BYTES;
      const next = at + length + 1;
      if (length > MOST_LABEL_BYTES || next > bytes.length || next - HEADER_BYTES > MOST_NAME_BYTES) return -1;
      for (; at < next; at += 1) hash = Math.imul(hash ^ lowerCase(bytes[at] ?? 0), 0x01000193);
      if (length === 0) break;
    }
    this.hash = mixed(hash);
    return at;
  }

  #readAdditional(bytes: Buffer, count: number): QueryKind {
    if (count > MOST_ADDITIONAL_RECORDS) return 'malformed';
    let at = this.nameEnd + 4;
    let version = 0;
    for (let index = 0; index < count; index += 1) {
      const nameEnd = skipName(bytes, at);
      if (nameEnd < 0 || nameEnd + 10 > bytes.length) return 'malformed';
      const end = nameEnd + 10 + uint16(bytes, nameEnd + 8);
      if (end > bytes.length) return 'malformed';
      if (uint16(bytes, nameEnd) === TYPE_OPT) {
        // There is one at most, and it belongs to the root.
        if (this.hasEdns || nameEnd !== at + 1) return 'malformed';
        this.hasEdns = true;
        this.payloadAt = nameEnd + 2;
        this.payloadBytes = Math.max(uint16(bytes, nameEnd + 2), PLAIN_UDP_BYTES);
        version = bytes[nameEnd + 5] ?? 0;
      }
      at = end;
    }
    return version === 0 ? 'question' : 'unknown-version';
  }
}

/** The hash of a whole name in wire form and lower case, as a query for it has it. */
export function nameHash(name: Buffer, seed: number): number {
  let hash = seed;
  for (const byte of name) hash = Math.imul(hash ^ byte, 0x01000193);
  return mixed(hash);
}

/** Has the upper bits count in the lower ones, too, by which names are found. */
function mixed(hash: number): number {
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) ^ (hash >>> 12);
}

/** Where the name ends, a pointer included, or -1. */
function skipName(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && at - from <= MOST_NAME_BYTES) {
    const length = bytes[at] ?? 0;
    if (length === 0) return at + 1;
    if (length >= 0xc0) return at + 2 <= bytes.length ? at + 2 : -1;
    if (length > MOST_LABEL_BYTES) return -1;
    at += length + 1;
  }
  return -1;
}

export function uint16(bytes: Buffer, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}
