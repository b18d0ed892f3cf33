import type { HttpRequest, HttpResponse } from '@fairlead/control';
import type { RequestFailure } from '../failure.ts';
import { type ByteStream, chunksOf } from './stream.ts';

/** What the server answers: a body at once, or one that goes on arriving. */
export type Answer = UnaryAnswer | StreamAnswer;

export interface UnaryAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface StreamAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly stream: ByteStream;
}

const encoder = new TextEncoder();
const JSON_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-cache, private' };

export function jsonAnswer(status: number, json: string, warnings: readonly string[] = []): UnaryAnswer {
  const warning = [...new Set(warnings)].map((message) => `299 - ${JSON.stringify(message)}`).join(', ');
  const headers = warning === '' ? JSON_HEADERS : { ...JSON_HEADERS, warning };
  return { status, headers, body: `${json}\n` };
}

export function failureAnswer(failure: RequestFailure, warnings: readonly string[] = []): UnaryAnswer {
  if (failure.reason === 'PageNotFound') {
    const headers = { 'content-type': 'text/plain; charset=utf-8' };
    return { status: failure.code, headers, body: `${failure.message}\n` };
  }
  const answer = jsonAnswer(failure.code, JSON.stringify(failure.toStatus()), warnings);
  if (failure.retryAfterSeconds === undefined) return answer;
  return { ...answer, headers: { ...answer.headers, 'retry-after': String(failure.retryAfterSeconds) } };
}

export function streamAnswer(stream: ByteStream, warnings: readonly string[] = []): StreamAnswer {
  const { headers } = jsonAnswer(200, '', warnings);
  return { status: 200, headers, stream };
}

/** The answer as a transport hands it to its client. */
export function toResponse(answer: Answer, { method, signal }: Pick<HttpRequest, 'method' | 'signal'>): HttpResponse {
  const { status, headers } = answer;
  if ('stream' in answer) return { status, headers, body: chunksOf(answer.stream, signal) };
  return { status, headers, body: single(method === 'HEAD' ? '' : answer.body) };
}

async function* single(body: string): AsyncGenerator<Uint8Array, void, void> {
  yield encoder.encode(body);
}
