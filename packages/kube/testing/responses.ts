import type { HttpResponse } from '@fairlead/control';

/** A response whose body, text or an object sent as JSON, arrives in one piece. */
export function response(status: number, body: unknown = '', headers: Record<string, string> = {}): HttpResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, headers, body: pieces([new TextEncoder().encode(text)]) };
}

async function* pieces(list: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* list;
}
