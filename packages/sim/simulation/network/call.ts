import type { FaultTarget } from '../faults/fault.ts';
import { hashText } from '../kernel/random-streams.ts';
import type { RequestName } from './dialect.ts';

/** A call from a simulated process to the outside: where faults strike and where a process can be killed. */
export interface Call extends RequestName, FaultTarget {
  /** Tells it apart from every other call of the run, and is the same in a run that goes the same way until then. */
  readonly id: string;
  readonly process: string;
  readonly server: string;
  /** The how-manieth call of this process of this name about this subject, from 1. */
  readonly ordinal: number;
  /** A number that follows from the id. */
  readonly hash: number;
}

export type CallListener = (call: Call) => void;

/** Counts calls, and tells of each when it is made. */
export class CallBook {
  readonly #counters = new Map<string, { readonly hash: number; count: number }>();
  readonly #listeners = new Set<CallListener>();

  /** Returns what ends it. */
  listen(listener: CallListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  enter(process: string, server: string, { name, subject }: RequestName, target: FaultTarget): Call {
    const key = `${process} > ${server}: ${name}${subject === '' ? '' : ` ${subject}`}`;
    let counter = this.#counters.get(key);
    if (counter === undefined) {
      counter = { hash: hashText(key), count: 0 };
      this.#counters.set(key, counter);
    }
    counter.count += 1;
    const ordinal = counter.count;
    const hash = counter.hash + Math.imul(ordinal, 0x9e3779b1);
    const call: Call = { ...target, id: `${key} #${ordinal}`, process, server, name, subject, ordinal, hash };
    for (const listener of this.#listeners) listener(call);
    return call;
  }
}
