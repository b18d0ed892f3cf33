import type { L2Port } from './l2-port.ts';

/** Where external addresses come from. A cloud can make more of them; a static list cannot. */
export interface AddressProvider {
  /** All L2 ports that exist now and are ours to give. */
  list(signal: AbortSignal): Promise<readonly L2Port[]>;
}
