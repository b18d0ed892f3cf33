import type { Pod } from '../kinds/pod/pod.ts';
import type { Service } from '../kinds/service/service.ts';

interface Seen {
  readonly service: string;
  readonly pods: ReadonlyMap<string, string>;
}

/** When the change happened that an endpoint controller is about to report. */
export class TriggerTimes {
  readonly #seen = new Map<string, Seen>();

  /** The earliest of what changed since the last call for this Service; undefined when nothing says when. */
  next(key: string, { metadata }: Service, pods: readonly Pod[]): string | undefined {
    const before = this.#seen.get(key);
    const created = metadata.creationTimestamp ?? '';
    const times = new Map<string, string>();
    const changed: string[] = [];
    for (const pod of pods) {
      const time = readySince(pod);
      if (time === undefined) continue;
      times.set(pod.metadata.name, time);
      if (time > (before?.pods.get(pod.metadata.name) ?? '')) changed.push(time);
    }
    if (created > (before?.service ?? '')) changed.push(created);
    this.#seen.set(key, { service: created, pods: times });
    return before === undefined ? created : changed.sort()[0];
  }

  forget(key: string): void {
    this.#seen.delete(key);
  }
}

function readySince({ status }: Pod): string | undefined {
  return status.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime ?? undefined;
}
