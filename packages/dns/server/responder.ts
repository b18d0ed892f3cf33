import {
  CLASS_IN,
  type EncodedRecords,
  encodeName,
  encodeRecords,
  FIRST_META_TYPE,
  HEADER_BYTES,
  isSameName,
  Query,
  type QueryKind,
  type Rcode,
  ReplyWriter,
  TCP_BYTES,
  TYPE_ANY,
  TYPE_AXFR,
  TYPE_IXFR,
  TYPE_OPT,
} from '../wire/index.ts';
import { answerOf, type NameTable, startOfAuthority, type ZoneSettings } from '../zone/index.ts';
import type { Counts, Transport } from './counts.ts';

/** What a query came to: a reply of so many bytes, none at all, or something for another server. */
export const NO_REPLY = 0;
export const FORWARD = -1;

const TRUNCATED_BIT = 0x0200;
/** Of answers, authorities and additional records. */
const RECORD_COUNTS_AT = 6;

export interface ResponderOptions {
  readonly settings: ZoneSettings;
  readonly table: NameTable;
  readonly counts: Counts;
  /** Of the hashes, the same as the table's. */
  readonly seed: number;
  /** The largest reply over UDP, whatever the client says that it takes. */
  readonly udpBytes: number;
  /** Whether what is not of the zone is for another server, or refused. */
  readonly forwards: boolean;
}

/** Answers queries from the table, one at a time, without allocating. */
export class Responder {
  /** What was asked last, and how it was answered: for the log. */
  readonly query: Query;
  rcode: Rcode = 'NOERROR';
  /** Until the table is complete, nothing that is missing there is known not to be. */
  isReady = false;
  readonly #table: NameTable;
  readonly #counts: Counts;
  readonly #writer: ReplyWriter;
  readonly #zone: Buffer;
  readonly #authority: EncodedRecords;
  readonly #udpBytes: number;
  readonly #forwards: boolean;

  constructor({ settings, table, counts, seed, udpBytes, forwards }: ResponderOptions) {
    this.query = new Query(seed);
    this.#table = table;
    this.#counts = counts;
    this.#writer = new ReplyWriter({ payloadBytes: udpBytes, offersRecursion: forwards });
    this.#zone = encodeName(settings.zone) ?? Buffer.of(0);
    this.#authority = encodeRecords([startOfAuthority(settings)], settings.seconds);
    this.#udpBytes = udpBytes;
    this.#forwards = forwards;
  }

  /** Writes the reply to `bytes` into `out`; gives its length, NO_REPLY, or FORWARD. */
  respond(bytes: Buffer, out: Buffer, transport: Transport): number {
    const { query } = this;
    const kind = query.read(bytes);
    if (kind === 'drop') {
      this.#counts.drop('no-query');
      return NO_REPLY;
    }
    if (kind === 'question' && query.class === CLASS_IN && !this.#isInZone(bytes)) {
      if (this.#forwards && !isTransfer(query.type)) return FORWARD;
      return this.#reply(bytes, out, transport, 'REFUSED', false);
    }
    const refusal = refusalOf(kind, query);
    if (refusal !== undefined) return this.#reply(bytes, out, transport, refusal, false);
    this.#counts.question(query.type);
    if (!this.isReady) return this.#reply(bytes, out, transport, 'SERVFAIL', false);
    return this.#answer(bytes, out, transport);
  }

  /** The reply when another server did not answer. */
  fail(bytes: Buffer, out: Buffer, transport: Transport): number {
    this.query.read(bytes);
    return this.#reply(bytes, out, transport, 'SERVFAIL', false);
  }

  /** Has a query that is passed on over UDP ask for no more than is sent back. */
  limit(query: Buffer): void {
    this.query.read(query);
    const { payloadAt, payloadBytes } = this.query;
    if (payloadAt > 0 && payloadBytes > this.#udpBytes) query.writeUInt16BE(this.#udpBytes, payloadAt);
  }

  /** The reply of another server as it may be sent over UDP: one that is too long says so, and nothing else. */
  fit(query: Buffer, reply: Buffer): Buffer {
    this.query.read(query);
    if (reply.length <= this.#mostBytes('udp')) return reply;
    this.#counts.truncated();
    const cut = Buffer.from(reply.subarray(0, this.query.nameEnd + 4));
    cut.writeUInt16BE(cut.readUInt16BE(2) | TRUNCATED_BIT, 2);
    return cut.fill(0, RECORD_COUNTS_AT, HEADER_BYTES);
  }

  #answer(bytes: Buffer, out: Buffer, transport: Transport): number {
    const { query } = this;
    const entry = this.#table.find(query, bytes);
    const answer = entry === undefined ? undefined : answerOf(entry, query.type);
    this.#begin(bytes, out, transport);
    if (answer !== undefined) answer.write(this.#writer);
    else this.#writer.authority(this.#authority, query.nameEnd, this.#zone.length);
    return this.#end(transport, entry === undefined ? 'NXDOMAIN' : 'NOERROR', true);
  }

  #reply(bytes: Buffer, out: Buffer, transport: Transport, rcode: Rcode, isAuthoritative: boolean): number {
    this.#begin(bytes, out, transport);
    return this.#end(transport, rcode, isAuthoritative);
  }

  #begin(bytes: Buffer, out: Buffer, transport: Transport): void {
    this.#writer.begin(this.query, bytes, out, this.#mostBytes(transport));
  }

  #mostBytes(transport: Transport): number {
    return transport === 'tcp' ? TCP_BYTES : Math.min(this.query.payloadBytes, this.#udpBytes);
  }

  #end(transport: Transport, rcode: Rcode, isAuthoritative: boolean): number {
    this.rcode = rcode;
    this.#counts.reply(transport, rcode);
    if (this.#writer.isTruncated) this.#counts.truncated();
    return this.#writer.end(this.query, rcode, isAuthoritative);
  }

  /** The zone itself, or a name below it. */
  #isInZone(bytes: Buffer): boolean {
    const { nameEnd } = this.query;
    const from = nameEnd - this.#zone.length;
    let at = HEADER_BYTES;
    while (at < from) at += (bytes[at] ?? 0) + 1;
    return at === from && isSameName(bytes, at, this.#zone.length, this.#zone);
  }
}

function refusalOf(kind: QueryKind, query: Query): Rcode | undefined {
  if (kind === 'malformed') return 'FORMERR';
  if (kind === 'not-implemented') return 'NOTIMP';
  if (kind === 'unknown-version') return 'BADVERS';
  if (query.class !== CLASS_IN || isTransfer(query.type)) return 'REFUSED';
  const isMeta = query.type >= FIRST_META_TYPE && query.type < TYPE_ANY;
  return isMeta || query.type === TYPE_OPT ? 'NOTIMP' : undefined;
}

function isTransfer(type: number): boolean {
  return type === TYPE_AXFR || type === TYPE_IXFR;
}
