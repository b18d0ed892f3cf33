import type { HttpRequest, StepRecord } from '@fairlead/control';

/** `LIST` and `POLL` are reads, too: of many resources, and of how far the cloud is with a write. */
export type CallVerb = 'GET' | 'LIST' | 'PUT' | 'DELETE' | 'POST' | 'POLL';

export function isWrite(verb: CallVerb): boolean {
  return verb !== 'GET' && verb !== 'LIST' && verb !== 'POLL';
}

/** What the caller of a cloud may say about a call. */
export interface CloudCallOptions {
  /** Ends the call; it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** For the whole call: throttling, repetitions and the operation that the cloud is at afterwards included. */
  readonly deadlineMilliseconds?: number;
  /** While the cloud throttles: `wait` until it is over (the default), or be refused at once with a retriable error. */
  readonly throttle?: 'wait' | 'refuse';
  /** Where each request is written down. */
  readonly record?: StepRecord;
}

/** One request to a cloud, and what belongs to the call it is made for. */
export interface CloudRequest {
  readonly verb: CallVerb;
  /** Of the resource; one of few, as it labels metrics. */
  readonly kind: string;
  /** Which resource: its name, or that of what it is in. */
  readonly subject: string;
  readonly method: HttpRequest['method'];
  /** Absolute. */
  readonly url: string;
  /** What the cloud counts requests by when it throttles, in any spelling. */
  readonly account: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly throttle: 'wait' | 'refuse';
  /** Not repeated when its answer is lost: where the cloud chooses the name, a second creation makes a second thing. */
  readonly isSentOnce?: boolean;
  /** Whether the call may have taken effect by something that was sent before. */
  readonly mayHaveTakenEffect?: boolean;
  readonly record?: StepRecord | undefined;
}

export interface CloudAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded; undefined when there was none. */
  readonly body: unknown;
  /** Whether an attempt before the one that was answered may have taken effect by itself. */
  readonly mayHaveTakenEffect?: boolean;
}

/** One request to a cloud, just before it leaves. */
export interface CloudCall {
  readonly verb: CallVerb;
  readonly kind: string;
  /** The same for every resource: `PUT publicIPAddresses`. Tests, journal and metrics refer to it. */
  readonly name: string;
  readonly subject: string;
  /** The request is given up after this. */
  readonly deadlineMilliseconds: number;
}

/** Verb, kind and name: the beginning of every message about a call. */
export function what({ verb, kind, subject }: Pick<CloudRequest, 'verb' | 'kind' | 'subject'>): string {
  return `${verb} ${kind}/${subject}`;
}
