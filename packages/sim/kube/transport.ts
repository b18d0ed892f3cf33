import type { Clock, HttpRequest, HttpResponse, HttpTransport } from '@fairlead/control';
import { type Answer, toResponse } from './server/answer.ts';
import { ByteStream } from './server/stream.ts';

export interface TransportOptions {
  /** The clock of the client's process: nothing arrives while it stands still. The server's own unless told otherwise. */
  readonly clock?: Clock;
  /** Milliseconds that a request needs to get to the server, and its answer to get back. */
  readonly latency?: (request: HttpRequest) => number;
}

const DEFAULT_LATENCY_MILLISECONDS = 1;

/** A way to the simulated server that needs no sockets and no time but the simulated one. */
export function inProcessTransport(
  handle: (request: HttpRequest) => Answer,
  serverClock: Clock,
  options: TransportOptions,
): HttpTransport {
  const { clock = serverClock, latency = () => DEFAULT_LATENCY_MILLISECONDS } = options;
  return {
    send(request) {
      const { signal } = request;
      return new Promise<HttpResponse>((resolve, reject) => {
        if (signal?.aborted) {
          reject(signal.reason);
          return;
        }
        const onAbort = (): void => reject(signal?.reason);
        signal?.addEventListener('abort', onAbort, { once: true });
        serverClock.setTimer(latency(request), () => {
          const answer = handle(request);
          clock.setTimer(latency(request), () => {
            signal?.removeEventListener('abort', onAbort);
            if (signal?.aborted && 'stream' in answer) answer.stream.end();
            else
              resolve(
                toResponse(
                  delayed(answer, clock, () => latency(request)),
                  request,
                ),
              );
          });
        });
      });
    },
  };
}

/** A stream whose pieces take their time. Pieces that are under way together arrive together. */
function delayed(answer: Answer, clock: Clock, latency: () => number): Answer {
  if (!('stream' in answer)) return answer;
  const source = answer.stream;
  const arrived = new ByteStream(() => source.end());
  let travelling: Uint8Array[] = [];
  let ending = false;
  let scheduled = false;
  const schedule = (): void => {
    if (scheduled) return;
    scheduled = true;
    clock.setTimer(latency(), () => {
      scheduled = false;
      const pieces = travelling;
      travelling = [];
      for (const piece of pieces) arrived.push(piece);
      if (ending) arrived.end();
    });
  };
  source.read({
    chunk(piece) {
      travelling.push(piece);
      schedule();
    },
    end() {
      ending = true;
      schedule();
    },
  });
  return { ...answer, stream: arrived };
}
