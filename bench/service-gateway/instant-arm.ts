import { type Clock, type HttpRequest, type HttpResponse, type HttpTransport } from '@fairlead/control';

/**
 * Stands for Azure where processor time is measured: says yes to everything after the same delay as the peer's
 * stand-in, and keeps nothing, so that what is measured is the engine.
 */
export class InstantArm implements HttpTransport {
  readonly #clock: Clock;
  latencyMilliseconds = 0;
  writes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Does not listen to the signal, as nothing is given up here: the peer's stand-in only waits, too. */
  send(request: HttpRequest): Promise<HttpResponse> {
    this.writes += 1;
    const response = { status: 200, headers: {}, body: inOnePiece(answerTo(request)) };
    if (this.latencyMilliseconds === 0) return Promise.resolve(response);
    return new Promise((resolve) => {
      this.#clock.setTimer(this.latencyMilliseconds, () => resolve(response));
    });
  }
}

/** A PUT is answered with what was put, as Azure does: with an id, and a public IP address with an address. */
function answerTo({ method, url, body = '' }: HttpRequest): string {
  if (method !== 'PUT') return '';
  const { pathname } = new URL(url);
  const name = pathname.slice(pathname.lastIndexOf('/') + 1);
  return body
    .replace('{', `{"id":"${pathname}","name":"${name}",`)
    .replace('"properties":{', '"properties":{"ipAddress":"198.18.0.1",');
}

async function* inOnePiece(text: string): AsyncGenerator<Uint8Array> {
  if (text !== '') yield Buffer.from(text);
}
