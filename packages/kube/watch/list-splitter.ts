import { answerTooLarge } from '@fairlead/control';
import { LONGEST_OBJECT_BYTES } from './line-splitter.ts';

/** What stands around the items is a version and a token. */
const LONGEST_ENVELOPE = 1024 * 1024;
/** Where the name of an array is looked for, spaces included. */
const NAME_LENGTH = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** How deep the array of items and the items in it are nested; the list itself is at 1. */
const ITEMS = 2;
const ITEM = 3;

/**
 * Cuts a list such as `{"kind":"ServiceList","metadata":{…},"items":[…]}` into the texts of its items while it
 * arrives, so that only one of them is parsed at a time: a whole page can hold up the event loop for a tenth of a
 * second. Throws for an item that is too long to be an object.
 */
export class ListSplitter {
  #piece: Buffer = Buffer.alloc(0);
  #at = 0;
  /** Where the current item, or the current part of the envelope, begins in the piece. */
  #from = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #inItems = false;
  /** The beginning of the item that goes on in the current piece. */
  #begun: Buffer[] = [];
  #begunBytes = 0;
  #envelope = '';
  /** Its end: to look at the end of a growing text itself costs all of it each time. */
  #envelopeEnd = '';

  /** Takes in a piece; the one before must have been read to its end. */
  push(piece: Uint8Array): void {
    this.#piece = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    this.#at = 0;
    this.#from = 0;
  }

  /** The text of the next item; undefined when more bytes are needed. */
  next(): string | undefined {
    while (this.#at < this.#piece.length) {
      if (this.#inString) {
        this.#skipString();
        continue;
      }
      const byte = this.#piece[this.#at];
      this.#at += 1;
      if (byte === QUOTE) this.#inString = true;
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#open(byte);
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        const item = this.#close();
        if (item !== undefined) return item;
      }
    }
    this.#endPiece();
    return undefined;
  }

  /** The text around the items, with an empty array in their place; whole once the list is. */
  get envelope(): string {
    return this.#envelope;
  }

  #skipString(): void {
    const piece = this.#piece;
    let at = this.#at;
    let escaped = this.#escaped;
    for (; at < piece.length; at += 1) {
      const byte = piece[at];
      if (escaped) escaped = false;
      else if (byte === BACKSLASH) escaped = true;
      else if (byte === QUOTE) {
        this.#inString = false;
        at += 1;
        break;
      }
    }
    this.#escaped = escaped;
    this.#at = at;
  }

  #open(byte: number): void {
    this.#depth += 1;
    if (this.#inItems) {
      if (this.#depth === ITEM) this.#from = this.#at - 1;
      return;
    }
    if (this.#depth !== ITEMS || byte !== OPEN_BRACKET) return;
    this.#addToEnvelope(this.#at);
    this.#inItems = /"items"\s*:\s*\[$/.test(this.#envelopeEnd);
  }

  #close(): string | undefined {
    this.#depth -= 1;
    if (!this.#inItems || this.#depth > ITEMS) return undefined;
    if (this.#depth < ITEMS) {
      this.#inItems = false;
      this.#from = this.#at - 1;
      return undefined;
    }
    const end = this.#piece.subarray(this.#from, this.#at);
    const item = this.#begun.length === 0 ? end : Buffer.concat([...this.#begun, end]);
    this.#begun = [];
    this.#begunBytes = 0;
    return item.toString('utf8');
  }

  #endPiece(): void {
    if (!this.#inItems) this.#addToEnvelope(this.#piece.length);
    else if (this.#depth >= ITEM) this.#begin();
    this.#from = this.#piece.length;
  }

  #begin(): void {
    const begun = this.#piece.subarray(this.#from);
    this.#begunBytes += begun.length;
    if (this.#begunBytes > LONGEST_OBJECT_BYTES) throw answerTooLarge('an item of a list', LONGEST_OBJECT_BYTES);
    this.#begun.push(begun);
  }

  /** The envelope is ASCII but for what a server may put into its messages; a character cut in two does no harm there. */
  #addToEnvelope(end: number): void {
    const added = this.#piece.toString('utf8', this.#from, end);
    this.#envelope += added;
    this.#envelopeEnd = `${this.#envelopeEnd}${added}`.slice(-NAME_LENGTH);
    this.#from = end;
    if (this.#envelope.length > LONGEST_ENVELOPE) throw answerTooLarge('what is around a list', LONGEST_ENVELOPE);
  }
}
