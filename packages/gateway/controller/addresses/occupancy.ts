import type { IpFamily } from '@fairlead/control';
import type { ServiceKey } from '@fairlead/service';
import { type L2Port, type L4Port, l4PortText } from './l2-port.ts';
import { NamespaceUse, type NamespaceLimits } from './namespace-use.ts';
import type { L2Ports } from './l2-ports.ts';

/** What one Service has: the same L4 ports on each of the L2 ports. */
export interface Holding {
  readonly l2Ports: readonly L2Port[];
  readonly l4Ports: readonly L4Port[];
  /** Whether no other Service may be on these L2 ports. */
  readonly exclusive: boolean;
}

/** What became free for others. */
export interface Freed {
  /** L4 ports that are free on some address. */
  readonly ports: ReadonlySet<string>;
  /** Whether a Service left an address, or is willing to share it from now on. */
  readonly room: boolean;
}

/**
 * Who is on which address with which L4 ports. What a Service gives up stays reserved for it until `settle` says
 * that the world outside no longer shows it: only then may another have it. Every change costs O(ports of the one Service).
 */
export class Occupancy {
  readonly #known: L2Ports;
  /** L2 port id + L4 port -> the Service that has it */
  readonly #holders = new Map<string, ServiceKey>();
  /** L2 port id -> the Services on it, and whether each wants it alone */
  readonly #tenants = new Map<string, Map<ServiceKey, boolean>>();
  /** L2 port id -> how many of its tenants want it alone */
  readonly #exclusiveTenants = new Map<string, number>();
  /** Service -> what it is to have */
  readonly #assigned = new Map<ServiceKey, Holding>();
  /** Service -> what it had, and may still be seen with */
  readonly #reserved = new Map<ServiceKey, readonly Holding[]>();
  /** pool, family and L4 port -> every L2 port before this place has it taken: where a search may begin */
  readonly #searchFrom = new Map<string, number>();

  readonly #namespaces: NamespaceUse;

  constructor(known: L2Ports, limits: NamespaceLimits) {
    this.#known = known;
    this.#namespaces = new NamespaceUse(limits);
  }

  assigned(service: ServiceKey): Holding | undefined {
    return this.#assigned.get(service);
  }

