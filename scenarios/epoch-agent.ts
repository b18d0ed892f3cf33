import type { HttpRequest, HttpResponse, HttpTransport } from '@fairlead/control';

const encoder = new TextEncoder();

/** What a leader gives orders to, by `PUT /<epoch>`: obeys the highest epoch it knows and refuses older ones. */
export class EpochAgent implements HttpTransport {
  readonly #onOrder: (epoch: number) => void;
  #highestEpoch = 0;

  /** `onOrder` is told of every order, also of those that are refused. */
  constructor(onOrder: (epoch: number) => void) {
    this.#onOrder = onOrder;
  }

  get highestEpoch(): number {
    return this.#highestEpoch;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const epoch = Number(new URL(request.url).pathname.slice(1));
    this.#onOrder(epoch);
    if (epoch < this.#highestEpoch) return this.#answer(409);
    this.#highestEpoch = epoch;
    return this.#answer(200);
  }

  #answer(status: number): HttpResponse {
    return { status, headers: {}, body: pieces(encoder.encode(String(this.#highestEpoch))) };
  }
}

async function* pieces(piece: Uint8Array): AsyncGenerator<Uint8Array> {
  yield piece;
}
