/** Tries that one refusal may cost. */
const MOST_TRIES = 100;

/**
 * Finds those that are refused among parts that were refused as a whole, by halves. Where that takes too many tries, it
 * gives those that it found by then.
 */
export async function findRefused<Item>(
  parts: readonly (readonly Item[])[],
  isTaken: (part: readonly Item[]) => Promise<boolean>,
): Promise<readonly Item[]> {
  const refused: Item[] = [];
  const left = [...parts].filter(({ length }) => length > 0);
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const part = left.pop();
    if (part === undefined) break;
    if (await isTaken(part)) continue;
    const half = Math.ceil(part.length / 2);
    if (part.length === 1) refused.push(...part);
    else left.push(part.slice(half), part.slice(0, half));
  }
  return refused;
}
