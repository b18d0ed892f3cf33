import { familyOf, type IpAddress, type IpFamily } from '@fairlead/control';
import type { L2Port, L2PortId, L4Port, ServiceKey } from './l2-port.ts';

export interface AllocationRequest {
  readonly service: ServiceKey;
  /** The families wanted, most wanted first. */
  readonly families: readonly IpFamily[];
  /** Whether a family the pool lacks is a refusal, or simply left out. */
  readonly everyFamilyRequired: boolean;
  readonly l4Ports: readonly L4Port[];
  /** An exclusive Service shares its address with nobody. */
  readonly exclusive: boolean;
  /** The addresses the user asked for; at most one per family. */
  readonly requestedAddresses: readonly IpAddress[];
  /** The L2 ports it was given earlier: kept whenever they fit. */
  readonly current: readonly L2PortId[];
}

/** An L4 port that cannot be served on the address, and the Service that has it there. */
export interface TakenPort extends L4Port {
  readonly address: IpAddress;
  readonly holder: ServiceKey;
}

export type RefusalCode = 'pool-empty' | 'family-missing' | 'port-taken' | 'address-unknown' | 'address-taken';

export interface AllocationRefusal {
  readonly code: RefusalCode;
  /** Goes into the Service's status: names nobody, so that it does not change with every change of others. */
  readonly message: string;
  /** Who is in the way at this moment, for `why`. */
  readonly detail?: string;
}

export type Allocation =
  | {
      readonly kind: 'assigned';
      readonly l2Ports: readonly L2Port[];
      /** What it has on each of them. */
      readonly l4Ports: readonly L4Port[];
      /** Ports that others have on an address this Service already held: reported, while the rest is served. */
      readonly taken: readonly TakenPort[];
    }
  | ({ readonly kind: 'refused' } & AllocationRefusal);

interface Holding {
  readonly l2Ports: readonly L2Port[];
  readonly l4Ports: readonly L4Port[];
  readonly exclusive: boolean;
}

/**
 * Who has which L4 port on which address. What a Service gives up lingers as its own until `settle` says that the
 * world outside no longer shows it: only then may another have it. Every change costs O(ports of the one Service), but
 * for the search for a free address, which looks at each address of a family at most once.
 */
export class Allocator {
  /** address family -> its L2 ports, in the provider's order */
  readonly #pool = new Map<IpFamily, L2Port[]>();
  /** L2 port id -> the L2 port */
  readonly #l2Ports = new Map<string, L2Port>();
  /** L2 port id + protocol + port number -> the Service that holds it */
  readonly #holders = new Map<string, ServiceKey>();
  /** L2 port id -> the Services on it */
  readonly #tenants = new Map<string, Set<ServiceKey>>();
  /** Service -> what it is to have */
  readonly #assigned = new Map<ServiceKey, Holding>();
  /** Service -> what it had, and may still be seen with */
  readonly #lingering = new Map<ServiceKey, Holding[]>();

