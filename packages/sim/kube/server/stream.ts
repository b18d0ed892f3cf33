/** Bytes that arrive over time, for one reader. What arrives before there is a reader waits for it. */
export class ByteStream {
  #chunks: Uint8Array[] = [];
  #ended = false;
  #reader: StreamReader | undefined;
  readonly #onClose: () => void;

  /** `onClose` is called once, when the stream has ended or its reader has left. */
  constructor(onClose: () => void) {
    this.#onClose = onClose;
  }

  get ended(): boolean {
    return this.#ended;
  }

  push(chunk: Uint8Array): void {
    if (this.#ended) return;
    if (this.#reader === undefined) this.#chunks.push(chunk);
    else this.#reader.chunk(chunk);
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#reader?.end();
    this.#onClose();
  }

  read(reader: StreamReader): void {
    this.#reader = reader;
    const waiting = this.#chunks;
    this.#chunks = [];
    for (const chunk of waiting) reader.chunk(chunk);
    if (this.#ended) reader.end();
  }
}

export interface StreamReader {
  chunk(chunk: Uint8Array): void;
  end(): void;
}

/** A stream as the body of a response. Leaving the loop early closes it. */
export async function* chunksOf(stream: ByteStream, signal?: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
  const waiting: Uint8Array[] = [];
  let ended = false;
  let wake: (() => void) | undefined;
  const notify = (): void => {
    wake?.();
    wake = undefined;
  };
  const onAbort = (): void => {
    stream.end();
    notify();
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  stream.read({
    chunk(chunk) {
      waiting.push(chunk);
      notify();
    },
    end() {
      ended = true;
      notify();
    },
  });
  try {
    for (;;) {
      if (signal?.aborted) throw signal.reason;
      const chunk = waiting.shift();
      if (chunk !== undefined) yield chunk;
      else if (ended) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    signal?.removeEventListener('abort', onAbort);
    stream.end();
  }
}
