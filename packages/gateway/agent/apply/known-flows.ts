import { type Logger, messageOf } from '@fairlead/control';
import { type Frontend, frontendKey, type VirtualServer } from '../../protocol/configuration.ts';
import type { Changes, VirtualServers } from '../../protocol/delta.ts';
import type { Conntrack, Flows } from './node.ts';
import { MANY_FLOWS, mayConnect, narrowed, staleFlows } from './plan.ts';

/** The flows that the kernel remembers. What cannot be forgotten is no reason to refuse: flows end by themselves. */
export class KnownFlows {
  readonly #conntrack: Conntrack;
  readonly #logger: Logger;
  /** What does not have to be forgotten before the answer. */
  #later: Promise<void> = Promise.resolve();

  constructor(conntrack: Conntrack, logger: Logger) {
    this.#conntrack = conntrack;
    this.#logger = logger;
  }

  /** Forgets those that changes leave without a backend, or without a right to be there. */
  async follow(before: VirtualServers, changes: Changes): Promise<void> {
    await this.forget(staleFlows(before, changes));
    const closed = narrowed(before, changes);
    if (closed.length > 0) await this.forget(await this.#shutOut(closed));
  }

  /** Some at once, the rest one after the other, while the gateway goes on. */
  async forget(all: readonly Flows[]): Promise<void> {
    await this.#forget(all.slice(0, MANY_FLOWS));
    const rest = all.slice(MANY_FLOWS);
    if (rest.length > 0) this.#later = this.#later.then(() => this.#forget(rest));
  }

  /** Their own packets are stopped already; what backends still send them is not. */
  async #shutOut(closed: readonly VirtualServer[]): Promise<readonly Flows[]> {
    const byKey = new Map(closed.map((one) => [frontendKey(one), one]));
    const groups = Map.groupBy(closed, ({ address, protocol }) => `${address} ${protocol}`);
    const found = new Map<string, Flows>();
    for (const [first] of groups.values()) {
      if (first === undefined) continue;
      const { address, protocol } = first;
      for (const { client, port } of await this.#conntrack.clients({ address, protocol }).catch(() => [])) {
        const frontend: Frontend = { address, protocol, port };
        const server = byKey.get(frontendKey(frontend));
        if (server === undefined || mayConnect(server, client)) continue;
        found.set(`${frontendKey(frontend)} ${client}`, { frontend, client });
      }
    }
    return [...found.values()];
  }

  async #forget(all: readonly Flows[]): Promise<void> {
    try {
      for (const flows of all) await this.#conntrack.forget(flows);
    } catch (error) {
      this.#logger.warn({ error: messageOf(error) }, 'flows that lead nowhere could not be ended');
    }
  }
}
