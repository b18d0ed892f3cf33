/*
 * The kernel's hash by which nft chooses a slot, so that it can be told beforehand which backend a connection meets.
 */

const INITIAL = 0xdead_beef;
const BLOCK_BYTES = 12;

const rotated = (value: number, bits: number) => ((value << bits) | (value >>> (32 - bits))) >>> 0;

/** `jhash` of the kernel over these bytes, as a little-endian machine computes it. */
export function jhash(bytes: Uint8Array, seed: number): number {
  const padded = new DataView(new ArrayBuffer(Math.max(1, Math.ceil(bytes.length / BLOCK_BYTES)) * BLOCK_BYTES));
  for (const [index, byte] of bytes.entries()) padded.setUint8(index, byte);
  let a = (INITIAL + bytes.length + seed) >>> 0;
  let b = a;
  let c = a;
  const take = (at: number) => {
    a = (a + padded.getUint32(at, true)) >>> 0;
    b = (b + padded.getUint32(at + 4, true)) >>> 0;
    c = (c + padded.getUint32(at + 8, true)) >>> 0;
  };
  const last = padded.byteLength - BLOCK_BYTES;
  for (let at = 0; at < last; at += BLOCK_BYTES) {
    take(at);
    for (const [one, two, three] of [
      [4, 6, 8],
      [16, 19, 4],
    ] as const) {
      a = ((a - c) ^ rotated(c, one)) >>> 0;
      c = (c + b) >>> 0;
      b = ((b - a) ^ rotated(a, two)) >>> 0;
      a = (a + c) >>> 0;
      c = ((c - b) ^ rotated(b, three)) >>> 0;
      b = (b + a) >>> 0;
    }
  }
  if (bytes.length === 0) return c;
  take(last);
  c = ((c ^ b) - rotated(b, 14)) >>> 0;
  a = ((a ^ c) - rotated(c, 11)) >>> 0;
  b = ((b ^ a) - rotated(a, 25)) >>> 0;
  c = ((c ^ b) - rotated(b, 16)) >>> 0;
  a = ((a ^ c) - rotated(c, 4)) >>> 0;
  b = ((b ^ a) - rotated(a, 14)) >>> 0;
  c = ((c ^ b) - rotated(b, 24)) >>> 0;
  return c;
}

/** As nft takes it modulo a number: by its share of the whole range. */
export function modulo(hash: number, count: number): number {
  return Number((BigInt(hash) * BigInt(count)) >> 32n);
}
