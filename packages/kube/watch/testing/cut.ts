/** The bytes in pieces, cut at these positions. */
export function cut(bytes: Uint8Array, positions: readonly number[]): Uint8Array[] {
  const ends = [...new Set(positions.map((position) => position % (bytes.length + 1)))].sort(
    (left, right) => left - right,
  );
  return [...ends, bytes.length].map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}
