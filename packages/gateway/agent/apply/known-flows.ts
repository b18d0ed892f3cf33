import { type Logger, messageOf } from '@fairlead/control';
import type { Changes, VirtualServers } from '../../protocol/delta.ts';
import type { Conntrack, Flows } from './node.ts';
import { mayConnect, narrowed, staleFlows } from './plan.ts';

/** The flows that the kernel remembers. What cannot be forgotten is no reason to refuse: flows end by themselves. */
export class KnownFlows {
  readonly #conntrack: Conntrack;
  readonly #logger: Logger;

  constructor(conntrack: Conntrack, logger: Logger) {
    this.#conntrack = conntrack;
    this.#logger = logger;
  }

  /** Forgets those that changes leave without a backend, or without a right to be there. */
  async follow(before: VirtualServers, changes: Changes): Promise<void> {
    await this.forget(staleFlows(before, changes));
    for (const one of narrowed(before, changes)) {
      const { address, protocol, port } = one;
      const frontend = { address, protocol, port };
      const clients = await this.#conntrack.clients(frontend).catch(() => []);
      const shutOut = clients.filter((client) => !mayConnect(one, client));
      await this.forget(shutOut.map((client) => ({ frontend, client })));
    }
  }

  async forget(all: readonly Flows[]): Promise<void> {
    try {
      for (const flows of all) await this.#conntrack.forget(flows);
    } catch (error) {
      this.#logger.warn({ error: messageOf(error) }, 'flows that lead nowhere could not be ended');
    }
  }
}