  constructor(pool: readonly L2Port[]) {
    for (const l2Port of pool) {
      if (this.#l2Ports.has(l2Port.id)) continue;
      this.#l2Ports.set(l2Port.id, l2Port);
      const family = this.#pool.get(l2Port.family);
      if (family === undefined) this.#pool.set(l2Port.family, [l2Port]);
      else family.push(l2Port);
    }
  }

  /** The L2 ports a Service is to have. */
  assigned(service: ServiceKey): readonly L2Port[] {
    return this.#assigned.get(service)?.l2Ports ?? [];
  }

  /** The Services on an L2 port. */
  tenants(id: L2PortId): readonly ServiceKey[] {
    return [...(this.#tenants.get(id) ?? [])];
  }

  /**
   * Keeps others off what a Service was given before a restart, without assigning it; who comes first, wins. To be
   * called for all Services before the first `assign`: an address in use is never given away because its holder was
   * read late.
   */
  linger(service: ServiceKey, ids: readonly L2PortId[], l4Ports: readonly L4Port[]): void {
    const l2Ports = ids.flatMap((id) => this.#l2Ports.get(id) ?? []);
    if (l2Ports.length > 0) this.#addLingering(service, { l2Ports, l4Ports, exclusive: false });
  }

  /** Gives the Service its addresses: those it has if they fit, else others, else what is left of those it has. */
  assign(request: AllocationRequest): Allocation {
    const allocation = this.#find(request);
    this.release(request.service);
    if (allocation.kind === 'assigned') this.#hold(request, allocation.l2Ports, allocation.l4Ports);
    return allocation;
  }

  /** The Service is to have nothing any more; what it has lingers until it is settled. */
  release(service: ServiceKey): void {
    const holding = this.#assigned.get(service);
    if (holding === undefined) return;
    this.#assigned.delete(service);
    this.#addLingering(service, holding);
  }

  /** The world shows the Service with what is assigned to it and nothing else: frees the rest. True when that was something. */
  settle(service: ServiceKey): boolean {
    const lingering = this.#lingering.get(service);
    if (lingering === undefined) return false;
    this.#lingering.delete(service);
    const current = this.#assigned.get(service);
    const kept = new Set(current === undefined ? [] : holderKeys(current));
    let freed = false;
    for (const holding of lingering) {
      for (const key of holderKeys(holding)) {
        if (kept.has(key) || this.#holders.get(key) !== service) continue;
        this.#holders.delete(key);
        freed = true;
      }
      for (const l2Port of holding.l2Ports) {
        if (current?.l2Ports.includes(l2Port)) continue;
        freed = this.#tenants.get(l2Port.id)?.delete(service) || freed;
      }
    }
    return freed;
  }

  #find(request: AllocationRequest): Allocation {
    const families = this.#servableFamilies(request);
    if (families.length === 0 || (request.everyFamilyRequired && families.length < request.families.length)) {
      return { kind: 'refused', ...this.#refuseFamilies(request) };
    }
    const unknown = request.requestedAddresses.find((address) => this.#l2PortAt(address) === undefined);
    if (unknown !== undefined) {
      return {
        kind: 'refused',
        code: 'address-unknown',
        message: `The address ${unknown} it asks for is not in the pool.`,
      };
    }
    const chosen = families.map((family) =>
      this.#candidates(request, family).find((port) => this.#fits(port, request)),
    );
    const l2Ports = chosen.filter((l2Port) => l2Port !== undefined);
    if (l2Ports.length === families.length) return { kind: 'assigned', l2Ports, l4Ports: request.l4Ports, taken: [] };
    return this.#keepWhatIsLeft(request, families) ?? { kind: 'refused', ...this.#refusePorts(request, families) };
  }

  /** The L2 ports of a family that the Service may have, those it has first. */
  #candidates(request: AllocationRequest, family: IpFamily): readonly L2Port[] {
    const pool = this.#pool.get(family) ?? [];
    const requested = request.requestedAddresses.find((address) => familyOf(address) === family);
    if (requested !== undefined) return pool.filter((l2Port) => l2Port.address === requested);
    const current = this.#currentIds(request);
    return [...pool.filter(({ id }) => current.includes(id)), ...pool];
  }

  #l2PortAt(address: IpAddress): L2Port | undefined {
    return this.#pool.get(familyOf(address))?.find((l2Port) => l2Port.address === address);
  }

  #hold(request: AllocationRequest, l2Ports: readonly L2Port[], l4Ports: readonly L4Port[]): void {
    const holding = { l2Ports, l4Ports, exclusive: request.exclusive };
    this.#assigned.set(request.service, holding);
    this.#reserve(request.service, holding);
  }

  #addLingering(service: ServiceKey, holding: Holding): void {
    const lingering = this.#lingering.get(service);
    if (lingering === undefined) this.#lingering.set(service, [holding]);
    else lingering.push(holding);
    this.#reserve(service, holding);
  }

  #reserve(service: ServiceKey, holding: Holding): void {
    for (const l2Port of holding.l2Ports) {
      const tenants = this.#tenants.get(l2Port.id);
      if (tenants === undefined) this.#tenants.set(l2Port.id, new Set([service]));
      else tenants.add(service);
    }
    for (const key of holderKeys(holding)) if (!this.#holders.has(key)) this.#holders.set(key, service);
  }

  #holderOf(l2Port: L2Port, l4Port: L4Port, asking: ServiceKey): ServiceKey | undefined {
    const holder = this.#holders.get(holderKey(l2Port, l4Port));
    return holder === asking ? undefined : holder;
  }

  #fits(l2Port: L2Port, request: AllocationRequest): boolean {
    const { service, l4Ports } = request;
    return (
      this.#mayShare(l2Port, request) &&
      l4Ports.every((l4Port) => this.#holderOf(l2Port, l4Port, service) === undefined)
    );
  }

  #mayShare(l2Port: L2Port, request: AllocationRequest): boolean {
    for (const tenant of this.#tenants.get(l2Port.id) ?? []) {
      if (tenant !== request.service && (request.exclusive || this.#isAloneOn(l2Port, tenant))) return false;
    }
    return true;
  }

  #isAloneOn(l2Port: L2Port, tenant: ServiceKey): boolean {
    const holdings = [this.#assigned.get(tenant), ...(this.#lingering.get(tenant) ?? [])];
    return holdings.some((holding) => holding?.exclusive && holding.l2Ports.includes(l2Port));
  }

  #servableFamilies(request: AllocationRequest): IpFamily[] {
    return request.families.filter((family) => (this.#pool.get(family)?.length ?? 0) > 0);
  }

  #refuseFamilies(request: AllocationRequest): AllocationRefusal {
    if (this.#l2Ports.size === 0) return { code: 'pool-empty', message: 'The pool has no addresses at all.' };
    const missing = request.families.filter((family) => !this.#pool.has(family));
    const message = `The pool has no ${missing.join(' and no ')} address, and the Service needs one.`;
    return { code: 'family-missing', message };
  }

  /** Which of several families fails may change with every change of others: the message is about all of them. */
  #refusePorts(request: AllocationRequest, families: readonly IpFamily[]): AllocationRefusal {
    const wanted = request.l4Ports.map((l4Port) => `${l4Port.protocol}/${l4Port.port}`).join(', ');
    const detail = families
      .map((family) => this.#candidates(request, family))
      .filter((candidates) => !candidates.some((l2Port) => this.#fits(l2Port, request)))
      .map((candidates) => this.#describeUses(request, candidates))
      .join('; ');
    if (request.requestedAddresses.length > 0) {
      const asked = request.requestedAddresses.join(' and ');
      return { code: 'address-taken', message: `${wanted} cannot be had on ${asked}, which it asks for.`, detail };
    }
    const pools = families.map((family) => `no ${family} address of the ${this.#pool.get(family)?.length ?? 0}`);
    const message = `There is ${pools.join(', or ')} in the pool that has ${wanted} free.`;
    return { code: 'port-taken', message, detail };
  }

  /** What we gave it counts before what it records: a cache may not have seen our own write yet. */
  #currentIds(request: AllocationRequest): readonly L2PortId[] {
    const assigned = this.assigned(request.service);
    return assigned.length > 0 ? assigned.map((l2Port) => l2Port.id) : request.current;
  }

  #currentPorts(request: AllocationRequest): L2Port[] | undefined {
    const families = this.#servableFamilies(request);
    const kept: L2Port[] = [];
    for (const family of families) {
      const l2Port = this.#currentIds(request)
        .map((id) => this.#l2Ports.get(id))
        .find((known) => known?.family === family);
      if (l2Port === undefined) return undefined;
      const requested = request.requestedAddresses.find((address) => familyOf(address) === family);
      if (requested !== undefined && requested !== l2Port.address) return undefined;
      kept.push(l2Port);
    }
    return kept.length === 0 ? undefined : kept;
  }

  /** An edit that cannot be honoured must not take a served address away: what others do not hold stays served. */
  #keepWhatIsLeft(request: AllocationRequest, families: readonly IpFamily[]): Allocation | undefined {
    const kept = this.#currentPorts(request);
    if (kept === undefined || kept.length < families.length) return undefined;
    if (!kept.every((l2Port) => this.#mayShare(l2Port, request))) return undefined;
    const taken = kept.flatMap((l2Port) => this.#takenPorts(l2Port, request));
    const isTaken = (l4Port: L4Port) =>
      taken.some((other) => other.protocol === l4Port.protocol && other.port === l4Port.port);
    const l4Ports = request.l4Ports.filter((l4Port) => !isTaken(l4Port));
    return l4Ports.length === 0 ? undefined : { kind: 'assigned', l2Ports: kept, l4Ports, taken };
  }

  #takenPorts(l2Port: L2Port, request: AllocationRequest): TakenPort[] {
    return request.l4Ports.flatMap((l4Port) => {
      const holder = this.#holderOf(l2Port, l4Port, request.service);
      return holder === undefined ? [] : [{ ...l4Port, address: l2Port.address, holder }];
    });
  }

  #describeUses(request: AllocationRequest, candidates: readonly L2Port[]): string {
    const pool = [...new Set(candidates)];
    const shown = pool.slice(0, 3).map((l2Port) => `${l2Port.address}: ${this.#describeUse(l2Port, request)}`);
    const more = pool.length > shown.length ? [`and ${pool.length - shown.length} more`] : [];
    return [...shown, ...more].join('; ');
  }

  #describeUse(l2Port: L2Port, request: AllocationRequest): string {
    const taken = this.#takenPorts(l2Port, request)[0];
    if (taken !== undefined) return `${taken.protocol}/${taken.port} belongs to ${taken.holder}`;
    const tenants = this.tenants(l2Port.id)
      .filter((tenant) => tenant !== request.service)
      .join(', ');
    return request.exclusive ? `shared with ${tenants}, while it wants an address alone` : `${tenants} wants it alone`;
  }
}

function holderKeys(holding: Holding): string[] {
  return holding.l2Ports.flatMap((l2Port) => holding.l4Ports.map((l4Port) => holderKey(l2Port, l4Port)));
}

function holderKey(l2Port: L2Port, l4Port: L4Port): string {
  return `${l2Port.id} ${l4Port.protocol} ${l4Port.port}`;
}
