import type { Random } from '../random.ts';

/** A timer's place in virtual time. `slot` is its index in the heap, or -1 while it is not in it. */
export interface ScheduledTimer {
  readonly at: number;
  readonly rank: number;
  readonly sequence: number;
  readonly callback: () => void;
  slot: number;
}

/**
 * No delay but none is shorter: what is left of a time until a deadline may be too little to move time on at all, and
 * a loop that waits for the deadline would wait at the same instant for ever. Real timers are coarser by far.
 */
const SHORTEST_MILLISECONDS = 2 ** -10;

/** Virtual time and the timers waiting in it, as a binary heap from which any timer can be taken out again. */
export class Timeline {
  time = 0;
  readonly #heap: ScheduledTimer[] = [];
  readonly #tiebreak: Random | undefined;
  #sequence = 0;

  constructor(tiebreak: Random | undefined) {
    this.#tiebreak = tiebreak;
  }

  get size(): number {
    return this.#heap.length;
  }

  /** A timer that is due after the delay; it waits nowhere until it is added. */
  timer(delayMilliseconds: number, callback: () => void): ScheduledTimer {
    const delay = delayMilliseconds > 0 ? Math.max(delayMilliseconds, SHORTEST_MILLISECONDS) : 0;
    this.#sequence += 1;
    return {
      at: this.time + delay,
      rank: this.#tiebreak?.next() ?? 0,
      sequence: this.#sequence,
      callback,
      slot: -1,
    };
  }

  peek(): ScheduledTimer | undefined {
    return this.#heap[0];
  }

  add(timer: ScheduledTimer): void {
    this.#heap.push(timer);
    this.#rise(timer, this.#heap.length - 1);
  }

  /** Does nothing when the timer is not waiting. */
  remove(timer: ScheduledTimer): void {
    const slot = timer.slot;
    if (slot < 0) return;
    timer.slot = -1;
    const last = this.#heap.pop();
    if (last === undefined || last === timer) return;
    const parent = this.#heap[(slot - 1) >> 1];
    if (slot > 0 && parent !== undefined && isEarlier(last, parent)) this.#rise(last, slot);
    else this.#sink(last, slot);
  }

  #rise(timer: ScheduledTimer, from: number): void {
    let slot = from;
    while (slot > 0) {
      const parentSlot = (slot - 1) >> 1;
      const parent = this.#heap[parentSlot];
      if (parent === undefined || !isEarlier(timer, parent)) break;
      this.#put(parent, slot);
      slot = parentSlot;
    }
    this.#put(timer, slot);
  }

  #sink(timer: ScheduledTimer, from: number): void {
    let slot = from;
    for (;;) {
      const leftSlot = 2 * slot + 1;
      const left = this.#heap[leftSlot];
      if (left === undefined) break;
      const right = this.#heap[leftSlot + 1];
      const child = right !== undefined && isEarlier(right, left) ? right : left;
      if (!isEarlier(child, timer)) break;
      const childSlot = child.slot;
      this.#put(child, slot);
      slot = childSlot;
    }
    this.#put(timer, slot);
  }

  #put(timer: ScheduledTimer, slot: number): void {
    this.#heap[slot] = timer;
    timer.slot = slot;
  }
}

function isEarlier(left: ScheduledTimer, right: ScheduledTimer): boolean {
  if (left.at !== right.at) return left.at < right.at;
  if (left.rank !== right.rank) return left.rank < right.rank;
  return left.sequence < right.sequence;
}
