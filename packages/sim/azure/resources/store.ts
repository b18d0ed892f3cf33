import { type Random, randomUuid } from '@fairlead/control';
import type { JsonObject } from '../../json.ts';
import { type RootKind, rootKey } from '../requests/target.ts';
import { type Reference, ReferenceIndex, referencesIn } from './references.ts';

export type ProvisioningState = 'Updating' | 'Deleting' | 'Succeeded' | 'Failed';

/** A resource as it is kept: what the client wrote, without what Azure adds when it answers. */
export interface StoredResource {
  readonly kind: RootKind;
  readonly id: string;
  readonly name: string;
  readonly body: JsonObject;
  readonly etag: string;
  readonly guid: string;
  readonly state: ProvisioningState;
}

/** All resources of the emulated subscription. */
export class ResourceStore {
  readonly references = new ReferenceIndex();
  readonly #random: Random;
  readonly #resources = new Map<string, StoredResource>();
  readonly #counts = new Map<RootKind, number>();

  constructor(random: Random) {
    this.#random = random;
  }

  find(id: string): StoredResource | undefined {
    return this.#resources.get(rootKey(id));
  }

  /** In the order of their ids, which is the order of pages. */
  ofKind(kind: RootKind, scope = ''): readonly StoredResource[] {
    const prefix = `${scope.toLowerCase()}/`;
    return [...this.#resources.entries()]
      .filter(([key, resource]) => resource.kind === kind && key.startsWith(prefix))
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([, resource]) => resource);
  }

  count(kind: RootKind): number {
    return this.#counts.get(kind) ?? 0;
  }

  /** Writes the body: the etag changes, and so do the references. */
  put(kind: RootKind, id: string, name: string, body: JsonObject, state: ProvisioningState): StoredResource {
    const before = this.find(id);
    const resource: StoredResource = {
      kind,
      id: before?.id ?? id,
      name: before?.name ?? name,
      body,
      etag: this.#newEtag(),
      guid: before?.guid ?? randomUuid(this.#random),
      state,
    };
    if (before === undefined) this.#counts.set(kind, this.count(kind) + 1);
    this.#resources.set(rootKey(id), resource);
    this.references.set(rootKey(id), referencesIn(resource.id, body));
    return resource;
  }

  /** The end of an operation is a change too, with an etag of its own. */
  setState(id: string, state: ProvisioningState): void {
    const resource = this.find(id);
    if (resource !== undefined) this.#resources.set(rootKey(id), { ...resource, state, etag: this.#newEtag() });
  }

  delete(id: string): void {
    const kind = this.find(id)?.kind;
    if (kind !== undefined) this.#counts.set(kind, this.count(kind) - 1);
    this.#resources.delete(rootKey(id));
    this.references.delete(rootKey(id));
  }

  /** What names the resource or a part of it, apart from itself. */
  usersOf(id: string): readonly Reference[] {
    return this.references.to(id, 'whole');
  }

  /** What names this very part. */
  usersOfPart(id: string): readonly Reference[] {
    return this.references.to(id, 'exactly');
  }

  #newEtag(): string {
    return `W/"${randomUuid(this.#random)}"`;
  }
}
