import type { Journal } from '@fairlead/control';
import type { ReadEnvironment, Subject } from '@fairlead/part';
import type { ActivePart } from '../configured-parts.ts';
import type { PrometheusMetrics } from '../observability/metrics.ts';
import type { ReadinessBoard } from '../observability/readiness.ts';
import type { Story } from '../render/why.ts';
import { type Answer, json, type Route, text } from './router.ts';

/** What the status server tells about. */
export interface Served {
  readonly active: readonly ActivePart[];
  readonly readiness: ReadinessBoard;
  readonly metrics: PrometheusMetrics;
  /** part name -> its journal */
  readonly journals: ReadonlyMap<string, Journal>;
  readonly environment: ReadEnvironment;
}

export function statusRoutes(served: Served): ReadonlyMap<string, Route> {
  return new Map<string, Route>([
    ['/healthz', async () => text(200, 'ok')],
    ['/readyz', async (part) => readyz(served.readiness, part)],
    [
      '/metrics',
      async () => ({ status: 200, contentType: served.metrics.contentType, body: await served.metrics.text() }),
    ],
    ['/debug/journal', async (rest) => journal(served.journals, rest)],
    ['/debug/explain', async (_, query) => explain(served, query)],
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
function journal(journals: ReadonlyMap<string, Journal>, rest: string): Answer {
  const [part, kind, ...name] = rest.split('/');
  if (part === undefined || part === '') {
    return json(Object.fromEntries([...journals].map(([known, entries]) => [known, entries.keys()])));
  }
  const found = journals.get(part);
  if (found === undefined)
    return text(404, `no part named ${part} runs here; there is ${[...journals.keys()].join(', ')}`);
  if (kind === undefined) return json(found.keys());
  return json(found.entries(`${kind} ${name.join('/')}`));
}

async function explain(served: Served, query: URLSearchParams): Promise<Answer> {
  const subject = subjectOf(query);
  if (subject === undefined) return text(400, 'ask with ?kind=service&namespace=default&name=web');
  const stories: Story[] = [];
  for (const { part, configured } of served.active) {
    const explanation = await configured.explain(served.environment, subject);
    if (explanation === undefined) continue;
    const journalKey = `${subject.kind} ${subject.namespace === undefined ? '' : `${subject.namespace}/`}${subject.name}`;
    stories.push({ part: part.name, explanation, journal: served.journals.get(part.name)?.entries(journalKey) ?? [] });
  }
  return json(stories);
}

function subjectOf(query: URLSearchParams): Subject | undefined {
  const kind = query.get('kind');
  const name = query.get('name');
  const namespace = query.get('namespace');
  if (kind === null || name === null) return undefined;
  return namespace === null ? { kind, name } : { kind, namespace, name };
}
