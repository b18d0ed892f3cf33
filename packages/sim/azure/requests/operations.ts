import { type Clock, type Random, randomUuid } from '@fairlead/control';
import type { JsonObject } from '../../json.ts';
import { Refusal } from './refusal.ts';

export type OperationStatus = 'InProgress' | 'Succeeded' | 'Failed';

/** Something Azure accepted and is still at. */
export interface Operation {
  readonly id: string;
  /** The key of the resource, which no other operation may change meanwhile. */
  readonly resourceKey: string;
  readonly status: OperationStatus;
  /** Why it failed. */
  readonly error?: { readonly code: string; readonly message: string };
}

interface Running {
  readonly operation: Operation;
  readonly dueAt: number;
  /** What happens in the end; may throw a Refusal, which is then the failure. */
  readonly finish: () => void;
  /** The body of the final answer, for who follows `Location`. */
  readonly result: () => JsonObject | undefined;
}

/** Azure forgets operations, too; by then no client polls them. */
const KEPT = 10_000;

/** Long-running operations. They end with the first look at them after their time is over: nothing waits in between. */
export class Operations {
  readonly #clock: Clock;
  readonly #random: Random;
  /** By when they end. */
  readonly #running: Running[] = [];
  readonly #known = new Map<string, Operation>();
  readonly #results = new Map<string, () => JsonObject | undefined>();

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  start(
    resourceKey: string,
    milliseconds: number,
    finish: () => void,
    result: () => JsonObject | undefined,
  ): Operation {
    const operation: Operation = { id: randomUuid(this.#random), resourceKey, status: 'InProgress' };
    const dueAt = this.#clock.monotonic() + milliseconds;
    const later = this.#running.findIndex((other) => other.dueAt > dueAt);
    this.#running.splice(later < 0 ? this.#running.length : later, 0, { operation, dueAt, finish, result });
    this.#remember(operation, result);
    return operation;
  }

  /** Ends what is due. Everything that looks at the world calls this first. */
  settle(): void {
    const now = this.#clock.monotonic();
    for (let next = this.#running[0]; next !== undefined && next.dueAt <= now; next = this.#running[0]) {
      this.#running.shift();
      this.#remember({ ...next.operation, ...outcome(next.finish) }, next.result);
    }
  }

  find(id: string): Operation | undefined {
    return this.#known.get(id);
  }

  resultOf(id: string): JsonObject | undefined {
    return this.#results.get(id)?.();
  }

  isBusy(resourceKey: string): boolean {
    return this.#running.some(({ operation }) => operation.resourceKey === resourceKey);
  }

  /** How many are under way. */
  get running(): number {
    return this.#running.length;
  }

  #remember(operation: Operation, result: () => JsonObject | undefined): void {
    this.#known.set(operation.id, operation);
    this.#results.set(operation.id, result);
    if (this.#known.size <= KEPT) return;
    const [oldest] = this.#known.keys();
    if (oldest === undefined) return;
    this.#known.delete(oldest);
    this.#results.delete(oldest);
  }
}

function outcome(finish: () => void): Pick<Operation, 'status' | 'error'> {
  try {
    finish();
    return { status: 'Succeeded' };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { status: 'Failed', error: { code: error.code, message: error.message } };
  }
}
