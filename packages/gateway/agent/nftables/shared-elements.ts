import { type VirtualServer, frontendKey } from '../../protocol/configuration.ts';
import type { Changes, VirtualServers } from '../../protocol/delta.ts';
import { type Element, type SharedElement, sharedElements } from './elements.ts';

/** Elements that several virtual servers have in common, and who asks for each. */
export class SharedElementIndex {
  /** Map and key -> frontend -> what it asks for. */
  readonly #wanted = new Map<string, Map<string, SharedElement>>();

  static of(virtualServers: Iterable<VirtualServer>): SharedElementIndex {
    const index = new SharedElementIndex();
    for (const one of virtualServers) index.#add(one);
    return index;
  }

  /** Every element that is there. */
  *elements(): Generator<Element> {
    for (const wanted of this.#wanted.values()) yield* settled(wanted);
  }

  /** Follows the changes, and gives the elements they concern as they were and as they are. */
  follow(current: VirtualServers, { put, remove }: Changes): { before: Element[]; after: Element[] } {
    const leaving = [...put, ...remove].flatMap((frontend) => current.get(frontendKey(frontend)) ?? []);
    const touched = new Set([...leaving, ...put].flatMap(sharedElements).map(identity));
    const settledNow = () => [...touched].flatMap((id) => [...settled(this.#wanted.get(id) ?? new Map())]);
    const before = settledNow();
    for (const one of leaving) this.#remove(one);
    for (const one of put) this.#add(one);
    return { before, after: settledNow() };
  }

  #add(virtualServer: VirtualServer): void {
    for (const element of sharedElements(virtualServer)) {
      const id = identity(element);
      const wanted = this.#wanted.get(id) ?? new Map<string, SharedElement>();
      wanted.set(frontendKey(virtualServer), element);
      this.#wanted.set(id, wanted);
    }
  }

  #remove(virtualServer: VirtualServer): void {
    for (const element of sharedElements(virtualServer)) {
      const id = identity(element);
      const wanted = this.#wanted.get(id);
      wanted?.delete(frontendKey(virtualServer));
      if (wanted?.size === 0) this.#wanted.delete(id);
    }
  }
}

function* settled(wanted: ReadonlyMap<string, SharedElement>): Generator<Element> {
  const [first] = wanted.values();
  if (first === undefined || (first.neededBy === 'only-one' && wanted.size > 1)) return;
  const { map, key, data } = first;
  yield { map, key, ...(data === undefined ? {} : { data }) };
}

function identity({ map, key }: Element): string {
  return `${map} ${key}`;
}
