import type { Clock } from '@fairlead/control';

/** Which calls a fault is for; what is left open matches everything. Kinds are spelled as in the log. */
export interface FaultMatch {
  readonly method?: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  readonly kind?: string;
  readonly name?: string;
}

/** How a Retry-After header may be spelled, or misspelled. */
export type RetryAfterForm = 'seconds' | 'date' | 'absent' | 'garbage';

export type ScriptedFault =
  /** Answered with an error, without effect. */
  | {
      readonly kind: 'refuse';
      readonly status: number;
      readonly code?: string;
      readonly message?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Accepted; the operation ends in failure. */
  | { readonly kind: 'fail-operation'; readonly code: string; readonly message?: string }
  /** The connection breaks before anything arrived. */
  | { readonly kind: 'lose-request' }
  /** Takes effect; the connection breaks before the answer. */
  | { readonly kind: 'lose-response' }
  /** Takes effect, and is answered with an error. */
  | { readonly kind: 'misreport'; readonly status: number }
  /** Never answered, without effect. */
  | { readonly kind: 'hang' }
  | { readonly kind: 'delay'; readonly milliseconds: number };

interface Scripted {
  readonly match: FaultMatch;
  readonly fault: ScriptedFault;
  left: number;
}

interface Storm {
  readonly match: FaultMatch;
  readonly endsAt: number;
  readonly form: RetryAfterForm;
}

/** What is to go wrong, call by call. The first entry that matches is used up first. */
export class FaultScript {
  readonly #clock: Clock;
  #scripted: Scripted[] = [];
  #storms: Storm[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The next `times` calls that match meet this fault. */
  next(match: FaultMatch, fault: ScriptedFault, times = 1): void {
    this.#scripted.push({ match, fault, left: times });
  }

  /** For this long, calls that match are throttled; Retry-After names the end of it. */
  throttle(match: FaultMatch, milliseconds: number, form: RetryAfterForm = 'seconds'): void {
    this.#storms.push({ match, endsAt: this.#clock.monotonic() + milliseconds, form });
  }

  clear(): void {
    this.#scripted = [];
    this.#storms = [];
  }

  /** How many scripted faults have not been met yet. */
  get left(): number {
    return this.#scripted.reduce((sum, { left }) => sum + left, 0);
  }

  /** The fault for this call, which is thereby used up. */
  take(call: Required<FaultMatch>): ScriptedFault | undefined {
    const now = this.#clock.monotonic();
    this.#storms = this.#storms.filter(({ endsAt }) => endsAt > now);
    const storm = this.#storms.find(({ match }) => matches(match, call));
    if (storm !== undefined) return this.#throttled(storm);
    const scripted = this.#scripted.find(({ match }) => matches(match, call));
    if (scripted === undefined) return undefined;
    scripted.left -= 1;
    if (scripted.left <= 0) this.#scripted = this.#scripted.filter((other) => other !== scripted);
    return scripted.fault;
  }

  #throttled({ endsAt, form }: Storm): ScriptedFault {
    const left = endsAt - this.#clock.monotonic();
    const headers = retryAfterHeaders(form, left, this.#clock.now());
    return { kind: 'refuse', status: 429, code: 'TooManyRequests', message: 'Too many requests.', headers };
  }
}

/** The header that asks to come back in so many milliseconds, counted from `now` (wall time). */
function retryAfterHeaders(form: RetryAfterForm, milliseconds: number, now: number): Readonly<Record<string, string>> {
  switch (form) {
    case 'seconds':
      return { 'retry-after': String(Math.ceil(milliseconds / 1000)) };
    case 'date':
      return { 'retry-after': new Date(Math.ceil((now + milliseconds) / 1000) * 1000).toUTCString() };
    case 'garbage':
      return { 'retry-after': 'in a while' };
    case 'absent':
      return {};
  }
}

function matches(match: FaultMatch, call: Required<FaultMatch>): boolean {
  if (match.method !== undefined && match.method !== call.method) return false;
  if (match.kind !== undefined && match.kind !== call.kind) return false;
  return match.name === undefined || match.name === call.name;
}
