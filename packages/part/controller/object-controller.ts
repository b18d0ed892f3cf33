import { codeOf, messageOf, verdictOf } from '@fairlead/control';
import { Controller, type KubeObject, type Resource, type SharedCache } from '@fairlead/kube';
import type { LeaderEnvironment } from '../part.ts';

export interface ObjectControllerOptions<Kept extends KubeObject> {
  /** For logs and metrics. */
  readonly name: string;
  readonly resource: Resource<KubeObject>;
  readonly cache: SharedCache<Kept>;
  /** How many objects are reconciled at the same time. */
  readonly concurrency: number;
  /** The reason of the Event by which the owner of the object hears of a failure; undefined: that is told elsewhere. */
  readonly failureReason: (key: string, error: unknown) => string | undefined;
}

/** A controller of the objects in a cache, whose failures are told in the journal and as Events on the objects. */
export function objectController<Kept extends KubeObject>(
  environment: Pick<LeaderEnvironment, 'clock' | 'random' | 'logger' | 'metrics' | 'journal' | 'events'>,
  { name, resource, cache, concurrency, failureReason }: ObjectControllerOptions<Kept>,
): Controller {
  const { journal, events } = environment;
  const kind = resource.kind.toLowerCase();
  const controller = new Controller({
    ...environment,
    name,
    concurrency,
    onRetry(key, error, retryAt) {
      journal.record(`${kind} ${key}`, { kind: 'waiting', for: `what failed: ${codeOf(error)}`, retryAt });
      const object = cache.get(key);
      // What changed under our hands is no news.
      const reason = object === undefined || verdictOf(error) === 'stale' ? undefined : failureReason(key, error);
      if (object === undefined || reason === undefined) return;
      const note = `${messageOf(error).replace(/\.$/, '')}; it is tried again.`;
      events.record(resource, object, { type: 'Warning', reason, note });
    },
  });
  controller.watch(cache);
  return controller;
}
