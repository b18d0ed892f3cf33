import type { ServiceKey } from '@fairlead/service';
import type { FrontendError } from '../../protocol/answer.ts';
import { frontendKey } from '../../protocol/configuration.ts';
import { l4PortText } from '../addresses/l2-port.ts';
import type { PoolServer } from '../backends/virtual-servers.ts';
import type { Pool } from '../pools.ts';
import type { AgentSender } from './agent-sender.ts';
import type { TableChange, VirtualServerTable } from './virtual-server-table.ts';

/** How far the gateways are with a Service that is served. */
export type ProgrammingState =
  /** Its pool has no gateways that we program. */
  | { readonly kind: 'not-needed' }
  /** We have not talked to the gateways yet: what the Service says of itself stands. */
  | { readonly kind: 'unknown' }
  /** Not confirmed by enough gateways. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'refused'; readonly gateway: string; readonly error: FrontendError }
  /** `idle` are the ports without endpoints, which refuse connections: `TCP/80`. */
  | { readonly kind: 'programmed'; readonly idle: readonly string[]; readonly isIdle: boolean };

export interface ProgrammingOptions {
  readonly table: VirtualServerTable;
  readonly senders: readonly AgentSender[];
  readonly pools: readonly Pool[];
  /** Has a Service reconciled again. */
  readonly requeue: (key: ServiceKey) => void;
}

/** What the gateways are to serve for each Service, and what they said about it. */
export class Programming {
  readonly #options: ProgrammingOptions;
  readonly #programmedWhen: ReadonlyMap<string, Pool['programmedWhen']>;
  /** Service -> the revision from which on it is served as it is now, but for its backends. */
  readonly #servedSince = new Map<ServiceKey, number>();
  /** Service -> the revision that has no virtual server of it any more. */
  readonly #goneSince = new Map<ServiceKey, number>();
  /** Service -> all pools that it was on since we lead. */
  readonly #pools = new Map<ServiceKey, Set<string>>();
  /** Those for whom it matters what the agents say next. */
  readonly #watching = new Set<ServiceKey>();
  #restoredRevision = 0;

  constructor(options: ProgrammingOptions) {
    this.#options = options;
    this.#programmedWhen = new Map(options.pools.map(({ name, programmedWhen }) => [name, programmedWhen]));
  }

  /** What Services were given before we led is all in the table: from now on the agents may be told. */
  restored(): void {
    const { table, senders } = this.#options;
    this.#restoredRevision = table.revision;
    for (const sender of senders) sender.mark([]);
  }

  /** The Service is to be served by these and no others. */
  set(key: ServiceKey, servers: readonly PoolServer[]): void {
    const { table } = this.#options;
    const had = table.serversOf(key).length > 0;
    const pools = this.#pools.get(key) ?? new Set();
    for (const { pool } of servers) pools.add(pool);
    if (pools.size > 0) this.#pools.set(key, pools);
    this.#note(key, table.set(key, servers));
    if (servers.length > 0) this.#goneSince.delete(key);
    else if (had) this.#goneSince.set(key, table.revision);
  }

  /** What is served already follows its backends; new frontends have to wait until the Service shows them. */
  refresh(key: ServiceKey, servers: readonly PoolServer[]): void {
    this.#note(key, this.#options.table.refresh(key, servers));
  }

  /** The Service is no concern of ours any more. */
  forget(key: ServiceKey): void {
    this.set(key, []);
    this.#servedSince.delete(key);
    this.#goneSince.delete(key);
    this.#pools.delete(key);
    this.#watching.delete(key);
  }

  /** How far the gateways are with a Service that these are to serve. */
  stateOf(key: ServiceKey, servers: readonly PoolServer[]): ProgrammingState {
    const { table } = this.#options;
    if (servers.length === 0) return { kind: 'not-needed' };
    const refused = this.#refusalOf(servers);
    this.#watching.add(key);
    if (refused !== undefined) return refused;
    if (!table.isServed(key, servers)) return { kind: 'waiting' };
    const revision = this.#servedSince.get(key) ?? 0;
    const pools = new Set(servers.map(({ pool }) => pool));
    const verdicts = [...pools].map((pool) => this.#verdictOf(pool, revision, servers));
    if (verdicts.includes('waiting')) return { kind: 'waiting' };
    if (verdicts.includes('unknown')) return { kind: 'unknown' };
    this.#watching.delete(key);
    const idle = servers.filter(({ server }) => server.backends.length === 0).map(({ server }) => l4PortText(server));
    return { kind: 'programmed', idle: [...new Set(idle)], isIdle: idle.length === servers.length };
  }

  /**
   * Whether a gateway may still serve the Service. One that cannot be reached does not count: it is told first of all
   * when it is back.
   */
  isLeaving(key: ServiceKey): boolean {
    const { table, senders } = this.#options;
    const revision = this.#goneSince.get(key) ?? this.#restoredRevision;
    // Where a leader before us took it down, any gateway may have served it.
    const pools = this.#pools.get(key);
    const mayServe = ({ serves }: AgentSender) => pools === undefined || [...pools].some((pool) => serves.has(pool));
    const isConfirmed = (sender: AgentSender) => sender.reach === 'unreachable' || sender.hasConfirmed(revision);
    const isLeaving = table.serversOf(key).length > 0 || !senders.filter(mayServe).every(isConfirmed);
    if (isLeaving) this.#watching.add(key);
    return isLeaving;
  }

  /**
   * Whether every gateway that can be reached has confirmed all that changed: none serves an address any more that no
   * Service is on.
   */
  get isQuiet(): boolean {
    const { table, senders } = this.#options;
    return senders.every((sender) => sender.reach === 'unreachable' || sender.hasConfirmed(table.revision));
  }

  /** An agent confirmed something, could not be reached, or refused these frontends. */
  onNews(refused: readonly string[]): void {
    const { table, requeue } = this.#options;
    const owners = new Set(refused.flatMap((frontend) => table.ownerOf(frontend) ?? []));
    for (const key of [...this.#watching, ...owners]) requeue(key);
  }

  #note(key: ServiceKey, { frontends, isServedAnew }: TableChange): void {
    const { table, senders } = this.#options;
    if (isServedAnew) this.#servedSince.set(key, table.revision);
    if (frontends.length > 0) for (const sender of senders) sender.mark(frontends);
  }

  #sendersOf(pool: string): readonly AgentSender[] {
    return this.#options.senders.filter(({ serves }) => serves.has(pool));
  }

  #verdictOf(pool: string, revision: number, servers: readonly PoolServer[]): 'programmed' | 'waiting' | 'unknown' {
    const senders = this.#sendersOf(pool);
    const its = servers.filter((one) => one.pool === pool);
    const confirmed = senders.filter((sender) => sender.isServing(revision, its));
    const isEnough =
      this.#programmedWhen.get(pool) === 'all' ? confirmed.length === senders.length : confirmed.length > 0;
    if (isEnough) return 'programmed';
    return senders.some(({ reach }) => reach === 'unknown') ? 'unknown' : 'waiting';
  }

  #refusalOf(servers: readonly PoolServer[]): ProgrammingState | undefined {
    for (const sender of this.#options.senders) {
      for (const { server } of servers) {
        const error = sender.refusalOf(frontendKey(server));
        if (error !== undefined) return { kind: 'refused', gateway: sender.gateway.name, error };
      }
    }
    return undefined;
  }
}
