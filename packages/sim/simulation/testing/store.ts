import type { HttpRequest, HttpResponse, HttpTransport } from '@fairlead/control';
import { pathOf } from '../network/dialect.ts';

const encoder = new TextEncoder();

/** One line of a watch. */
export interface StoreEvent {
  readonly key: string;
  /** Absent when it was removed. */
  readonly value?: string;
  readonly version: number;
}

/**
 * The smallest server worth simulating: values under keys. `PUT /key` sets, `POST /key` makes a new one each time,
 * `DELETE /key` removes, `GET /key` reads, `GET /` lists, and `GET /` as a stream sends every change as a line.
 */
export class Store implements HttpTransport {
  readonly values = new Map<string, string>();
  /** Every write that took effect, in order. */
  readonly log: string[] = [];
  readonly #watchers = new Set<(event: StoreEvent) => void>();
  #version = 0;
  #made = 0;

  get watchers(): number {
    return this.#watchers.size;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const key = pathOf(request.url).slice(1);
    const { method, body = '' } = request;
    if (method === 'PUT') return this.#write(key, body);
    if (method === 'DELETE') return this.#write(key, undefined);
    if (method === 'POST') {
      this.#made += 1;
      return this.#write(`${key}-${this.#made}`, body);
    }
    if (request.streaming === true) return answer(200, this.#watch(request.signal));
    if (key === '') return answer(200, once(JSON.stringify([...this.values])));
    const value = this.values.get(key);
    return value === undefined ? answer(404, once('')) : answer(200, once(value));
  }

  #write(key: string, value: string | undefined): HttpResponse {
    if (value === undefined) this.values.delete(key);
    else this.values.set(key, value);
    this.log.push(value === undefined ? `-${key}` : `${key}=${value}`);
    this.#version += 1;
    const event = { key, version: this.#version, ...(value === undefined ? {} : { value }) };
    for (const watcher of this.#watchers) watcher(event);
    return answer(200, once(key));
  }

  async *#watch(signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
    const waiting: StoreEvent[] = [];
    let wake = () => {};
    const watcher = (event: StoreEvent) => {
      waiting.push(event);
      wake();
    };
    signal?.addEventListener('abort', () => wake());
    this.#watchers.add(watcher);
    try {
      for (;;) {
        if (signal?.aborted === true) return;
        for (const event of waiting.splice(0)) yield encoder.encode(`${JSON.stringify(event)}\n`);
        if (waiting.length > 0) continue;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      this.#watchers.delete(watcher);
    }
  }
}

function answer(status: number, body: AsyncIterable<Uint8Array>): HttpResponse {
  return { status, headers: {}, body };
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield encoder.encode(text);
}
