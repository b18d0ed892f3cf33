import type { JsonObject } from '../json.ts';

/** One call, in the order in which it reached the cloud. */
export interface LoggedCall {
  /** On the monotonic clock. */
  readonly at: number;
  readonly method: string;
  /** Of the resource, or of what else is called. */
  readonly kind: string;
  /** Empty for a list of resources. */
  readonly name: string;
  readonly body: JsonObject | undefined;
  readonly correlationId: string | undefined;
  /** The status answered; or why the client heard none. */
  readonly outcome: number | 'lost' | 'hung';
  /** The cloud's word for a refusal. */
  readonly code?: string;
}

/** More calls than this, and the oldest are forgotten. */
const KEPT = 100_000;

/** The calls that an emulated cloud has seen. */
export class CallLog {
  readonly #calls: LoggedCall[] = [];
  readonly #counts = new Map<string, number>();
  readonly #lineOf: (call: LoggedCall) => string;

  /** `lineOf` says in a line what a call did. */
  constructor(lineOf: (call: LoggedCall) => string) {
    this.#lineOf = lineOf;
  }

  record(call: LoggedCall): void {
    this.#calls.push(call);
    if (this.#calls.length >= 2 * KEPT) this.#calls.splice(0, KEPT);
    const key = `${call.method} ${call.kind}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  get calls(): readonly LoggedCall[] {
    return this.#calls;
  }

  /** Everything but reads. */
  get writes(): readonly LoggedCall[] {
    return this.#calls.filter(({ method }) => method !== 'GET');
  }

  /** How often a kind was called, such as `PUT ports`; without it, all calls. */
  count(method?: string, kind?: string): number {
    let sum = 0;
    for (const [key, count] of this.#counts) {
      const [countedMethod, countedKind] = key.split(' ');
      if (method !== undefined && method !== countedMethod) continue;
      if (kind === undefined || kind === countedKind) sum += count;
    }
    return sum;
  }

  /** One line for each write that took effect or was refused, as a sequence diagram would have it. */
  lines(calls: readonly LoggedCall[] = this.writes): readonly string[] {
    return calls.map((call) => this.#lineOf(call));
  }

  /** Forgets everything, as between two phases of a test. */
  clear(): void {
    this.#calls.length = 0;
    this.#counts.clear();
  }
}

/** `PUT ports/web 200`. */
export function callLine({ method, kind, name, outcome, code }: LoggedCall): string {
  const target = name === '' ? kind : `${kind}/${name}`;
  return `${method} ${target} ${outcome}${code === undefined ? '' : ` ${code}`}`;
}
