import type { IpFamily } from '@fairlead/control';
import type { NeutronClient } from '../client/index.ts';
import type { PortPool, PortScope } from './pool.ts';
import { type ConfiguredPool, resolvePool } from './resolve.ts';

/** The pools that are configured, and what Neutron has of what they name: looked up once, when it is first needed. */
export class ResolvedPools {
  readonly #neutron: NeutronClient;
  readonly #owner: Omit<PortScope, 'pools'>;
  readonly #configured: readonly ConfiguredPool[];
  readonly #resolved = new Map<string, PortPool>();

  constructor(neutron: NeutronClient, owner: Omit<PortScope, 'pools'>, configured: readonly ConfiguredPool[]) {
    this.#neutron = neutron;
    this.#owner = owner;
    this.#configured = configured;
  }

  /** Throws where something that the pool names is not there. */
  async resolve(name: string, signal: AbortSignal): Promise<void> {
    const pool = this.#configured.find((one) => one.name === name);
    if (pool === undefined || this.#resolved.has(name)) return;
    this.#resolved.set(name, await resolvePool(this.#neutron, pool, signal));
  }

  /** Whose ports we look for, and in which pools, as far as these were found. */
  scope(): PortScope {
    return { ...this.#owner, pools: [...this.#resolved.values()] };
  }

  /** Those of its subnets. */
  familiesOf(pool: string): readonly IpFamily[] {
    const { subnetIds = {} } = this.#resolved.get(pool) ?? {};
    return (['IPv4', 'IPv6'] as const).filter((family) => subnetIds[family] !== undefined);
  }

  /** The ids of the ports by which the gateways of a pool, or of all, are in the network. */
  gatewayPorts(pool?: string): ReadonlySet<string> {
    const its = this.#configured.filter(({ name }) => pool === undefined || name === pool);
    return new Set(its.flatMap(({ section }) => section.gatewayPorts));
  }
}
