import { FairleadError } from '../errors.ts';

/**
 * HTTP as Fairlead's clients see it: one request, one response whose body arrives in pieces. The real transport
 * is an adapter over sockets; a simulation answers in process.
 */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';
  /** Absolute, with the query string. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Those that come several times, with a line for each value. */
  readonly repeatedHeaders?: Readonly<Record<string, readonly string[]>>;
  readonly body?: string;
  /** Ends the request, or the body that is still arriving. */
  readonly signal?: AbortSignal;
  /** A response that never ends by itself, such as a watch: it may stay silent, and never holds up a write. */
  readonly streaming?: boolean;
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case; repeated headers joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body in the pieces in which it arrives. Iterate once; leaving the loop early closes the connection. */
  readonly body: AsyncIterable<Uint8Array>;
}

export interface HttpTransport {
  /**
   * Resolves when the head of the response is there, whatever its status. Rejects with a FairleadError when no response
   * came, terminal where only a change of configuration helps, else retriable; and with the signal's reason on abort.
   */
  send(request: HttpRequest): Promise<HttpResponse>;
}

/** Far more than any answer that is read as a whole. */
const LONGEST_TEXT_BYTES = 256 * 1024 * 1024;

/** The whole body as text. Rejects when it has more bytes than this, which are not read. */
export async function readText(response: HttpResponse, maximumBytes = LONGEST_TEXT_BYTES): Promise<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let text = '';
  let bytes = 0;
  for await (const piece of response.body) {
    bytes += piece.length;
    if (bytes > maximumBytes) throw answerTooLarge('the answer', maximumBytes);
    decoder ??= new TextDecoder();
    text += decoder.decode(piece, { stream: true });
  }
  return decoder === undefined ? text : text + decoder.decode();
}

/** What a server sends without end must not take all memory. */
export function answerTooLarge(what: string, maximumBytes: number): FairleadError {
  return new FairleadError(`${what} has more than ${maximumBytes} bytes: the rest was not read`, {
    verdict: 'terminal',
    code: 'answer-too-large',
  });
}
