import type { NeutronClient } from '../../client/index.ts';

/** Where VIPs and members are. */
export interface SubnetDriver {
  /** The ranges of addresses in these subnets; of one that does not exist there is none. */
  rangesOf(subnetIds: readonly string[], signal: AbortSignal): Promise<readonly string[]>;
}

/** The subnets of Neutron. The range of one never changes: it is asked for once. */
export class NeutronSubnets implements SubnetDriver {
  readonly #neutron: NeutronClient;
  readonly #ranges = new Map<string, string>();

  constructor(neutron: NeutronClient) {
    this.#neutron = neutron;
  }

  async rangesOf(subnetIds: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
    const ranges: string[] = [];
    for (const id of new Set(subnetIds)) {
      const range = this.#ranges.get(id) ?? (await this.#neutron.findSubnet(id, { signal }))?.cidr;
      if (range === undefined) continue;
      this.#ranges.set(id, range);
      ranges.push(range);
    }
    return ranges;
  }
}
