import type { ServiceKey } from '@fairlead/service';
import { frontendKey, type VirtualServer } from '../../protocol/configuration.ts';
import { canonicalText } from '../../protocol/delta.ts';
import type { PoolServer } from '../backends/virtual-servers.ts';

interface Entry extends PoolServer {
  readonly owner: ServiceKey;
}

/** What a change of one Service's virtual servers came to. */
export interface TableChange {
  /** The frontends that changed, and the pools whose gateways are concerned: old and new. */
  readonly frontends: readonly string[];
  /** Whether more changed than the backends: who may connect, or where. */
  readonly isServedAnew: boolean;
}

const NO_CHANGE: TableChange = { frontends: [], isServedAnew: false };

/**
 * All that the gateways are to serve, by frontend. A frontend has one owner at a time: the first keeps it until it gives
 * it up. Every change costs as much as the one Service.
 */
export class VirtualServerTable {
  readonly #entries = new Map<string, Entry>();
  readonly #byOwner = new Map<ServiceKey, ReadonlySet<string>>();
  #revision = 0;

  /** Rises with each change. */
  get revision(): number {
    return this.#revision;
  }

  get(frontend: string): PoolServer | undefined {
    return this.#entries.get(frontend);
  }

  entries(): Iterable<readonly [string, PoolServer]> {
    return this.#entries;
  }

  ownerOf(frontend: string): ServiceKey | undefined {
    return this.#entries.get(frontend)?.owner;
  }

  serversOf(owner: ServiceKey): readonly PoolServer[] {
    return [...(this.#byOwner.get(owner) ?? [])].flatMap((frontend) => this.#entries.get(frontend) ?? []);
  }

  /** Whether the Service is served so, but perhaps for its backends. */
  isServed(owner: ServiceKey, servers: readonly PoolServer[]): boolean {
    return servers.every((one) => {
      const entry = this.#entries.get(frontendKey(one.server));
      return entry?.owner === owner && isSamePolicy(entry, one);
    });
  }

  /** The Service is to be served by these and no others. */
  set(owner: ServiceKey, servers: readonly PoolServer[]): TableChange {
    const wanted = new Map(servers.map((one) => [frontendKey(one.server), one]));
    const before = this.#byOwner.get(owner) ?? new Set<string>();
    const gone = [...before].filter((frontend) => !wanted.has(frontend));
    const free = [...wanted].filter(([frontend]) => (this.ownerOf(frontend) ?? owner) === owner);
    const changed = free.filter(([frontend, one]) => !isSame(this.#entries.get(frontend), one));
    if (gone.length === 0 && changed.length === 0) return NO_CHANGE;
    const isServedAnew = changed.some(([frontend, one]) => !isSamePolicy(this.#entries.get(frontend), one));
    for (const frontend of gone) this.#entries.delete(frontend);
    for (const [frontend, one] of changed) this.#entries.set(frontend, { ...one, owner });
    if (free.length === 0) this.#byOwner.delete(owner);
    else this.#byOwner.set(owner, new Set(free.map(([frontend]) => frontend)));
    this.#revision += 1;
    return { frontends: [...gone, ...changed.map(([frontend]) => frontend)], isServedAnew };
  }

  /** The same of what it has already: backends change at once, addresses only when the Service shows them. */
  refresh(owner: ServiceKey, servers: readonly PoolServer[]): TableChange {
    const wanted = new Map(servers.map((one) => [frontendKey(one.server), one]));
    const its = this.#byOwner.get(owner) ?? new Set<string>();
    return this.set(
      owner,
      [...its].flatMap((frontend) => wanted.get(frontend) ?? this.#entries.get(frontend) ?? []),
    );
  }
}

function isSame(one: PoolServer | undefined, other: PoolServer): boolean {
  return one?.pool === other.pool && canonicalText(one.server) === canonicalText(other.server);
}

function isSamePolicy(one: PoolServer | undefined, other: PoolServer): boolean {
  return one?.pool === other.pool && policyText(one.server) === policyText(other.server);
}

/** The same for virtual servers that differ in nothing but their backends. */
export function policyText(server: VirtualServer): string {
  return canonicalText({ ...server, backends: [] });
}
