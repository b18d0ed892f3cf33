const NEWLINE = 0x0a;

/**
 * Cuts a stream of bytes into lines of text. Bytes become text only when a line is whole, so that a piece may end
 * inside a character; only lines that span pieces are copied.
 */
export class LineSplitter {
  #piece: Buffer = Buffer.alloc(0);
  #at = 0;
  /** The beginning of the line that goes on in the current piece. */
  #begun: Buffer[] = [];

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
        if (this.#at < this.#piece.length) this.#begun.push(this.#piece.subarray(this.#at));
        this.#at = this.#piece.length;
        return undefined;
      }
      const line = this.#lineUpTo(end);
      this.#at = end + 1;
      if (line.trim() !== '') return line;
    }
  }

  #lineUpTo(end: number): string {
    if (this.#begun.length === 0) return this.#piece.toString('utf8', this.#at, end);
    const whole = Buffer.concat([...this.#begun, this.#piece.subarray(this.#at, end)]);
    this.#begun = [];
    return whole.toString('utf8');
  }
}
