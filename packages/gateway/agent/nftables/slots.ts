import { createHash } from 'node:crypto';
import type { Backend } from '../../protocol/configuration.ts';

/** Up to how many backends share so many slots: at least five for each, so that no one's share is far off. */
const SIZES: readonly { readonly backends: number; readonly slots: number }[] = [
  { backends: 1, slots: 1 },
  { backends: 12, slots: 60 },
  { backends: 84, slots: 420 },
  { backends: 504, slots: 2_520 },
  { backends: Number.POSITIVE_INFINITY, slots: 27_720 },
];

/** Every number of slots that there is. */
export const SLOT_COUNTS: readonly number[] = SIZES.map(({ slots }) => slots);

/** How many slots so many backends share. The numbers have many divisors: most shares come out even. */
export function slotCount(backends: number): number {
  if (backends === 0) return 0;
  return SIZES.find((size) => backends <= size.backends)?.slots ?? 0;
}

/**
 * Which backend each slot leads to (Maglev): in turns, each takes the next free slot of a sequence of its own. A pure
 * function of the set, so that every gateway chooses alike, and one backend more or less moves few of the others' slots,
 * but where the number of slots changes.
 */
export function assignSlots(backends: readonly Backend[]): readonly Backend[] {
  const inOrder = [...new Map(backends.map((backend) => [backendKey(backend), backend]))].toSorted(byKey);
  const count = slotCount(inOrder.length);
  const turns = inOrder.map(([key, backend]) => ({ backend, ...sequenceOf(key, count) }));
  const taken = new Map<number, Backend>();
  while (turns.length > 0 && taken.size < count) {
    for (const turn of turns) {
      if (taken.size === count) break;
      while (taken.has(turn.position)) turn.position = (turn.position + turn.stride) % count;
      taken.set(turn.position, turn.backend);
    }
  }
  return Array.from({ length: count }, (_, slot) => taken.get(slot)).flatMap((backend) => backend ?? []);
}

/** One text for each backend. */
export function backendKey({ address, port }: Backend): string {
  return `${address} ${port}`;
}

function byKey([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

/** Starts anywhere and comes by every slot: the stride has no divisor in common with their number. */
function sequenceOf(key: string, count: number): { position: number; readonly stride: number } {
  const hash = createHash('sha256').update(key).digest();
  let stride = 1 + (hash.readUInt32BE(4) % count);
  while (commonDivisor(stride, count) !== 1) stride += 1;
  return { position: hash.readUInt32BE(0) % count, stride };
}

function commonDivisor(one: number, other: number): number {
  return other === 0 ? one : commonDivisor(other, one % other);
}
