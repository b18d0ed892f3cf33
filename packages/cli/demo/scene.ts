import type { Clock } from '@fairlead/control';
import { events, type KubeClient, type KubeEvent, keyText, type Service, services } from '@fairlead/kube';
import type { Part, SceneProgress } from '@fairlead/part';
import type { ReadinessBoard } from '../observability/readiness.ts';
import { lastTime } from '../why/seen-object.ts';

/** How a Service is, in a word. */
export type ServiceState = 'programmed' | 'waiting' | 'refused' | 'being deleted' | 'not ours';

export interface SceneService {
  readonly key: string;
  readonly class: string;
  readonly ports: string;
  readonly addresses: string;
  readonly state: ServiceState;
  /** What its condition says. */
  readonly message: string;
}

export interface ScenePart {
  readonly name: string;
  /** Of the things its scene created. */
  readonly done: number;
  readonly total: number;
  /** Why it is not ready. */
  readonly unready?: string;
}

/** What the demo shows at one moment. */
export interface Scene {
  /** Since something was not programmed; stands still when everything is. */
  readonly seconds: number;
  readonly services: readonly SceneService[];
  readonly parts: readonly ScenePart[];
  /** What is still missing, in a few words each. */
  readonly missing: readonly string[];
  /** What happened last, newest first. */
  readonly activity: readonly string[];
}

const MOST_ACTIVITY = 20;

/** Measures how long it takes until all is programmed: anew each time something is not any more. */
export class Stopwatch {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #begunAt: number;
  #took: number | undefined;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
    this.#begunAt = clock.monotonic();
  }

  /** The seconds to show. */
  look(isDone: boolean): number {
    const now = this.#clock.monotonic();
    if (isDone) return (this.#took ??= (now - this.#begunAt) / 1000);
    if (this.#took !== undefined) this.#begunAt = now;
    this.#took = undefined;
    return (now - this.#begunAt) / 1000;
  }
}

export function isDone({ parts, missing }: Pick<Scene, 'parts' | 'missing'>): boolean {
  return missing.length === 0 && parts.every(({ done, total }) => done === total);
}

/** Looks at the world of the demo. */
export async function lookAt(
  parts: readonly Part[],
  client: KubeClient,
  readiness: ReadinessBoard,
  stopwatch: Stopwatch,
  signal: AbortSignal,
): Promise<Scene> {
  const scenes = await Promise.all(
    parts.flatMap(({ name, demo }) => {
      if (demo === undefined) return [];
      return [demo.progress(client, signal).then((progress) => ({ name, progress }))];
    }),
  );
  const [all, told] = await Promise.all([client.list(services, { signal }), client.list(events, { signal })]);
  const classes = new Set(parts.flatMap(({ loadBalancerClass }) => loadBalancerClass ?? []));
  const seen = {
    parts: scenes.map(({ name, progress }) => scenePart(name, progress, readiness)),
    missing: scenes.flatMap(({ progress }) => progress.missing),
  };
  return {
    ...seen,
    seconds: stopwatch.look(isDone(seen)),
    services: all.items.filter(({ spec }) => spec.type === 'LoadBalancer').map((one) => sceneService(one, classes)),
    activity: recent(told.items),
  };
}

export function sceneService(service: Service, classes: ReadonlySet<string>): SceneService {
  const { spec, status, metadata } = service;
  const ingress = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip ?? hostname ?? '');
  const condition = status?.conditions?.find(({ type }) => type === 'fairlead.dev/Programmed');
  return {
    key: keyText(metadata),
    class: (spec.loadBalancerClass ?? '').replace('fairlead.dev/', ''),
    ports: (spec.ports ?? []).map(({ port, protocol = 'TCP' }) => `${port}/${protocol}`).join(','),
    addresses: ingress.join(',') || '<none>',
    state: stateOf(service, condition, classes),
    message: condition?.message ?? '',
  };
}

function stateOf(
  { spec, metadata, status }: Service,
  condition: { readonly status: string } | undefined,
  classes: ReadonlySet<string>,
): ServiceState {
  if (!classes.has(spec.loadBalancerClass ?? '')) return 'not ours';
  if (metadata.deletionTimestamp !== undefined) return 'being deleted';
  if (condition?.status === 'True') return 'programmed';
  const hasAddress = (status?.loadBalancer?.ingress ?? []).length > 0;
  return condition?.status === 'False' && !hasAddress ? 'refused' : 'waiting';
}

function scenePart(name: string, { done, total }: SceneProgress, readiness: ReadinessBoard): ScenePart {
  const state = readiness.of(name);
  return { name, done, total, ...(state?.ready === false ? { unready: state.reason } : {}) };
}

/** The newest first. */
export function recent(all: readonly KubeEvent[]): readonly string[] {
  return all
    .toSorted((left, right) => (lastTime(left) < lastTime(right) ? 1 : -1))
    .slice(0, MOST_ACTIVITY)
    .map((event) => {
      const { namespace, name = '' } = event.regarding;
      const time = /T(\d\d:\d\d:\d\d)/.exec(lastTime(event))?.[1] ?? '';
      return `${time} ${namespace === undefined ? name : `${namespace}/${name}`} ${event.reason}: ${event.note ?? ''}`;
    });
}
