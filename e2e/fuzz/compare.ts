import { type TranscriptEntry, valueAt } from '@fairlead/sim/kube/contract';
import { KNOWN_DIFFERENCES, type KnownDifference } from './known-differences.ts';
import type { FuzzRequest } from './request.ts';

/** An answer in which the simulated server is not like the real one. */
export interface Difference {
  readonly index: number;
  readonly request: FuzzRequest;
  readonly simulated: TranscriptEntry | undefined;
  readonly real: TranscriptEntry | undefined;
}

/** The first of them; later ones often follow from it. */
export function firstDifference(
  requests: readonly FuzzRequest[],
  simulated: readonly TranscriptEntry[],
  real: readonly TranscriptEntry[],
): Difference | undefined {
  const [simulatedTold, realTold] = [told(simulated), told(real)];
  const index = requests.findIndex((_, place) => simulatedTold[place] !== realTold[place]);
  const request = requests[index];
  return request === undefined ? undefined : { index, request, simulated: simulated[index], real: real[index] };
}

/** Refusals of what makes no sense. */
const SENSELESS = [400, 406, 413, 415, 422, 500];

/**
 * What is compared: all of an answer, but of a refusal of what makes no sense only that it is one. Because refusals
 * may name what others do not, uids and the like are counted anew.
 */
function told(entries: readonly TranscriptEntry[]): readonly string[] {
  const counts = new Map<string, number>();
  const known = new Map<string, string>();
  return entries.map(essence).map((text) =>
    text.replaceAll(/\b(uid|rv|ip|port)-\d+\b/g, (token, kind: string) => {
      const before = known.get(token);
      if (before !== undefined) return before;
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      known.set(token, `${kind}-${count}`);
      return `${kind}-${count}`;
    }),
  );
}

function essence(entry: TranscriptEntry): string {
  if (entry.status === undefined || !SENSELESS.includes(entry.status)) return JSON.stringify(entry);
  const { status, body, events } = entry;
  return JSON.stringify({ status, reason: valueAt(body ?? events?.[0] ?? null, 'reason') });
}

/** Why the two may differ here; undefined when they may not. */
export function knownDifference(difference: Difference): KnownDifference | undefined {
  return KNOWN_DIFFERENCES.find((known) => known.explains(difference));
}

/** The same for differences that probably have the same cause. */
export function signatureOf({ request, simulated, real }: Difference): string {
  const path = request.path
    .replace(/\?.*$/, '')
    .replace(/^\/apis?\/(.*\/)?namespaces\/<ns>\//, '')
    .replace(/\/[^/]+(?=$|\/(status|scale|finalize)$)/, '/NAME');
  const type = request.contentType?.replace(/^application\//, '') ?? '';
  const message = JSON.stringify(real?.body ?? null).match(/"message":"((?:[^"\\]|\\.)*)"/)?.[1] ?? '';
  const vague = message
    .replaceAll(/\\"[^"]*\\"/g, 'Q')
    .replaceAll(/\d+/g, '0')
    .slice(0, 120);
  return [request.method, path, type, `${simulated?.status}/${real?.status}`, placeOf(simulated, real), vague].join(
    ' ',
  );
}

/** Where two values begin to differ. */
function placeOf(left: unknown, right: unknown, depth = 0): string {
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null || depth > 6) return '';
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const [one, other]: unknown[] = [Reflect.get(left, name), Reflect.get(right, name)];
    if (JSON.stringify(one) === JSON.stringify(other)) continue;
    return `.${Array.isArray(left) ? '#' : name}${placeOf(one, other, depth + 1)}`;
  }
  return '';
}
