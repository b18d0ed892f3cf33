import type { Journal } from '@fairlead/control';
import type { Explanation, Standing, Subject } from '@fairlead/part';
import type { PrometheusMetrics } from '../observability/metrics.ts';
import type { ReadinessBoard } from '../observability/readiness.ts';
import type { JournalGuard } from './journal-guard.ts';
import { type Answer, type Caller, json, type Route, text } from './router.ts';

/** What the status server tells about. */
export interface Served {
  /** The UID of the cluster's kube-system namespace; empty when we may not read it. */
  readonly clusterId: () => Promise<string>;
  readonly readiness: ReadinessBoard;
  readonly metrics: PrometheusMetrics;
  /** part name -> its journal */
  readonly journals: ReadonlyMap<string, Journal>;
  readonly guard: JournalGuard;
  readonly standing: (part: string) => Standing;
  /** Undefined when the part has nothing to do with it. */
  readonly explain: (part: string, subject: Subject) => Promise<Explanation | undefined>;
}

/** To explain reads the whole cluster anew. */
const MOST_EXPLANATIONS_AT_ONCE = 2;

export function statusRoutes(served: Served): ReadonlyMap<string, Route> {
  let explaining = 0;
  return new Map<string, Route>([
    ['/healthz', async () => text(200, 'ok')],
    ['/readyz', async (part) => readyz(served.readiness, part)],
    [
      '/metrics',
      async () => ({ status: 200, contentType: served.metrics.contentType, body: await served.metrics.text() }),
    ],
    ['/debug/journal', (rest, caller) => journal(served, rest, caller)],
    [
      '/debug/why',
      async (rest, caller) => {
        const { part, subject } = parsePath(rest);
        if (subject === undefined) return text(404, 'name what you ask about: /debug/why/PART/KIND/NAMESPACE/NAME');
        // First: who may not ask keeps none waiting who may.
        const refusal = await served.guard.refusal(caller, subject);
        if (refusal !== undefined) return refusal;
        if (explaining >= MOST_EXPLANATIONS_AT_ONCE) return text(429, 'too many ask at once; try again in a second');
        explaining += 1;
        try {
          return await why(served, part, subject);
        } finally {
          explaining -= 1;
        }
      },
    ],
  ]);
}

function readyz(readiness: ReadinessBoard, part: string): Answer {
  if (part === '') {
    const lines = readiness.parts.map((name) => lineOf(name, readiness));
    return text(readiness.overall.ready ? 200 : 503, lines.join('\n'));
  }
  const state = readiness.of(part);
  if (state === undefined) return text(404, `no part named ${part} runs here; there is ${readiness.parts.join(', ')}`);
  return text(state.ready ? 200 : 503, lineOf(part, readiness));
}

function lineOf(part: string, readiness: ReadinessBoard): string {
  const state = readiness.of(part);
  return state === undefined || state.ready ? `${part}: ready` : `${part}: not ready: ${state.reason}`;
}

/** `/debug/journal`: the objects there are entries of; `/debug/journal/PART/KIND/NAMESPACE/NAME`: those of one. */
async function journal(served: Served, rest: string, caller: Caller): Promise<Answer> {
  const { journals, guard } = served;
  const { part, subject } = parsePath(rest);
  const refusal = await guard.refusal(caller, subject);
  if (refusal !== undefined) return refusal;
  if (part === '') return json(Object.fromEntries([...journals].map(([known, entries]) => [known, entries.keys()])));
  const found = journals.get(part);
  if (found === undefined) return noSuchPart(served, part);
  if (subject === undefined) return json(found.keys());
  return json({ cluster: await served.clusterId(), entries: found.entries(keyOf(subject)) });
}

/** `/debug/why/PART/KIND/NAMESPACE/NAME`: what is wanted, there and tried, as the part sees it now. */
async function why(served: Served, part: string, subject: Subject): Promise<Answer> {
  const found = served.journals.get(part);
  if (found === undefined) return noSuchPart(served, part);
  return json({
    cluster: await served.clusterId(),
    standing: served.standing(part),
    explanation: await served.explain(part, subject),
    entries: found.entries(keyOf(subject)),
  });
}

function noSuchPart({ journals }: Served, part: string): Answer {
  return text(404, `no part named ${part} runs here; there is ${[...journals.keys()].join(', ')}`);
}

function parsePath(rest: string): { part: string; subject: Subject | undefined } {
  const [part = '', kind, ...names] = rest.split('/');
  const [first, second] = names;
  // Who asks no part for an object asks for all there is, and needs the right to that.
  const isOfOne = part !== '' && kind !== undefined && kind !== '' && first !== undefined && names.length <= 2;
  if (!isOfOne) return { part, subject: undefined };
  if (second === undefined) return { part, subject: { kind, name: first } };
  return { part, subject: { kind, namespace: first, name: second } };
}

function keyOf({ kind, namespace, name }: Subject): string {
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}
