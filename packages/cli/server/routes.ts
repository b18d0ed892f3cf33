import type { Journal } from '@fairlead/control';
import type { PrometheusMetrics } from '../observability/metrics.ts';
import type { ReadinessBoard } from '../observability/readiness.ts';
import { type Answer, json, type Route, text } from './router.ts';

/** What the status server tells about. */
export interface Served {
  /** The URL of the API server. */
  readonly cluster: string;
  readonly readiness: ReadinessBoard;
  readonly metrics: PrometheusMetrics;
  /** part name -> its journal */
  readonly journals: ReadonlyMap<string, Journal>;
}

export function statusRoutes(served: Served): ReadonlyMap<string, Route> {
  return new Map<string, Route>([
    ['/healthz', async () => text(200, 'ok')],
    ['/readyz', async (part) => readyz(served.readiness, part)],
    [
      '/metrics',
      async () => ({ status: 200, contentType: served.metrics.contentType, body: await served.metrics.text() }),
    ],
    ['/debug/journal', async (rest) => journal(served, rest)],
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
function journal({ journals, cluster }: Served, rest: string): Answer {
  const [part, kind, ...name] = rest.split('/');
  if (part === undefined || part === '') {
    return json(Object.fromEntries([...journals].map(([known, entries]) => [known, entries.keys()])));
  }
  const found = journals.get(part);
  if (found === undefined)
    return text(404, `no part named ${part} runs here; there is ${[...journals.keys()].join(', ')}`);
  if (kind === undefined) return json(found.keys());
  return json({ cluster, entries: found.entries(`${kind} ${name.join('/')}`) });
}
