import { formatIpAddress, type IpFamily, ipAddressValue, requireIpAddress } from '@fairlead/control';

/** Ranges that exist for tests and documentation, so that no real address ever appears. */
const FIRST = {
  IPv4: ipAddressValue(requireIpAddress('198.18.0.1')),
  IPv6: ipAddressValue(requireIpAddress('2001:db8::1')),
};
const COUNT = 131_000n;

/** Hands out public addresses in order. One that was given back is handed out again only when all others were. */
export class PublicAddresses {
  readonly #given = new Map<string, { readonly address: string; readonly visibleAt: number }>();
  readonly #used = new Set<string>();
  readonly #next = { IPv4: 0n, IPv6: 0n };

  /** The address of the resource with this key; the same until it is released. It shows from `visibleAt` on. */
  assign(key: string, family: IpFamily, visibleAt: number): void {
    if (this.#given.has(key)) return;
    const address = this.#free(family);
    this.#used.add(address);
    this.#given.set(key, { address, visibleAt });
  }

  release(key: string): void {
    const given = this.#given.get(key);
    if (given !== undefined) this.#used.delete(given.address);
    this.#given.delete(key);
  }

  visible(key: string, now: number): string | undefined {
    const given = this.#given.get(key);
    return given !== undefined && given.visibleAt <= now ? given.address : undefined;
  }

  #free(family: IpFamily): string {
    for (let tried = 0n; tried < COUNT; tried += 1n) {
      const address = formatIpAddress(FIRST[family] + (this.#next[family] % COUNT), family);
      this.#next[family] += 1n;
      if (!this.#used.has(address)) return address;
    }
    throw new Error('all public addresses of the emulator are taken');
  }
}
