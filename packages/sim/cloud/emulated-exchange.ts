import { type Clock, FairleadError, type HttpRequest, type HttpResponse, type Random, sleep } from '@fairlead/control';
import type { JsonObject } from '../json.ts';
import type { CallLog } from './call-log.ts';
import type { FaultMatch, FaultScript, ScriptedFault } from './fault-script.ts';
import { drawSpan, type Span } from './span.ts';

/** What a cloud answers to a request, before it travels. */
export interface EmulatedAnswer {
  readonly status: number;
  /** Asked when the answer arrives, so that ids in it are drawn in the order in which clients see them. */
  readonly headers: () => Readonly<Record<string, string>>;
  /** Empty when there is none. */
  readonly text: string;
  /** The request's, for the log. */
  readonly requestBody: JsonObject | undefined;
  /** The cloud's word for a refusal. */
  readonly code?: string | undefined;
}

export interface EmulatedExchange {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: CallLog;
  readonly faults: FaultScript;
  /** The time a call is on its way: half of it before the effect, half after. */
  readonly latency: Span;
  readonly call: { readonly kind: string; readonly name: string; readonly correlationId?: string | undefined };
  /** Takes effect. What faults it knows of its own, it heeds. */
  readonly answer: (fault: ScriptedFault | undefined) => EmulatedAnswer;
}

/** One request to an emulated cloud, with the time it takes and what goes wrong with it, written down in its log. */
export async function exchange(request: HttpRequest, how: EmulatedExchange): Promise<HttpResponse> {
  const { clock, random, log, faults, call } = how;
  const { signal } = request;
  signal?.throwIfAborted();
  const latency = drawSpan(how.latency, random);
  const fault = faults.take({ method: methodOf(request), kind: call.kind, name: call.name });
  const before = latency / 2 + (fault?.kind === 'delay' ? fault.milliseconds : 0);
  if (before > 0) await sleep(clock, before, signal);
  const record = (outcome: number | 'lost' | 'hung', body: JsonObject | undefined, code?: string) => {
    const { kind, name, correlationId } = call;
    const about = { at: clock.monotonic(), method: request.method, kind, name, body, correlationId, outcome };
    log.record({ ...about, ...(code === undefined ? {} : { code }) });
  };
  const { origin } = new URL(request.url);
  if (fault?.kind === 'lose-request') throw connectionReset(origin);
  if (fault?.kind === 'hang') {
    record('hung', undefined);
    return await untilAborted(signal);
  }
  const { status, headers, text, requestBody, code } = how.answer(fault);
  const isLost = fault?.kind === 'lose-response';
  record(isLost ? 'lost' : status, requestBody, code);
  if (latency > 0) await sleep(clock, latency / 2, signal);
  if (isLost) throw connectionReset(origin);
  return { status, headers: headers(), body: piecesOf(text) };
}

function methodOf({ method }: HttpRequest): NonNullable<FaultMatch['method']> {
  return method === 'HEAD' || method === 'OPTIONS' ? 'GET' : method;
}

function connectionReset(origin: string): FairleadError {
  const message = `cannot talk to ${origin}: the connection broke off before the response was complete`;
  return new FairleadError(message, { verdict: 'retriable', code: 'connection-reset' });
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  if (text !== '') yield new TextEncoder().encode(text);
}