  /** What it had before a restart, or before it was given something else, and may still be seen with. */
  reserved(service: ServiceKey): readonly L2Port[] {
    return (this.#reserved.get(service) ?? []).flatMap((holding) => holding.l2Ports);
  }

  /** The limit of its namespace that keeps the Service off the L2 port; undefined when none does. */
  limitOn(service: ServiceKey, l2Port: L2Port, l4Ports: readonly L4Port[], exclusive: boolean): string | undefined {
    return this.#namespaces.limitOn(service, l2Port, l4Ports, exclusive);
  }

  tenants(l2Port: L2Port): readonly ServiceKey[] {
    return [...(this.#tenants.get(l2Port.id)?.keys() ?? [])];
  }

  holds(service: ServiceKey, l2Port: L2Port, l4Port: L4Port): boolean {
    return this.#holders.get(holderKey(l2Port, l4Port)) === service;
  }

  /** Undefined when no other Service has it. */
  holderOf(l2Port: L2Port, l4Port: L4Port, asking: ServiceKey): ServiceKey | undefined {
    const holder = this.#holders.get(holderKey(l2Port, l4Port));
    return holder === asking ? undefined : holder;
  }

  /** Whether the Service may be on the L2 port beside those who are. */
  mayShare(l2Port: L2Port, asking: ServiceKey, exclusive: boolean): boolean {
    const tenants = this.#tenants.get(l2Port.id);
    if (tenants === undefined) return true;
    const own = tenants.get(asking);
    if (exclusive) return tenants.size === (own === undefined ? 0 : 1);
    return (this.#exclusiveTenants.get(l2Port.id) ?? 0) === (own === true ? 1 : 0);
  }

  /** The place of the first L2 port of the pool and family on which all of these L4 ports may be free. */
  searchFrom(pool: string, family: IpFamily, l4Ports: readonly L4Port[]): number {
    const l2Ports = this.#known.of(pool, family);
    let from = 0;
    for (const l4Port of l4Ports) {
      const key = searchKey(pool, family, l4Port);
      let place = this.#searchFrom.get(key) ?? 0;
      for (let next = l2Ports[place]; next && this.#holders.has(holderKey(next, l4Port)); next = l2Ports[place])
        place += 1;
      this.#searchFrom.set(key, place);
      from = Math.max(from, place);
    }
    return from;
  }

  /** An L2 port went: the places of others may have changed. */
  searchAnew(): void {
    this.#searchFrom.clear();
  }

  /** The Service is to have this, or nothing any more. What it had stays reserved. */
  assign(service: ServiceKey, holding: Holding | undefined): void {
    const before = this.#assigned.get(service);
    if (before !== undefined && holding !== undefined && isSame(before, holding)) return;
    this.#assigned.delete(service);
    if (before !== undefined) this.reserve(service, before);
    if (holding === undefined) return;
    this.#assigned.set(service, holding);
    this.#occupy(service, holding);
  }

  /** Keeps others off what a Service may still be seen with. What another has already is not taken from it. */
  reserve(service: ServiceKey, holding: Holding): void {
    const reserved = this.#reserved.get(service) ?? [];
    if (reserved.some((known) => isSame(known, holding))) return;
    this.#reserved.set(service, [...reserved, holding]);
    this.#occupy(service, holding);
  }

  /** Keeps an address to the Service for which alone it is reserved: one that others are on already stays shared. */
  keepAlone(service: ServiceKey): void {
    const l2Ports = (this.#reserved.get(service) ?? []).flatMap((holding) => holding.l2Ports);
    for (const l2Port of l2Ports) if (this.#tenants.get(l2Port.id)?.size === 1) this.#setTenant(service, l2Port, true);
  }

  /** The world shows the Service with what is assigned to it and nothing else: frees the rest, and tells what that was. */
  settle(service: ServiceKey): Freed | undefined {
    const reserved = this.#reserved.get(service);
    if (reserved === undefined) return undefined;
    this.#reserved.delete(service);
    const current = this.#assigned.get(service);
    const kept = new Set(current === undefined ? [] : current.l2Ports.flatMap((l2Port) => keysOn(l2Port, current)));
    const ports = new Set<string>();
    let room = false;
    for (const holding of reserved) {
      for (const l2Port of holding.l2Ports) {
        for (const l4Port of holding.l4Ports) {
          if (this.#free(service, l2Port, l4Port, kept)) ports.add(l4PortText(l4Port));
        }
        const wanted = current?.l2Ports.includes(l2Port) ? current.exclusive : undefined;
        room = this.#setTenant(service, l2Port, wanted) || room;
      }
    }
    return ports.size > 0 || room ? { ports, room } : undefined;
  }

  #free(service: ServiceKey, l2Port: L2Port, l4Port: L4Port, kept: ReadonlySet<string>): boolean {
    const key = holderKey(l2Port, l4Port);
    if (kept.has(key) || this.#holders.get(key) !== service) return false;
    this.#holders.delete(key);
    this.#namespaces.setHolder(service, l2Port, l4Port, false);
    const search = searchKey(l2Port.pool, l2Port.family, l4Port);
    this.#searchFrom.set(search, Math.min(this.#searchFrom.get(search) ?? 0, this.#known.placeOf(l2Port)));
    return true;
  }

  #occupy(service: ServiceKey, holding: Holding): void {
    for (const l2Port of holding.l2Ports) {
      const alone = holding.exclusive || this.#tenants.get(l2Port.id)?.get(service) === true;
      this.#setTenant(service, l2Port, alone);
      for (const l4Port of holding.l4Ports) {
        const key = holderKey(l2Port, l4Port);
        if (this.#holders.has(key)) continue;
        this.#holders.set(key, service);
        this.#namespaces.setHolder(service, l2Port, l4Port, true);
      }
    }
  }

  /** `alone` undefined: it is on it no longer. True when others may have got more room by it. */
  #setTenant(service: ServiceKey, l2Port: L2Port, alone: boolean | undefined): boolean {
    const tenants = this.#tenants.get(l2Port.id) ?? new Map<ServiceKey, boolean>();
    this.#tenants.set(l2Port.id, tenants);
    const before = tenants.get(service);
    if (before === alone) return false;
    const exclusiveTenants =
      (this.#exclusiveTenants.get(l2Port.id) ?? 0) + (alone === true ? 1 : 0) - (before === true ? 1 : 0);
    this.#exclusiveTenants.set(l2Port.id, exclusiveTenants);
    if (alone === undefined) tenants.delete(service);
    else tenants.set(service, alone);
    this.#namespaces.setTenant(service, l2Port, alone);
    return alone !== true;
  }
}

function isSame(left: Holding, right: Holding): boolean {
  return (
    left.exclusive === right.exclusive &&
    left.l2Ports.length === right.l2Ports.length &&
    left.l4Ports.length === right.l4Ports.length &&
    left.l2Ports.every((l2Port, index) => l2Port.id === right.l2Ports[index]?.id) &&
    left.l4Ports.every(
      (l4Port, index) => l4PortText(l4Port) === (right.l4Ports[index] && l4PortText(right.l4Ports[index])),
    )
  );
}

function keysOn(l2Port: L2Port, holding: Holding): readonly string[] {
  return holding.l4Ports.map((l4Port) => holderKey(l2Port, l4Port));
}

function holderKey(l2Port: L2Port, l4Port: L4Port): string {
  return `${l2Port.id} ${l4PortText(l4Port)}`;
}

function searchKey(pool: string, family: IpFamily, l4Port: L4Port): string {
  return `${family} ${l4PortText(l4Port)} ${pool}`;
}
