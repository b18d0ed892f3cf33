import { createHash } from 'node:crypto';
import type { VirtualServer } from './configuration.ts';
import { canonicalText } from './delta.ts';

/** As many bits as an element of an nft set has room for beside the generation. */
const SIZE = 2n ** 128n;
const DIGITS = 32;

/**
 * What `GET /v1/status` gives as the digest of a configuration. It is a sum over the virtual servers, so that their order
 * makes no difference and a change costs as much as the change.
 */
export class ConfigurationDigest {
  #sum = 0n;

  get text(): string {
    return this.#sum.toString(16).padStart(DIGITS, '0');
  }

  add(one: VirtualServer): void {
    this.#sum = (this.#sum + valueOf(one)) % SIZE;
  }

  remove(one: VirtualServer): void {
    this.#sum = (this.#sum + SIZE - valueOf(one)) % SIZE;
  }
}

export function digestOf(virtualServers: Iterable<VirtualServer>): string {
  const digest = new ConfigurationDigest();
  for (const one of virtualServers) digest.add(one);
  return digest.text;
}

function valueOf(one: VirtualServer): bigint {
  return BigInt(`0x${createHash('sha256').update(canonicalText(one)).digest('hex').slice(0, DIGITS)}`);
}
