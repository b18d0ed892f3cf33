import type { ServiceKey } from '@fairlead/service';
import type { AllocationRequest } from './allocation-request.ts';
import { l4PortText } from './l2-port.ts';
import type { Freed } from './occupancy.ts';

/** What keeps a Service from what it asks for: ports that others have, or also that it may not be beside them. */
export type WaitsFor = 'ports' | 'room';

interface Waiting {
  readonly request: AllocationRequest;
  readonly waitsFor: WaitsFor;
  /** Orders by age: the time of creation, then the key. */
  readonly age: string;
}

/**
 * Services that got no address, or not all that they ask for. When something becomes free, those that may use it are
 * found without asking all the others.
 */
export class WaitingServices {
  readonly #waiting = new Map<ServiceKey, Waiting>();
  /** L4 port -> those that want it. */
  readonly #byPort = new Map<string, Set<ServiceKey>>();

  add(request: AllocationRequest, waitsFor: WaitsFor): void {
    const { service, createdAt } = request;
    this.delete(service);
    this.#waiting.set(service, { request, waitsFor, age: `${createdAt} ${service}` });
    for (const port of request.l4Ports.map(l4PortText)) {
      const wanting = this.#byPort.get(port);
      if (wanting === undefined) this.#byPort.set(port, new Set([service]));
      else wanting.add(service);
    }
  }

  /** There are ports for it now; it waits for room beside those who have others there. */
  awaitRoom(service: ServiceKey): void {
    const waiting = this.#waiting.get(service);
    if (waiting?.waitsFor === 'ports') this.#waiting.set(service, { ...waiting, waitsFor: 'room' });
  }

  delete(service: ServiceKey): void {
    const waiting = this.#waiting.get(service);
    if (waiting === undefined) return;
    this.#waiting.delete(service);
    for (const port of waiting.request.l4Ports.map(l4PortText)) {
      const wanting = this.#byPort.get(port);
      wanting?.delete(service);
      if (wanting?.size === 0) this.#byPort.delete(port);
    }
  }

  of(service: ServiceKey): AllocationRequest | undefined {
    return this.#waiting.get(service)?.request;
  }

  /** Those that may be able to use what became free, oldest first. */
  candidates({ ports, room }: Freed): readonly AllocationRequest[] {
    const keys = new Set([...ports].flatMap((port) => [...(this.#byPort.get(port) ?? [])]));
    if (room) for (const [key, { waitsFor }] of this.#waiting) if (waitsFor === 'room') keys.add(key);
    return this.#oldestFirst([...keys].flatMap((key) => this.#waiting.get(key) ?? []));
  }

  all(): readonly AllocationRequest[] {
    return this.#oldestFirst([...this.#waiting.values()]);
  }

  #oldestFirst(waiting: readonly Waiting[]): readonly AllocationRequest[] {
    return waiting.toSorted((left, right) => (left.age < right.age ? -1 : 1)).map(({ request }) => request);
  }
}
