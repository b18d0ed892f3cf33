import type { LoggedCall } from '@fairlead/sim/azure';
import { type EndpointChange, poolText, type RollingRestart } from './rolling-restart.ts';

/** A backend pool was read or written: what Azure saw of an updater. */
export interface PoolCall {
  readonly at: number;
  readonly service: number;
  readonly method: string;
  /** What it was given, as one text; none when it was only read, or refused. */
  readonly content?: string;
}

/** The calls about backend pools, in which the Service is found by the pool's name. */
export function poolCalls(
  calls: readonly LoggedCall[],
  startedAt: number,
  serviceOf: (pool: string) => number | undefined,
): readonly PoolCall[] {
  return calls.flatMap(({ at, kind, name, method, body, outcome }) => {
    if (kind !== 'backendAddressPools') return [];
    const service = serviceOf(name.slice(name.lastIndexOf('/') + 1));
    if (service === undefined) return [];
    const call = { at: at - startedAt, service, method };
    const isWritten = method === 'PUT' && typeof outcome === 'number' && outcome < 300;
    return [isWritten ? { ...call, content: contentOf(body) } : call];
  });
}

/** How long the changes took until Azure had them, or had something newer. */
export interface Latencies {
  /** Of changes on a pool that had not changed for two intervals. */
  readonly quiet: readonly number[];
  /** Of all others. */
  readonly busy: readonly number[];
  /** Of all of them. */
  readonly all: readonly number[];
  /** Changes that never got there. */
  readonly missing: number;
}

export function latencies(restart: RollingRestart, calls: readonly PoolCall[], interval: number): Latencies {
  const callsOf = Map.groupBy(calls, ({ service }) => service);
  const quiet: number[] = [];
  const busy: number[] = [];
  const all: number[] = [];
  let missing = 0;
  for (const [service, changes] of Map.groupBy(restart.changes, (change) => change.service)) {
    const effective = withoutRepetition(changes, poolText(restart.initial[service] ?? []));
    const programmedAt = programmingTimes(effective, callsOf.get(service) ?? []);
    for (const [index, { at }] of effective.entries()) {
      const programmed = programmedAt[index];
      const before = effective[index - 1]?.at ?? Number.NEGATIVE_INFINITY;
      if (programmed === undefined) {
        missing += 1;
        continue;
      }
      all.push(programmed - at);
      (at - before > 2 * interval ? quiet : busy).push(programmed - at);
    }
  }
  return { quiet, busy, all, missing };
}

/** The most calls of this method about one pool within any interval. */
export function mostPerInterval(calls: readonly PoolCall[], method: string, interval: number): number {
  const counted = calls.filter((call) => call.method === method);
  const ofEach = [...Map.groupBy(counted, ({ service }) => service).values()].map((list) => {
    const times = list.map(({ at }) => at);
    return Math.max(...times.map((start) => times.filter((at) => at >= start && at < start + interval).length));
  });
  return Math.max(0, ...ofEach);
}

/** A pod that replaces another on the same node changes nothing for the pool. */
function withoutRepetition(changes: readonly EndpointChange[], initial: string): readonly EndpointChange[] {
  let before = initial;
  return changes.filter(({ pods }) => {
    const now = poolText(pods);
    const isNews = now !== before;
    before = now;
    return isNews;
  });
}

/** For each change the time of the first write that has it: one that wrote what was wanted then, or later. */
function programmingTimes(
  changes: readonly EndpointChange[],
  calls: readonly PoolCall[],
): readonly (number | undefined)[] {
  const times: number[] = [];
  for (const { at, content } of calls) {
    if (content === undefined) continue;
    const newest = changes.findLastIndex((change) => change.at <= at && poolText(change.pods) === content);
    while (times.length <= newest) times.push(at);
  }
  return changes.map((_, index) => times[index]);
}

function contentOf(body: LoggedCall['body']): string {
  const properties = body?.['properties'];
  if (!isRecord(properties)) return '';
  const entries = properties['loadBalancerBackendAddresses'];
  if (!Array.isArray(entries)) return '';
  return entries
    .map((entry: unknown) => {
      const address = isRecord(entry) && isRecord(entry['properties']) ? entry['properties']['ipAddress'] : undefined;
      return typeof address === 'string' ? address : '';
    })
    .toSorted()
    .join(' ');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
