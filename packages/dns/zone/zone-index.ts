import type { ServiceImport } from '@fairlead/clusterset/mcs';
import { type EndpointSlice, keyText } from '@fairlead/kube';
import type { RecordSet } from './record-set.ts';
import { serviceRecords } from './service-records.ts';
import { SliceStore } from './slice-store.ts';
import { type RecordSubject, subjectOfImport, subjectOfSlice, type ServiceView } from './service-view.ts';
import type { ZoneSettings } from './settings.ts';
import { zoneRecords } from './zone-records.ts';

/** Where names go. */
export interface NameSink {
  set(name: string, sets: readonly RecordSet[] | undefined): void;
}

/** The objects of one Service, by their keys. */
interface Parts {
  readonly namespace: string;
  readonly name: string;
  serviceImport: ServiceImport | undefined;
  readonly olderImports: Map<string, ServiceImport>;
  readonly slices: SliceStore;
  names: ReadonlySet<string>;
}

/** Keeps names in step with ServiceImports and EndpointSlices: what changes costs what its Service has, and no more. */
export class ZoneIndex {
  readonly #settings: ZoneSettings;
  readonly #sink: NameSink;
  readonly #onUnreadable: (service: string, error: unknown) => void;
  readonly #services = new Map<string, Parts>();
  readonly #changed = new Set<string>();

  /** `onUnreadable` is told of a Service whose objects cannot be read: its names stay as they were. */
  constructor(
    settings: ZoneSettings,
    sink: NameSink,
    onUnreadable: (service: string, error: unknown) => void = () => {},
  ) {
    this.#settings = settings;
    this.#sink = sink;
    this.#onUnreadable = onUnreadable;
    for (const [name, sets] of zoneRecords(settings)) sink.set(name, sets);
  }

  /** Whether no Service changed since its names were set. */
  get isInStep(): boolean {
    return this.#changed.size === 0;
  }

  get services(): number {
    return this.#services.size;
  }

  setImport(one: ServiceImport): void {
    // It says nothing of its Service, and must not end the server for all others.
    if (one.spec === undefined) return;
    const belonging = subjectOfImport(one, this.#settings.olderNamespace);
    const parts = this.#change(belonging);
    if (belonging.cluster === undefined) parts.serviceImport = one;
    else parts.olderImports.set(keyText(one.metadata), one);
  }

  removeImport(one: ServiceImport): void {
    const belonging = subjectOfImport(one, this.#settings.olderNamespace);
    const parts = this.#change(belonging);
    if (belonging.cluster === undefined) parts.serviceImport = undefined;
    else parts.olderImports.delete(keyText(one.metadata));
  }

  setSlice(slice: EndpointSlice): void {
    const belonging = subjectOfSlice(slice.metadata);
    if (belonging !== undefined) this.#change(belonging).slices.set(slice);
  }

  removeSlice(slice: EndpointSlice): void {
    const belonging = subjectOfSlice(slice.metadata);
    if (belonging !== undefined) this.#change(belonging).slices.delete(slice.metadata);
  }

  view(namespace: string, name: string): ServiceView | undefined {
    const parts = this.#services.get(`${namespace}/${name}`);
    return parts === undefined ? undefined : viewOf(parts);
  }

  *views(): Generator<ServiceView> {
    for (const parts of this.#services.values()) yield viewOf(parts);
  }

  /** Brings the names of changed Services in step. */
  flush(): void {
    for (const _ of this.steps());
  }

  /**
   * The same, name by name: queries can be answered between any two. Gives how many records were looked at. One walk at a
   * time; what changes meanwhile is for the next, or a Service that never stands still would have it go on for good.
   */
  *steps(): Generator<number> {
    const changed = [...this.#changed];
    for (const key of changed) {
      this.#changed.delete(key);
      const parts = this.#services.get(key);
      try {
        if (parts !== undefined) yield* this.#stepsOf(key, parts);
      } catch (error) {
        // One that was not thought of must not end the server for all others.
        this.#onUnreadable(key, error);
      }
      yield 1;
    }
  }

  *#stepsOf(key: string, parts: Parts): Generator<number> {
    const before = parts.names;
    const records = serviceRecords(viewOf(parts), this.#settings).names;
    parts.names = new Set(records.keys());
    yield [...records.values()].reduce((sum, sets) => sets.reduce((of, one) => of + one.records.length, sum), 0);
    for (const [name, sets] of records) {
      this.#sink.set(name, sets);
      yield sets.reduce((sum, one) => sum + one.records.length, 1);
    }
    for (const name of before) {
      if (parts.names.has(name)) continue;
      this.#sink.set(name, undefined);
      yield 1;
    }
    // A Service that changed meanwhile has its turn yet, and needs its names then.
    const isGone = parts.serviceImport === undefined && parts.olderImports.size === 0 && parts.slices.isEmpty;
    if (isGone && !this.#changed.has(key)) this.#services.delete(key);
  }

  #change({ namespace, name }: RecordSubject): Parts {
    const key = `${namespace}/${name}`;
    this.#changed.add(key);
    const known = this.#services.get(key);
    if (known !== undefined) return known;
    const created: Parts = {
      namespace,
      name,
      serviceImport: undefined,
      olderImports: new Map(),
      slices: new SliceStore(),
      names: new Set(),
    };
    this.#services.set(key, created);
    return created;
  }
}

function viewOf({ namespace, name, serviceImport, olderImports, slices }: Parts): ServiceView {
  const found = serviceImport === undefined ? {} : { serviceImport };
  return {
    namespace,
    name,
    ...found,
    olderImports: byKey(olderImports),
    slices: slices.counted,
    slicesBeyond: slices.beyond,
  };
}

/** In whatever order they came. */
function byKey<Kind>(objects: ReadonlyMap<string, Kind>): readonly Kind[] {
  return [...objects].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, one]) => one);
}
