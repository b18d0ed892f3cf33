/**
 * HTTP as Fairlead's clients see it: one request, one response whose body arrives in pieces. The real transport
 * is an adapter over sockets; a simulation answers in process.
 */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';
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

/** The whole body as text. */
export async function readText(response: HttpResponse): Promise<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let text = '';
  for await (const piece of response.body) {
    decoder ??= new TextDecoder();
    text += decoder.decode(piece, { stream: true });
  }
  return decoder === undefined ? text : text + decoder.decode();
}
