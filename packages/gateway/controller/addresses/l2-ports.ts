import type { IpAddress, IpFamily } from '@fairlead/control';
import type { L2Port } from './l2-port.ts';

/** The families of which more addresses can be made in a pool. */
export type FamiliesOf = (pool: string) => readonly IpFamily[];

/** The L2 ports there are to give, of all pools, each found at once by whatever is known of it. */
export class L2Ports {
  /** pool and family -> its L2 ports, in the provider's order */
  readonly #lists = new Map<string, L2Port[]>();
  readonly #byId = new Map<string, L2Port>();
  readonly #byIngress = new Map<IpAddress, L2Port>();
  /** By what the gateways hold. */
  readonly #byAddress = new Map<IpAddress, L2Port>();
  /** L2 port id -> its place in its list */
  readonly #places = new Map<string, number>();

  readonly #familiesOf: FamiliesOf;

  constructor(l2Ports: Iterable<L2Port>, familiesOf: FamiliesOf = () => []) {
    this.#familiesOf = familiesOf;
    for (const l2Port of l2Ports) this.add(l2Port);
  }

  /** By their ids. */
  all(): ReadonlyMap<string, L2Port> {
    return this.#byId;
  }

  /** The one that is known already stays. */
  add(l2Port: L2Port): void {
    if (this.#byId.has(l2Port.id)) return;
    this.#byId.set(l2Port.id, l2Port);
    this.#byIngress.set(l2Port.ingress, l2Port);
    this.#byAddress.set(l2Port.address, l2Port);
    const list = this.#lists.get(listKey(l2Port.pool, l2Port.family)) ?? [];
    this.#lists.set(listKey(l2Port.pool, l2Port.family), list);
    this.#places.set(l2Port.id, list.length);
    list.push(l2Port);
  }

  remove(l2Port: L2Port): void {
    if (!this.#byId.delete(l2Port.id)) return;
    this.#byIngress.delete(l2Port.ingress);
    this.#byAddress.delete(l2Port.address);
    this.#places.delete(l2Port.id);
    const left = this.of(l2Port.pool, l2Port.family).filter(({ id }) => id !== l2Port.id);
    this.#lists.set(listKey(l2Port.pool, l2Port.family), left);
    for (const [place, { id }] of left.entries()) this.#places.set(id, place);
  }

  of(pool: string, family: IpFamily): readonly L2Port[] {
    return this.#lists.get(listKey(pool, family)) ?? [];
  }

  /** Whether the pool has addresses of the family, or can have them made. */
  offers(pool: string, family: IpFamily): boolean {
    return this.of(pool, family).length > 0 || this.#familiesOf(pool).includes(family);
  }

  byId(id: string): L2Port | undefined {
    return this.#byId.get(id);
  }

  /** By the address that a status shows. */
  at(ingress: IpAddress): L2Port | undefined {
    return this.#byIngress.get(ingress);
  }

  /** Whether another has one of its addresses, which then is no longer there. */
  replaces({ id, address, ingress }: L2Port): boolean {
    return [this.#byAddress.get(address), this.at(ingress)].some((other) => other !== undefined && other.id !== id);
  }

  placeOf(l2Port: L2Port): number {
    return this.#places.get(l2Port.id) ?? 0;
  }
}

function listKey(pool: string, family: IpFamily): string {
  return `${family} ${pool}`;
}
