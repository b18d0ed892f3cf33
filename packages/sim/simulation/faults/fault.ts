import { type Random, randomInteger, randomPick } from '@fairlead/control';

/** What goes wrong with one outside call. Plain data, so that a run can be told again from a list. */
export type Fault =
  /** Never arrives, and no error tells: the caller has to lose patience. */
  | { readonly kind: 'lose-request' }
  /** Takes effect; the answer never comes. */
  | { readonly kind: 'lose-response' }
  /** The connection breaks before anything arrived. */
  | { readonly kind: 'reset-request' }
  /** Takes effect; the connection breaks before the answer. */
  | { readonly kind: 'reset-response' }
  | { readonly kind: 'delay'; readonly milliseconds: number }
  /** Overtaken by the next call of the same caller to the same server, or arrives after this long at the latest. */
  | { readonly kind: 'reorder'; readonly milliseconds: number }
  /** Arrives a second time, as when something on the way repeats it. */
  | { readonly kind: 'duplicate'; readonly milliseconds: number }
  /** Answered with an error, and without effect. */
  | { readonly kind: 'refuse'; readonly status: number; readonly retryAfterSeconds?: number }
  /** Takes effect, and is answered with an error. */
  | { readonly kind: 'misreport'; readonly status: number }
  /** The body breaks off: at once, or in the middle of the next piece, of which the fraction `keep` arrives. */
  | { readonly kind: 'cut'; readonly milliseconds: number; readonly keep?: number }
  /** The body falls silent, and the connection stays. */
  | { readonly kind: 'stall'; readonly milliseconds: number }
  /** The server itself ends a stream with an error in it. */
  | { readonly kind: 'stream-error'; readonly milliseconds: number; readonly status: number }
  /** The caller dies there, before or after the effect, and starts again later. */
  | { readonly kind: 'crash'; readonly side: Side; readonly milliseconds: number };

export type Side = 'before' | 'after';
export type FaultKind = Fault['kind'];

/** How likely each kind is for one call. */
export type FaultRates = Readonly<Partial<Record<FaultKind, number>>>;

/** What a kind of fault needs to know about a call. */
export interface FaultTarget {
  /** True for a response that does not end by itself. */
  readonly streaming: boolean;
  /** Whether something on the way may send it twice. */
  readonly repeatable: boolean;
  readonly write: boolean;
  /** Statuses with which this server may refuse it. */
  readonly refusals: readonly number[];
  /** Statuses of errors inside a stream. */
  readonly streamErrors: readonly number[];
}

/** A network on a bad day. */
export const ROUGH_RATES: FaultRates = {
  'lose-request': 0.01,
  'lose-response': 0.015,
  'reset-request': 0.02,
  'reset-response': 0.02,
  delay: 0.03,
  reorder: 0.03,
  duplicate: 0.01,
  refuse: 0.03,
  misreport: 0.01,
  cut: 0.15,
  stall: 0.04,
  'stream-error': 0.08,
};

const LONGEST_STREAM_FAULT_MILLISECONDS = 60_000;
/** The longest that a request or its repetition is on its way. */
export const LONGEST_DELAY_MILLISECONDS = 4000;

/** Statuses that leave open whether the write took effect. */
const UNCLEAR_STATUSES = [500, 502, 504] as const;

/** A fault of this kind with the rest drawn, or undefined where the kind makes no sense for the call. */
export function drawFault(kind: FaultKind, target: FaultTarget, random: Random): Fault | undefined {
  switch (kind) {
    case 'lose-request':
    case 'lose-response':
    case 'reset-request':
    case 'reset-response':
      return { kind };
    case 'delay':
    case 'reorder':
      return { kind, milliseconds: randomInteger(random, 50, LONGEST_DELAY_MILLISECONDS) };
    case 'duplicate':
      return target.repeatable
        ? { kind, milliseconds: randomInteger(random, 1, LONGEST_DELAY_MILLISECONDS) }
        : undefined;
    case 'refuse':
      return drawRefusal(target.refusals, random);
    case 'misreport':
      return target.write ? { kind, status: randomPick(random, UNCLEAR_STATUSES) } : undefined;
    case 'cut':
      return drawCut(target, random);
    case 'stall':
      return target.streaming ? { kind, milliseconds: drawStreamTime(random) } : undefined;
    case 'stream-error': {
      if (!target.streaming || target.streamErrors.length === 0) return undefined;
      return { kind, milliseconds: drawStreamTime(random), status: randomPick(random, target.streamErrors) };
    }
    case 'crash': {
      const side = random.next() < 0.5 ? 'before' : 'after';
      return { kind, side, milliseconds: randomInteger(random, 1, 5000) };
    }
  }
}

function drawRefusal(statuses: readonly number[], random: Random): Fault | undefined {
  if (statuses.length === 0) return undefined;
  const status = randomPick(random, statuses);
  if (status !== 429 && status !== 503) return { kind: 'refuse', status };
  const retryAfterSeconds = randomInteger(random, 0, 5);
  return retryAfterSeconds === 0 ? { kind: 'refuse', status } : { kind: 'refuse', status, retryAfterSeconds };
}

function drawCut(target: FaultTarget, random: Random): Fault {
  const milliseconds = target.streaming ? drawStreamTime(random) : 0;
  const inTheMiddle = random.next() < 0.5;
  return inTheMiddle || !target.streaming
    ? { kind: 'cut', milliseconds, keep: random.next() }
    : { kind: 'cut', milliseconds };
}

/** Short times are as likely as long ones: most of what can go wrong does so at the beginning. */
function drawStreamTime(random: Random): number {
  return Math.floor(LONGEST_STREAM_FAULT_MILLISECONDS ** random.next());
}

/** The fault in a few words. */
export function describeFault(fault: Fault): string {
  switch (fault.kind) {
    case 'lose-request':
    case 'lose-response':
    case 'reset-request':
    case 'reset-response':
      return fault.kind;
    case 'delay':
    case 'duplicate':
    case 'reorder':
    case 'stall':
      return `${fault.kind} ${fault.milliseconds} ms`;
    case 'refuse':
      return `refuse ${fault.status}${fault.retryAfterSeconds === undefined ? '' : ` for ${fault.retryAfterSeconds} s`}`;
    case 'misreport':
      return `misreport ${fault.status}`;
    case 'cut':
      return `cut after ${fault.milliseconds} ms${fault.keep === undefined ? '' : `, ${fault.keep.toFixed(2)} of a piece`}`;
    case 'stream-error':
      return `stream-error ${fault.status} after ${fault.milliseconds} ms`;
    case 'crash':
      return `crash ${fault.side} the effect, back after ${fault.milliseconds} ms`;
  }
}
