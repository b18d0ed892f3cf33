import { frontendKey, type Generation, type VirtualServer } from '../../protocol/configuration.ts';
import { canonicalText, type Changes } from '../../protocol/delta.ts';
import { ConfigurationDigest } from '../../protocol/digest.ts';
import { policyText } from './virtual-server-table.ts';

/** What is in a request under way, or one whose answer was lost. */
export interface Attempt {
  readonly generation: Generation;
  readonly revision: number;
  readonly frontends: ReadonlySet<string>;
  /** What the agent has if it takes it; undefined: no longer. */
  readonly servers: ReadonlyMap<string, VirtualServer | undefined>;
  readonly isWhole: boolean;
}

/** What an agent has surely taken. */
export class ConfirmedServers {
  readonly #servers = new Map<string, VirtualServer>();
  readonly #digest = new ConfigurationDigest();
  #generation: Generation;

  constructor(generation: Generation) {
    this.#generation = generation;
  }

  get generation(): Generation {
    return this.#generation;
  }

  get digest(): string {
    return this.#digest.text;
  }

  get(frontend: string): VirtualServer | undefined {
    return this.#servers.get(frontend);
  }

  /** Whether the agent serves so, but perhaps for the backends. */
  serves(server: VirtualServer): boolean {
    const its = this.#servers.get(frontendKey(server));
    return its !== undefined && policyText(its) === policyText(server);
  }

  /** Undefined: no longer. */
  set(frontend: string, server: VirtualServer | undefined): void {
    const old = this.#servers.get(frontend);
    if (old !== undefined) this.#digest.remove(old);
    if (server !== undefined) this.#digest.add(server);
    if (server === undefined) this.#servers.delete(frontend);
    else this.#servers.set(frontend, server);
  }

  /** The agent took this. */
  follow({ generation, servers }: Attempt): void {
    this.#generation = generation;
    for (const [frontend, server] of servers) this.set(frontend, server);
  }

  /** What makes it what is wanted at these frontends. */
  changesAt(frontends: Iterable<string>, wantedAt: (frontend: string) => VirtualServer | undefined) {
    const put: VirtualServer[] = [];
    const remove: Changes['remove'][number][] = [];
    const servers = new Map<string, VirtualServer | undefined>();
    for (const frontend of frontends) {
      const before = this.#servers.get(frontend);
      const wanted = wantedAt(frontend);
      if (wanted !== undefined && (before === undefined || canonicalText(before) !== canonicalText(wanted))) {
        put.push(wanted);
        servers.set(frontend, wanted);
      } else if (wanted === undefined && before !== undefined) {
        remove.push({ address: before.address, protocol: before.protocol, port: before.port });
        servers.set(frontend, undefined);
      }
    }
    return { changes: { put, remove }, servers };
  }
}
