import type { IpAddress } from '@fairlead/control';
import type { ServiceKey } from '@fairlead/service';
import { AddressSearch } from './address-search.ts';
import type {
  Allocation,
  AllocationRefusal,
  AllocationRequest,
  KeptRequest,
  SeenHolding,
} from './allocation-request.ts';
import type { L2Port, L4Port } from './l2-port.ts';
import { type FamiliesOf, L2Ports } from './l2-ports.ts';
import { namespaceOf, type NamespaceLimits } from './namespace-use.ts';
import { type Freed, type Holding, Occupancy } from './occupancy.ts';
import { RefusalReasons } from './refusal-reasons.ts';
import { type Waiting, WaitingServices } from './waiting-services.ts';

/** Gives out the addresses of pools, so that no two Services have the same L4 port on the same address. */
export class Allocator {
  readonly #known: L2Ports;
  readonly #occupancy: Occupancy;
  readonly #search: AddressSearch;
  readonly #reasons: RefusalReasons;
  readonly #waiting = new WaitingServices();
  /** How many L2 ports came and went. */
  #comings = 0;

  constructor(l2Ports: Iterable<L2Port>, limits: NamespaceLimits = {}, familiesOf?: FamiliesOf) {
    this.#known = new L2Ports(l2Ports, familiesOf);
    this.#occupancy = new Occupancy(this.#known, limits);
    this.#search = new AddressSearch(this.#known, this.#occupancy);
    this.#reasons = new RefusalReasons(this.#known, this.#occupancy, this.#search);
  }

  /** The L2 ports a Service is to have. */
  assigned(service: ServiceKey): readonly L2Port[] {
    return this.#occupancy.assigned(service)?.l2Ports ?? [];
  }

  /** What a Service is to have, to be settled once the world shows it. */
  holding(service: ServiceKey): Holding | undefined {
    return this.#occupancy.assigned(service);
  }

