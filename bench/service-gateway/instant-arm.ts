import type { Clock, HttpRequest, HttpResponse, HttpTransport } from '@fairlead/control';

/**
 * Stands for Azure where processor time is measured: says yes to everything after the same delay as the peer's
 * stand-in, and keeps nothing, so that what is measured is the engine.
 */
export class InstantArm implements HttpTransport {
  readonly #clock: Clock;
  /** When they are due -> answers that have not been given yet. */
  readonly #answers = new Map<number, (() => void)[]>();
  latencyMilliseconds = 0;
  writes = 0;
  #onAnswer: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves with the next answer that is given at once. */
  nextAnswer(): Promise<void> {
    return new Promise((resolve) => (this.#onAnswer = resolve));
  }

  /** Does not listen to the signal, as nothing is given up here: the peer's stand-in only waits, too. */
  send(request: HttpRequest): Promise<HttpResponse> {
    this.writes += 1;
    const response = answerTo(request);
    if (this.latencyMilliseconds === 0) {
      this.#onAnswer?.();
      return Promise.resolve(response);
    }
    return new Promise((resolve) => this.#answerLater(() => resolve(response)));
  }

  /** All answers of one millisecond come together, as they do when sockets are polled. */
  #answerLater(answer: () => void): void {
    const now = this.#clock.monotonic();
    const dueAt = Math.ceil(now + this.latencyMilliseconds);
    const together = this.#answers.get(dueAt);
    if (together !== undefined) {
      together.push(answer);
      return;
    }
    const answers = [answer];
    this.#answers.set(dueAt, answers);
    this.#clock.setTimer(dueAt - now, () => {
      this.#answers.delete(dueAt);
      for (const each of answers) each();
    });
  }
}

const DONE = Promise.resolve({ done: true, value: undefined } as const);
const NOTHING: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => ({ next: () => DONE }) };

/** A PUT is answered with what was put, as Azure does: with an id, and a public IP address with an address. */
function answerTo({ method, url, body = '' }: HttpRequest): HttpResponse {
  if (method !== 'PUT') return { status: 200, headers: {}, body: NOTHING };
  const { pathname } = new URL(url);
  const name = pathname.slice(pathname.lastIndexOf('/') + 1);
  const text = body
    .replace('{', `{"id":"${pathname}","name":"${name}",`)
    .replace('"properties":{', '"properties":{"ipAddress":"198.18.0.1",');
  return { status: 200, headers: {}, body: inOnePiece(text) };
}

async function* inOnePiece(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
