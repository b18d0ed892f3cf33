import { hashText, type RandomStreams } from '../kernel/random-streams.ts';
import type { Call } from '../network/call.ts';
import { drawFault, type Fault, type FaultKind, type FaultRates } from './fault.ts';

/** A fault at one call, named by the call's id. */
export interface PlacedFault {
  readonly call: string;
  readonly fault: Fault;
}

/** How likely faults are for the calls it matches; for all of them when it does not say which. */
export interface FaultRule {
  matches?(call: Call): boolean;
  readonly rates: FaultRates;
}

/** The first rule that matches a call decides. */
export type FaultPolicy = readonly FaultRule[];

const FAULT_STREAM = hashText('faults');
const SWARM_STREAM = hashText('swarm');

/**
 * Decides what goes wrong with which call: what was placed there, or else what the rates and the seed say. Each seed
 * has only about half of the kinds, some of them often, for together they would hide what each one alone brings out.
 */
export class FaultInjector {
  readonly #streams: RandomStreams;
  readonly #policy: FaultPolicy;
  readonly #placed = new Map<string, Fault>();
  readonly #injected: PlacedFault[] = [];
  readonly #factors = new Map<FaultKind, number>();
  #stopped = false;

  constructor(streams: RandomStreams, policy: FaultPolicy, placed: readonly PlacedFault[] = []) {
    this.#streams = streams;
    this.#policy = policy;
    for (const { call, fault } of placed) this.#placed.set(call, fault);
  }

  /** Everything that was injected so far, in order: placed again, it gives the same run. */
  get injected(): readonly PlacedFault[] {
    return this.#injected;
  }

  place(call: string, fault: Fault): void {
    this.#placed.set(call, fault);
  }

  /** From now on only what was placed. */
  stop(): void {
    this.#stopped = true;
  }

  decide(call: Call): Fault | undefined {
    const fault = this.#placed.get(call.id) ?? (this.#stopped ? undefined : this.#draw(call));
    if (fault !== undefined) this.#injected.push({ call: call.id, fault });
    return fault;
  }

  #draw(call: Call): Fault | undefined {
    const rule = this.#policy.find((candidate) => candidate.matches?.(call) ?? true);
    if (rule === undefined) return undefined;
    const random = this.#streams.derived(FAULT_STREAM, call.hash);
    let left = random.next();
    for (const kind of kindsOf(rule.rates)) {
      left -= (rule.rates[kind] ?? 0) * this.#factor(kind);
      if (left < 0) return drawFault(kind, call, random);
    }
    return undefined;
  }

  #factor(kind: FaultKind): number {
    const known = this.#factors.get(kind);
    if (known !== undefined) return known;
    const random = this.#streams.derived(SWARM_STREAM, hashText(kind));
    // One on average over all seeds.
    const factor = random.next() < 0.5 ? 0 : 1.48 * 4 ** (2 * random.next() - 1);
    this.#factors.set(kind, factor);
    return factor;
  }
}

const kinds = new WeakMap<FaultRates, readonly FaultKind[]>();

function kindsOf(rates: FaultRates): readonly FaultKind[] {
  const known = kinds.get(rates);
  if (known !== undefined) return known;
  const list = FAULT_KINDS.filter((kind) => rates[kind] !== undefined);
  kinds.set(rates, list);
  return list;
}

const FAULT_KINDS: readonly FaultKind[] = [
  'lose-request',
  'lose-response',
  'reset-request',
  'reset-response',
  'delay',
  'reorder',
  'duplicate',
  'refuse',
  'misreport',
  'cut',
  'stall',
  'stream-error',
  'crash',
];
