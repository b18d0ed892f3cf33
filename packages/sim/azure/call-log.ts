import { type JsonObject, listOf, textOf, valueAt } from '../json.ts';

/** One call, in the order in which it reached Azure. */
export interface LoggedCall {
  /** On the monotonic clock. */
  readonly at: number;
  readonly method: string;
  /** Of the resource; the action or table of a gateway; `operations` for polling. */
  readonly kind: string;
  /** Empty for a list of resources. */
  readonly name: string;
  readonly body: JsonObject | undefined;
  readonly correlationId: string | undefined;
  /** The status answered; or why the client heard none. */
  readonly outcome: number | 'lost' | 'hung';
  /** Azure's word for a refusal. */
  readonly code?: string;
}

/** More calls than this, and the oldest are forgotten. */
const KEPT = 100_000;

/** The calls Azure has seen. */
export class CallLog {
  readonly #calls: LoggedCall[] = [];
  readonly #counts = new Map<string, number>();

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

  /** How often a kind was called, such as `PUT publicIPAddresses`; without it, all calls. */
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
    return calls.map(lineOf);
  }

  /** Forgets everything, as between two phases of a test. */
  clear(): void {
    this.#calls.length = 0;
    this.#counts.clear();
  }
}

/** `PUT publicIPAddresses/web-pip 201`, and what the actions of a gateway changed. */
export function lineOf(call: LoggedCall): string {
  const target = call.name === '' ? call.kind : `${call.kind}/${call.name}`;
  const code = call.code === undefined ? '' : ` ${call.code}`;
  return `${call.method} ${target} ${call.outcome}${code}${detailOf(call)}`;
}

function detailOf({ kind, body }: LoggedCall): string {
  if (kind === 'updateServices') {
    const requests = listOf(body?.['serviceRequests']).map((request) => {
      const name = textOf(valueAt(request, 'service', 'name'));
      return valueAt(request, 'isDelete') === true ? `-${name}` : `+${name}`;
    });
    return `: ${requests.join(' ')}`;
  }
  if (kind === 'updateAddressLocations') return `: ${listOf(body?.['addressLocations']).map(locationText).join('; ')}`;
  return '';
}

function locationText(location: Parameters<typeof valueAt>[0]): string {
  const addresses = listOf(valueAt(location, 'addresses')).map((entry) => {
    const services = listOf(valueAt(entry, 'services')).map(textOf);
    const address = textOf(valueAt(entry, 'address'));
    return services.length === 0 ? `-${address}` : `${address}=${services.join(',')}`;
  });
  const where = textOf(valueAt(location, 'addressLocation'));
  return addresses.length === 0 ? `-${where}` : `${where}[${addresses.join(' ')}]`;
}
