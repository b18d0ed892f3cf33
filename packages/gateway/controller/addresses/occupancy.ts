import type { IpFamily } from '@fairlead/control';
import type { ServiceKey } from '@fairlead/service';
import { type L2Port, type L4Port, l4PortText } from './l2-port.ts';
import type { L2Ports } from './l2-ports.ts';
import { namespaceOf, NamespaceUse, type NamespaceLimits } from './namespace-use.ts';
import { SearchPlaces } from './search-places.ts';

/** What a place is searched for: an address without tenants, or one that may be shared. */
const ALONE = 'alone';
const SHARED = 'shared';
const NO_TENANTS: ReadonlyMap<ServiceKey, boolean> = new Map();

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
  /** The addresses that this is about. */
  readonly l2Ports: ReadonlySet<L2Port>;
  /** The namespace that has less of something now that is limited. */
  readonly easedNamespace?: string;
}

/**
 * Who is on which address with which L4 ports. What a Service gives up stays reserved for it until `settle` says
 * that the world outside no longer shows it: only then may another have it. Every change costs O(ports of the one Service).
 */
export class Occupancy {
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
  readonly #places: SearchPlaces;
  readonly #namespaces: NamespaceUse;
  #revision = 0;

  constructor(known: L2Ports, limits: NamespaceLimits) {
    this.#places = new SearchPlaces(known);
    this.#namespaces = new NamespaceUse(limits);
  }

  /** Rises with every change of who is where with what. */
  get revision(): number {
    return this.#revision;
  }

  get isLimited(): boolean {
    return this.#namespaces.isLimiting;
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

  /** The Services that are on it, and whether each wants it alone. */
  tenants(l2Port: L2Port): ReadonlyMap<ServiceKey, boolean> {
    return this.#tenants.get(l2Port.id) ?? NO_TENANTS;
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
    const tenants = this.tenants(l2Port);
    const own = tenants.get(asking);
    if (exclusive) return tenants.size === (own === undefined ? 0 : 1);
    return (this.#exclusiveTenants.get(l2Port.id) ?? 0) === (own === true ? 1 : 0);
  }

  /** The addresses that limits confine the Service to, by their ids; undefined where they do not. */
  confinedTo(service: ServiceKey, l4Ports: readonly L4Port[], exclusive: boolean): ReadonlySet<string> | undefined {
    return this.#namespaces.confinedTo(service, l4Ports, exclusive);
  }

  /** The place of the first L2 port of the pool and family on which all of these L4 ports may be free. */
  freePortsFrom(pool: string, family: IpFamily, l4Ports: readonly L4Port[]): number {
    return Math.max(
      0,
      ...l4Ports.map((l4Port) =>
        this.#places.first(pool, family, `free ${l4PortText(l4Port)}`, (l2Port) =>
          this.#holders.has(holderKey(l2Port, l4Port)),
        ),
      ),
    );
  }

  /** The same, where others let a Service in beside them that wants it alone or not. */
  roomFrom(pool: string, family: IpFamily, l4Ports: readonly L4Port[], exclusive: boolean): number {
    if (exclusive) {
      return this.#places.first(pool, family, ALONE, (l2Port) => this.tenants(l2Port).size > 0);
    }
    const isClosed = ({ id }: L2Port) => (this.#exclusiveTenants.get(id) ?? 0) > 0;
    return Math.max(
      0,
      ...l4Ports.map((l4Port) =>
        this.#places.first(
          pool,
          family,
          `${SHARED} ${l4PortText(l4Port)}`,
          (l2Port) => isClosed(l2Port) || this.#holders.has(holderKey(l2Port, l4Port)),
        ),
      ),
    );
  }

  /** An L2 port went: the places of others may have changed. */
  searchAnew(): void {
    this.#places.clear();
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
    for (const l2Port of l2Ports) if (this.tenants(l2Port).size === 1) this.#setTenant(service, l2Port, true);
  }

  /** The world shows the Service with what is assigned to it and nothing else: frees the rest, and tells what that was. */
  settle(service: ServiceKey): Freed | undefined {
    const reserved = this.#reserved.get(service);
    if (reserved === undefined) return undefined;
    this.#reserved.delete(service);
    const current = this.#assigned.get(service);
    const kept = new Set(current === undefined ? [] : current.l2Ports.flatMap((l2Port) => keysOn(l2Port, current)));
    const ports = new Set<string>();
    const l2Ports = new Set<L2Port>();
    let room = false;
    for (const holding of reserved) {
      for (const l2Port of holding.l2Ports) {
        for (const l4Port of holding.l4Ports) {
          if (this.#free(service, l2Port, l4Port, kept)) ports.add(l4PortText(l4Port));
        }
        l2Ports.add(l2Port);
        const wanted = current?.l2Ports.includes(l2Port) ? current.exclusive : undefined;
        room = this.#setTenant(service, l2Port, wanted) || room;
      }
    }
    if (ports.size === 0 && !room) return undefined;
    const eased = this.#namespaces.isLimiting ? { easedNamespace: namespaceOf(service) } : {};
    return { ports, room, l2Ports, ...eased };
  }

  #free(service: ServiceKey, l2Port: L2Port, l4Port: L4Port, kept: ReadonlySet<string>): boolean {
    const key = holderKey(l2Port, l4Port);
    if (kept.has(key) || this.#holders.get(key) !== service) return false;
    this.#holders.delete(key);
    this.#revision += 1;
    this.#namespaces.setHolder(service, l2Port, l4Port, false);
    for (const search of ['free', SHARED]) this.#places.lower(l2Port, `${search} ${l4PortText(l4Port)}`);
    return true;
  }

  #occupy(service: ServiceKey, holding: Holding): void {
    for (const l2Port of holding.l2Ports) {
      const alone = holding.exclusive || this.tenants(l2Port).get(service) === true;
      this.#setTenant(service, l2Port, alone);
      for (const l4Port of holding.l4Ports) {
        const key = holderKey(l2Port, l4Port);
        if (this.#holders.has(key)) continue;
        this.#holders.set(key, service);
        this.#revision += 1;
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
    this.#revision += 1;
    const exclusiveTenants =
      (this.#exclusiveTenants.get(l2Port.id) ?? 0) + (alone === true ? 1 : 0) - (before === true ? 1 : 0);
    this.#exclusiveTenants.set(l2Port.id, exclusiveTenants);
    if (alone === undefined) tenants.delete(service);
    else tenants.set(service, alone);
    if (tenants.size === 0) this.#places.lower(l2Port, ALONE);
    if (before === true && exclusiveTenants === 0) this.#places.lowerAll(l2Port, SHARED);
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
