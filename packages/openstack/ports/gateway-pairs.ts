import { type IpAddress, verdictOf } from '@fairlead/control';
import type { NeutronPorts } from './neutron-ports.ts';
import type { OwnPort } from './observed.ts';
import type { ResolvedPools } from './resolved-pools.ts';

/** So often is a gateway's port read anew when another program changes it at the same time. */
const ATTEMPTS = 3;

export interface GatewayPairsOptions {
  readonly pools: ResolvedPools;
  readonly ports: () => NeutronPorts;
  /** The ports that were given, by id. */
  readonly given: ReadonlyMap<string, OwnPort>;
  /** Changes of the gateways' ports must not meet each other. */
  readonly inTurn: (change: () => Promise<void>, signal: AbortSignal) => Promise<void>;
}

/** The addresses that the gateways may send from, as pairs on their own ports. */
export class GatewayPairs {
  readonly #options: GatewayPairsOptions;

  constructor(options: GatewayPairsOptions) {
    this.#options = options;
  }

  /** Lets the gateways of the pool send from what was given of it, and from these. */
  attach(pool: string, more: readonly OwnPort[], signal: AbortSignal): Promise<void> {
    const { pools, ports, given } = this.#options;
    const gateways = pools.gatewayPorts(pool);
    const attach = () => {
      const its = [...given.values(), ...more].filter((own) => own.pool === pool);
      const addresses = new Set(its.map(({ fixedAddress }) => fixedAddress));
      return ports().attach([...addresses], gateways, signal);
    };
    return this.#change(attach, signal);
  }

  /** Neutron may give to others the addresses of ports that are gone. After us, no pair tells that it was made for one. */
  detach(addresses: ReadonlySet<IpAddress>, signal: AbortSignal): Promise<void> {
    const { pools, ports } = this.#options;
    return this.#change(() => ports().detach(addresses, pools.gatewayPorts(), signal), signal);
  }

  async #change(change: () => Promise<void>, signal: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#options.inTurn(change, signal);
      } catch (error) {
        if (attempt >= ATTEMPTS || verdictOf(error) !== 'stale' || signal.aborted) throw error;
      }
    }
  }
}