  /**
   * Keeps others off what a Service was given before a restart, without assigning it; who comes first, wins. To be
   * called for all Services before the first `assign`: an address in use is never given away because its holder was
   * read late.
   */
  reserve(service: ServiceKey, { l2Ports: ids, l4Ports }: SeenHolding): void {
    const l2Ports = ids.flatMap((id) => this.#known.byId(id) ?? []);
    if (l2Ports.length > 0) this.#occupancy.reserve(service, { l2Ports, l4Ports, exclusive: false });
  }

  /** Whether no other Service has, or is kept for, any of this. */
  isUncontested(service: ServiceKey, { l2Ports: ids, l4Ports }: SeenHolding): boolean {
    const l2Ports = ids.flatMap((id) => this.#known.byId(id) ?? []);
    const isFree = (l2Port: L2Port) =>
      l4Ports.every((l4Port) => this.#occupancy.holderOf(l2Port, l4Port, service) === undefined);
    return l2Ports.every((l2Port) => isFree(l2Port) && this.#occupancy.mayShare(l2Port, service, false));
  }

  /** After all are reserved: keeps to an exclusive Service the addresses that are reserved for it alone. */
  keepAlone(service: ServiceKey): void {
    this.#occupancy.keepAlone(service);
  }

  /** The L2 port that is shown with this address, if it is in any pool. */
  at(address: IpAddress): L2Port | undefined {
    return this.#known.at(address);
  }

  /** Whether a new L2 port has an address of one that we know, which then is no longer there. */
  replaces(l2Port: L2Port): boolean {
    return this.#known.replaces(l2Port);
  }

  /** Takes a new L2 port. What it is enough for goes to the oldest Services that wait; gives these. */
  add(l2Port: L2Port): readonly ServiceKey[] {
    this.#known.add(l2Port);
    this.#comings += 1;
    return this.#serve(this.#waiting.all(), { ports: new Set(), room: true, l2Ports: new Set([l2Port]) });
  }

  /**
   * Those that wait for certain addresses, and are to be told another reason now that this L2 port came or went: it is
   * one of these, or the only one of its family.
   */
  concernedBy({ pool, family, ingress }: L2Port): readonly ServiceKey[] {
    const mayBeFirst = this.#known.of(pool, family).length <= 1;
    const isConcerned = ({ requestedAddresses: asked }: AllocationRequest) =>
      asked.includes(ingress) || (mayBeFirst && asked.length > 0);
    return this.#waiting
      .all()
      .filter((waiting) => waiting.kind === 'assign' && isConcerned(waiting.request))
      .map(({ request }) => request.service);
  }

  /** Rises with every change after which another address may help a Service that waits. */
  get revision(): number {
    return this.#comings + this.#occupancy.revision;
  }

  /**
   * Whether what would help a Service can become something else while it waits: it wants two families, or is within
   * limits. One that waits no longer needs nothing.
   */
  mayNeedAnother(service: ServiceKey): boolean {
    const request = this.#waiting.of(service);
    return request === undefined || request.families.length > 1 || this.#occupancy.isLimited;
  }

  /** What one more address would help against, for a Service that waits. */
  wouldHelp(service: ServiceKey): AllocationRefusal['wouldHelp'] {
    const request = this.#waiting.of(service);
    if (request === undefined || this.#search.find(request) !== undefined) return undefined;
    return this.#reasons.of(request).wouldHelp;
  }

  /** Forgets an L2 port that no Service is on, so that none gets it; false when there is one. */
  retire(l2Port: L2Port): boolean {
    if (this.isUsed(l2Port)) return false;
    this.#known.remove(l2Port);
    this.#comings += 1;
    this.#occupancy.searchAnew();
    return true;
  }

  /** The L2 ports to give back: no Service is on them, nor was until the world no longer shows it. */
  unused(): readonly L2Port[] {
    return [...this.#known.all().values()].filter((l2Port) => !l2Port.stays && !this.isUsed(l2Port));
  }

  /** How many L2 ports there are. */
  get size(): number {
    return this.#known.all().size;
  }

  has({ id }: Pick<L2Port, 'id'>): boolean {
    return this.#known.byId(id) !== undefined;
  }

  /** What the Service has, or had until the world no longer shows it. */
  l2PortsOf(service: ServiceKey): readonly L2Port[] {
    return [...this.assigned(service), ...this.#occupancy.reserved(service)];
  }

  isUsed(l2Port: L2Port): boolean {
    return this.#occupancy.tenants(l2Port).size > 0;
  }

  /** A Service that asks for what cannot be honoured goes on with what is left of what it has; undefined: nothing. */
  keep(request: KeptRequest): Holding | undefined {
    this.#waiting.delete(request.service);
    const kept = this.#keepWhatIsLeft(request);
    this.#occupancy.assign(request.service, kept);
    if (kept !== undefined && kept.l4Ports.length < request.l4Ports.length)
      this.#waiting.add({ kind: 'keep', request });
    return kept;
  }

  /** Gives the Service its addresses: those it has if they fit, else others, else what is left of those it has. */
  assign(request: AllocationRequest): Allocation {
    const found = this.#search.find(request);
    if (found === undefined) {
      const refusal = this.#reasons.of(request);
      this.#waiting.add({ kind: 'assign', request, waitsFor: this.#search.waitsFor(request) });
      const kept = this.#keepWhatIsLeft(request);
      this.#occupancy.assign(request.service, kept);
      if (kept === undefined) return { kind: 'refused', refusal };
      return { kind: 'assigned', l2Ports: kept.l2Ports, l4Ports: kept.l4Ports, shortfall: refusal };
    }
    this.#grant(request, found);
    return { kind: 'assigned', l2Ports: found, l4Ports: request.l4Ports };
  }

  /** The Service is to have nothing any more; what it has stays reserved until it is settled. */
  release(service: ServiceKey): void {
    this.#waiting.delete(service);
    this.#occupancy.assign(service, undefined);
  }

  /**
   * The world shows the Service with this and nothing else: frees the rest. What became free goes to the oldest Services
   * that were waiting for it and that it is enough for; gives these. One that was given something else since stays as it
   * is: its own turn comes.
   */
  settle(service: ServiceKey, shown: Holding | undefined): readonly ServiceKey[] {
    if (shown !== this.holding(service)) return [];
    const freed = this.#occupancy.settle(service);
    return freed === undefined ? [] : this.#serve(this.#waiting.candidates(freed), freed);
  }

  /** Costs little for each of those that it is of no use for. */
  #serve(waiting: readonly Waiting[], freed: Freed): readonly ServiceKey[] {
    return waiting.flatMap(({ kind, request }) => {
      const isServed = kind === 'assign' && this.#grantIfEnough(request, freed);
      return isServed || this.#extend(request, freed) ? [request.service] : [];
    });
  }

  #grantIfEnough(request: AllocationRequest, freed: Freed): boolean {
    const within = [...freed.l2Ports].filter((l2Port) => this.#search.isCandidate(l2Port, request));
    const mayBeEnough = isEased(request, freed) || within.some((l2Port) => this.#search.fits(l2Port, request));
    const found = mayBeEnough ? this.#search.find(request) : undefined;
    if (found !== undefined) this.#grant(request, found);
    // Who waited for ports may have to wait for room now, on an address where they are free.
    else if (within.some((l2Port) => this.#search.hasFreePorts(l2Port, request)))
      this.#waiting.awaitRoom(request.service);
    return found !== undefined;
  }

  /** What it has may have become more, though it is not all yet. */
  #extend(request: KeptRequest, freed: Freed): boolean {
    const { service } = request;
    if (!isEased(request, freed) && !this.l2PortsOf(service).some((l2Port) => freed.l2Ports.has(l2Port))) return false;
    const kept = this.#keepWhatIsLeft(request);
    const { l4Ports = [] } = this.holding(service) ?? {};
    if (kept === undefined || kept.l4Ports.length <= l4Ports.length) return false;
    this.#occupancy.assign(service, kept);
    return true;
  }

  #grant(request: AllocationRequest, l2Ports: readonly L2Port[]): void {
    const { service, l4Ports, exclusive } = request;
    this.#waiting.delete(service);
    this.#occupancy.assign(service, { l2Ports, l4Ports, exclusive });
  }

  /** An edit that cannot be honoured must not take a served address away: what others do not have stays served. */
  #keepWhatIsLeft(request: KeptRequest): Holding | undefined {
    const { service, permittedPools } = request;
    const l2Ports = request.families
      .flatMap((family) => this.#search.current(request, family) ?? [])
      .filter(({ id, pool }) => permittedPools.includes(pool) && this.#known.byId(id) !== undefined)
      .filter((l2Port) => this.#occupancy.mayShare(l2Port, service, false));
    const l4Ports = request.l4Ports.filter((l4Port) =>
      l2Ports.every((l2Port) => this.#mayKeep(l2Port, l4Port, service)),
    );
    if (l2Ports.length === 0 || l4Ports.length === 0) return undefined;
    const mayBeAlone = (l2Port: L2Port) =>
      this.#occupancy.mayShare(l2Port, service, true) &&
      this.#occupancy.limitOn(service, l2Port, [], true) === undefined;
    const exclusive = request.exclusive && l2Ports.every(mayBeAlone);
    return { l2Ports, l4Ports, exclusive };
  }

  /** What it has, or what is free and within the limits of its namespace: an edit is no way around them. */
  #mayKeep(l2Port: L2Port, l4Port: L4Port, service: ServiceKey): boolean {
    if (this.#occupancy.holds(service, l2Port, l4Port)) return true;
    return (
      this.#occupancy.holderOf(l2Port, l4Port, service) === undefined &&
      this.#occupancy.limitOn(service, l2Port, [l4Port], false) === undefined
    );
  }
}

function isEased({ service }: KeptRequest, { easedNamespace }: Freed): boolean {
  return easedNamespace === namespaceOf(service);
}
