import type { IpAddress, IpFamily } from '@fairlead/control';
import type { L2Port } from './l2-port.ts';

/** The L2 ports there are to give, each found at once by whatever is known of it. */
export class Pool {
  /** address family -> its L2 ports, in the provider's order */
  readonly #byFamily = new Map<IpFamily, L2Port[]>();
  readonly #byId = new Map<string, L2Port>();
  readonly #byAddress = new Map<IpAddress, L2Port>();
  /** L2 port id -> its place among those of its family */
  readonly #places = new Map<string, number>();

  constructor(l2Ports: Iterable<L2Port>) {
    for (const l2Port of l2Ports) {
      if (this.#byId.has(l2Port.id)) continue;
      this.#byId.set(l2Port.id, l2Port);
      this.#byAddress.set(l2Port.address, l2Port);
      const family = this.#byFamily.get(l2Port.family) ?? [];
      this.#byFamily.set(l2Port.family, family);
      this.#places.set(l2Port.id, family.length);
      family.push(l2Port);
    }
  }

  get size(): number {
    return this.#byId.size;
  }

  of(family: IpFamily): readonly L2Port[] {
    return this.#byFamily.get(family) ?? [];
  }

  byId(id: string): L2Port | undefined {
    return this.#byId.get(id);
  }

  at(address: IpAddress): L2Port | undefined {
    return this.#byAddress.get(address);
  }

  placeOf(l2Port: L2Port): number {
    return this.#places.get(l2Port.id) ?? 0;
  }
}
