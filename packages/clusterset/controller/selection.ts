import type { KubeObject } from '@fairlead/kube';
import { keyText } from '@fairlead/kube';
import type { Settings } from '../decision/settings.ts';
import { type ExportKey, memberNamespace } from '../records/names.ts';

/** Of one cluster; and of the shared namespace, where the aggregates of all are. */
const AGGREGATES_PER_RECORD = 4;
/** What counts as one object: those that we write are smaller by far. */
const ORDINARY_CHARACTERS = 32_768;

export interface SelectionOptions {
  readonly settings: Settings;
  /** What an object is about; undefined for what has no name that we know. */
  readonly keyOf: (object: KubeObject) => ExportKey | undefined;
  /** Of one cluster at most. */
  readonly most: number;
  /** Whether Services of this namespace are imported or exported here. */
  readonly takesPart: (namespace: string) => boolean;
  /** Is told once when a namespace of the broker has more than is read of it. */
  readonly onOverflow: (namespace: string, most: number) => void;
}

/**
 * Chooses what this cluster keeps in memory of one kind of object at the broker: what its own namespaces want, and of
 * each cluster no more than `most`, where a large one counts for several, so that one that writes without end hurts no
 * other. What is left out takes nothing away: the broker is asked before something goes.
 */
export class Selection {
  readonly #options: SelectionOptions;
  /** Namespace at the broker -> what is kept of it. */
  readonly #kept = new Map<string, Kept>();
  /** Namespaces of Services of which something was left out. */
  readonly #leftOut = new Set<string>();
  readonly #overflowing = new Set<string>();

  constructor(options: SelectionOptions) {
    this.#options = options;
  }

  /** `namesUs`: an aggregate that names this cluster is its own to correct, also where it has no such namespace. */
  isWanted(object: KubeObject, namesUs = false): boolean {
    const { settings, keyOf, takesPart, most, onOverflow } = this.#options;
    const { namespace: place = '' } = object.metadata;
    const key = keyOf(object);
    if (key === undefined) return false;
    const kept = this.#kept.get(place) ?? new Kept();
    const id = keyText(object.metadata);
    const isOwn = place === memberNamespace(settings.brokerNamespace, settings.cluster);
    if (!isOwn && !namesUs && !takesPart(key.namespace)) {
      if (this.#leftOut.size < most) this.#leftOut.add(key.namespace);
      kept.delete(id);
      return false;
    }
    const limit = place === settings.brokerNamespace ? most * AGGREGATES_PER_RECORD : most;
    const weight = isOwn ? 1 : weightOf(object);
    if (!isOwn && kept.weightBeside(id) + weight > limit) {
      kept.delete(id);
      if (!this.#overflowing.has(place)) onOverflow(place, limit);
      this.#overflowing.add(place);
      return false;
    }
    kept.set(id, weight);
    this.#kept.set(place, kept);
    return true;
  }

  /** It is gone from the broker. */
  forget({ metadata }: KubeObject): void {
    this.#kept.get(metadata.namespace ?? '')?.delete(keyText(metadata));
  }

  /** Whether something of this namespace was left out, which is wanted from now on. */
  lacks(namespace: string): boolean {
    return this.#leftOut.delete(namespace) || this.#leftOut.size >= this.#options.most;
  }

  /** Everything is listed again. */
  startOver(): void {
    this.#overflowing.clear();
  }
}

/** What is kept of one namespace at the broker: how much each object counts for. */
class Kept {
  readonly #weights = new Map<string, number>();
  #total = 0;

  /** Of all but this one. */
  weightBeside(id: string): number {
    return this.#total - (this.#weights.get(id) ?? 0);
  }

  set(id: string, weight: number): void {
    this.#total = this.weightBeside(id) + weight;
    this.#weights.set(id, weight);
  }

  delete(id: string): void {
    this.#total = this.weightBeside(id);
    this.#weights.delete(id);
  }
}

function weightOf(object: KubeObject): number {
  return Math.ceil(JSON.stringify(object).length / ORDINARY_CHARACTERS);
}
