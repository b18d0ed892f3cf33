import { answerTooLarge } from '@fairlead/control';

const NEWLINE = 0x0a;

/** An object has at most about 2 MB in etcd; in JSON, and twice in one line, it takes less than this. */
export const LONGEST_OBJECT_BYTES = 16 * 1024 * 1024;

/**
 * Cuts a stream of bytes into lines of text, and throws for one that is too long to be an object. Bytes become text only when a line is whole, so that a piece may end
 * inside a character; only lines that span pieces are copied.
 */
export class LineSplitter {
  #piece: Buffer = Buffer.alloc(0);
  #at = 0;
  /** The beginning of the line that goes on in the current piece. */
  #begun: Buffer[] = [];
  #begunBytes = 0;

  /** Takes in a piece; the one before must have been read to its end. */
  push(piece: Uint8Array): void {
    this.#piece = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    this.#at = 0;
  }

  /** The next line that is not empty, without its end; undefined when more bytes are needed. */
  next(): string | undefined {
    for (;;) {
      const end = this.#piece.indexOf(NEWLINE, this.#at);
      if (end < 0) {
        this.#begin();
        return undefined;
      }
      const line = this.#lineUpTo(end);
      this.#at = end + 1;
      if (line.trim() !== '') return line;
    }
  }

  /** Keeps the rest of the piece for the line that goes on in the next. */
  #begin(): void {
    const rest = this.#piece.subarray(this.#at);
    this.#at = this.#piece.length;
    this.#begunBytes += rest.length;
    if (this.#begunBytes > LONGEST_OBJECT_BYTES) throw answerTooLarge('a line of a watch', LONGEST_OBJECT_BYTES);
    if (rest.length > 0) this.#begun.push(rest);
  }

  #lineUpTo(end: number): string {
    if (this.#begun.length === 0) return this.#piece.toString('utf8', this.#at, end);
    const whole = Buffer.concat([...this.#begun, this.#piece.subarray(this.#at, end)]);
    this.#begun = [];
    this.#begunBytes = 0;
    return whole.toString('utf8');
  }
}
