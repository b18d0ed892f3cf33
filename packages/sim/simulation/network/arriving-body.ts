interface Reader {
  resolve(result: IteratorResult<Uint8Array>): void;
  reject(error: unknown): void;
}

type Ending = { readonly kind: 'end' } | { readonly kind: 'error'; readonly error: unknown };

/** The body of a streaming response on the receiving side: hands out what has arrived, waits for what has not. */
export class ArrivingBody implements AsyncIterableIterator<Uint8Array> {
  readonly #pieces: Uint8Array[] = [];
  readonly #readers: Reader[] = [];
  readonly #onClose: () => void;
  #ending: Ending | undefined;

  /** `onClose` is called when the reader leaves before the end. */
  constructor(onClose: () => void) {
    this.#onClose = onClose;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  arrive(piece: Uint8Array): void {
    if (this.#ending !== undefined) return;
    const reader = this.#readers.shift();
    if (reader === undefined) this.#pieces.push(piece);
    else reader.resolve({ done: false, value: piece });
  }

  end(): void {
    this.#finish({ kind: 'end' });
  }

  /** Breaks off; what has arrived before is still handed out first. */
  fail(error: unknown): void {
    this.#finish({ kind: 'error', error });
  }

  /** The reader itself gave up: nothing more is handed out. */
  abort(error: unknown): void {
    this.#pieces.length = 0;
    this.#finish({ kind: 'error', error });
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    const value = this.#pieces.shift();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    return new Promise((resolve, reject) => {
      this.#readers.push({ resolve, reject });
      if (this.#ending !== undefined) this.#tellEnding(this.#ending);
    });
  }

  return(): Promise<IteratorResult<Uint8Array>> {
    if (this.#ending === undefined) this.#onClose();
    this.#pieces.length = 0;
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  #finish(ending: Ending): void {
    if (this.#ending !== undefined) return;
    this.#ending = ending;
    this.#tellEnding(ending);
  }

  /** An error is told once; after it, the body is simply over. */
  #tellEnding(ending: Ending): void {
    for (const reader of this.#readers.splice(0)) {
      if (ending === this.#ending && ending.kind === 'error') {
        this.#ending = { kind: 'end' };
        reader.reject(ending.error);
      } else {
        reader.resolve({ done: true, value: undefined });
      }
    }
  }
}
