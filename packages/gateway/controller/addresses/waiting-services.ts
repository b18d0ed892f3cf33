import { SetMultimap } from '@fairlead/control';
import type { ServiceKey } from '@fairlead/service';
import type { AllocationRequest, KeptRequest } from './allocation-request.ts';
import { l4PortText } from './l2-port.ts';
import type { Freed } from './occupancy.ts';

/** What keeps a Service from what it asks for: ports that others have, or also that it may not be beside them. */
export type WaitsFor = 'ports' | 'room';

/** One that asks for what cannot be honoured, and is kept, waits for its ports on what it has alone. */
export type Waiting =
  | { readonly kind: 'assign'; readonly request: AllocationRequest; readonly waitsFor: WaitsFor }
  | { readonly kind: 'keep'; readonly request: KeptRequest };

/**
 * Services that got no address, or not all that they ask for. When something becomes free, those that may use it are
 * found without asking all the others.
 */
export class WaitingServices {
  readonly #waiting = new Map<ServiceKey, Waiting>();
  /** L4 port -> those that want it. */
  readonly #byPort = new SetMultimap<string, ServiceKey>();

  add(waiting: Waiting): void {
    const { service, l4Ports } = waiting.request;
    this.delete(service);
    this.#waiting.set(service, waiting);
    for (const port of l4Ports) this.#byPort.add(l4PortText(port), service);
  }

  /** There are ports for it now; it waits for room beside those who have others there. */
  awaitRoom(service: ServiceKey): void {
    const waiting = this.#waiting.get(service);
    if (waiting?.kind === 'assign' && waiting.waitsFor === 'ports')
      this.#waiting.set(service, { ...waiting, waitsFor: 'room' });
  }

  delete(service: ServiceKey): void {
    const waiting = this.#waiting.get(service);
    if (waiting === undefined) return;
    this.#waiting.delete(service);
    for (const port of waiting.request.l4Ports) this.#byPort.delete(l4PortText(port), service);
  }

  of(service: ServiceKey): AllocationRequest | undefined {
    const waiting = this.#waiting.get(service);
    return waiting?.kind === 'assign' ? waiting.request : undefined;
  }

  /** Those that may be able to use what became free, oldest first. */
  candidates({ ports, room }: Freed): readonly Waiting[] {
    const keys = new Set([...ports].flatMap((port) => [...this.#byPort.get(port)]));
    if (room) for (const [key, waiting] of this.#waiting) if (isForRoom(waiting)) keys.add(key);
    return oldestFirst([...keys].flatMap((key) => this.#waiting.get(key) ?? []));
  }

  all(): readonly Waiting[] {
    return oldestFirst([...this.#waiting.values()]);
  }
}

function isForRoom(waiting: Waiting): boolean {
  return waiting.kind === 'assign' && waiting.waitsFor === 'room';
}

function oldestFirst(waiting: readonly Waiting[]): readonly Waiting[] {
  const aged = waiting.map((one) => ({ one, age: `${one.request.createdAt} ${one.request.service}` }));
  return aged.toSorted((left, right) => (left.age < right.age ? -1 : 1)).map(({ one }) => one);
}
