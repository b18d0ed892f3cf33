import { frontendKey, type VirtualServer } from '../../protocol/configuration.ts';
import { applyChanges, byFrontend, type Changes, type VirtualServers } from '../../protocol/delta.ts';
import { ConfigurationDigest } from '../../protocol/digest.ts';
import { type Element, ownElements } from './elements.ts';
import { elementChanges, type ElementChanges } from './scripts.ts';
import { SharedElementIndex } from './shared-elements.ts';
import { slotCount } from './slots.ts';

/** Changes beyond so many elements are loaded as a whole: in portions, which bounds the memory of nft and of ours. */
const MOST_ELEMENTS = 40_000;

/** The virtual servers that a table holds or is to hold, as its elements. A change costs what changed. */
export class Served {
  readonly #virtualServers: Map<string, VirtualServer>;
  readonly #shared: SharedElementIndex;
  readonly #digest = new ConfigurationDigest();

  constructor(virtualServers: Iterable<VirtualServer>) {
    this.#virtualServers = new Map(byFrontend(virtualServers));
    this.#shared = SharedElementIndex.of(this.#virtualServers.values());
    for (const one of this.#virtualServers.values()) this.#digest.add(one);
  }

  get virtualServers(): VirtualServers {
    return this.#virtualServers;
  }

  get digest(): string {
    return this.#digest.text;
  }

  *elements(): Generator<Element> {
    for (const one of this.#virtualServers.values()) yield* ownElements(one);
    yield* this.sharedElements();
  }

  /** Those that several virtual servers may have in common. */
  sharedElements(): Generator<Element> {
    return this.#shared.elements();
  }

  /** What takes the changes back. */
  inverse({ put, remove }: Changes): Changes {
    const known = [...put, ...remove].flatMap((frontend) => this.#virtualServers.get(frontendKey(frontend)) ?? []);
    return { put: known, remove: put.filter((one) => !this.#virtualServers.has(frontendKey(one))) };
  }

  /** Follows the changes, and tells what they are in the table; or undefined, where they are too many for one step. */
  follow(changes: Changes): ElementChanges | undefined {
    const current = this.#virtualServers;
    const leaving = [...changes.put, ...changes.remove].flatMap((one) => current.get(frontendKey(one)) ?? []);
    for (const one of leaving) this.#digest.remove(one);
    for (const one of changes.put) this.#digest.add(one);
    const { before, after } = this.#shared.follow(current, changes);
    applyChanges(current, changes);
    if (sizeOf(leaving) + sizeOf(changes.put) > MOST_ELEMENTS) return undefined;
    return elementChanges(
      [...leaving.flatMap(ownElements), ...before],
      [...changes.put.flatMap(ownElements), ...after],
    );
  }
}

/** Groups of about as many elements as one transaction may have. */
export function* portionsBySize(virtualServers: Iterable<VirtualServer>): Generator<readonly VirtualServer[]> {
  let portion: VirtualServer[] = [];
  let size = 0;
  for (const one of virtualServers) {
    portion.push(one);
    size += sizeOf([one]);
    if (size < MOST_ELEMENTS / 2) continue;
    yield portion;
    portion = [];
    size = 0;
  }
  yield portion;
}

/** About how many elements they are. */
function sizeOf(virtualServers: readonly VirtualServer[]): number {
  const size = ({ backends, sourceRanges = [] }: VirtualServer) =>
    slotCount(backends.length) + backends.length + sourceRanges.length + 3;
  return virtualServers.reduce((sum, one) => sum + size(one), 0);
}
