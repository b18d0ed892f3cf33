import type { HttpRequest, HttpResponse, HttpTransport } from '@fairlead/control';

/** What somebody has in the cloud. */
export interface CloudRecord {
  readonly owner: string;
  readonly address: string;
}

const encoder = new TextEncoder();

/** Records under names: `PUT /name` makes or replaces one, `POST /` makes one under a name of its own, `DELETE /name`. */
export class ToyCloud implements HttpTransport {
  readonly records = new Map<string, CloudRecord>();
  #made = 0;

  async send(request: HttpRequest): Promise<HttpResponse> {
    const name = new URL(request.url).pathname.slice(1);
    if (request.method === 'GET') return answer(JSON.stringify([...this.records]));
    if (request.method === 'DELETE') {
      this.records.delete(name);
      return answer('');
    }
    this.#made += 1;
    this.records.set(name === '' ? `record-${this.#made}` : name, JSON.parse(request.body ?? '{}'));
    return answer('');
  }
}

function answer(text: string): HttpResponse {
  return { status: 200, headers: {}, body: pieces(encoder.encode(text)) };
}

async function* pieces(piece: Uint8Array): AsyncGenerator<Uint8Array> {
  yield piece;
}
