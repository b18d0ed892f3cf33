import type { IpFamily } from '@fairlead/control';
import type { L2Port } from './l2-port.ts';

/** Where external addresses come from. A cloud can make more of them; a static list cannot. */
export interface AddressProvider {
  /** All L2 ports that exist now and are ours to give, in the order in which they are given. */
  list(signal: AbortSignal): Promise<readonly L2Port[]>;
  /** How to have more and fewer of them; absent where their number is fixed. */
  readonly supply?: AddressSupply;
}

/** Both calls may take long, and be repeated after a lost answer: neither is waited for by any other Service. */
export interface AddressSupply {
  /** Makes one more for the pool. The next list finds it, also when the answer is lost. */
  create(pool: string, family: IpFamily, signal: AbortSignal): Promise<L2Port>;
  /** Gives back one that no Service is on, and that no gateway serves any more; none is as good. */
  release(l2Port: L2Port, signal: AbortSignal): Promise<void>;
}
