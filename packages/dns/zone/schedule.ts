/**
 * In which order to serve those with these weights: each as often as it weighs, and as evenly spread as can be. Those
 * that weigh nothing come only when all do, and then alike. Gives indexes.
 */
export function schedule(weights: readonly number[]): readonly number[] {
  const divisor = weights.reduce(greatestCommonDivisor, 0);
  if (divisor === 0) return weights.map((_, index) => index);
  const shares = weights.map((weight) => weight / divisor);
  const total = shares.reduce((sum, share) => sum + share, 0);
  const credits = shares.map(() => 0);
  return Array.from({ length: total }, () => {
    let chosen = 0;
    for (const [index, share] of shares.entries()) {
      credits[index] = (credits[index] ?? 0) + share;
      if ((credits[index] ?? 0) > (credits[chosen] ?? 0)) chosen = index;
    }
    credits[chosen] = (credits[chosen] ?? 0) - total;
    return chosen;
  });
}

function greatestCommonDivisor(left: number, right: number): number {
  return right === 0 ? left : greatestCommonDivisor(right, left % right);
}
